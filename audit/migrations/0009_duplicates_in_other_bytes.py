"""Lines that say in other bytes what is known: they are duplicates, and their bytes are kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0008_turned_lines_counted"),)

    operations = (
        migrations.AddField(
            model_name="duplicate",
            name="raw",
            field=models.BinaryField(default=None, null=True),
        ),
        migrations.AddField(
            model_name="duplicate",
            name="sha256",
            field=models.BinaryField(default=None, null=True),
        ),
        migrations.AddConstraint(
            model_name="duplicate",
            constraint=models.CheckConstraint(
                condition=models.Q(raw__isnull=True, sha256__isnull=True)
                | models.Q(raw__isnull=False, sha256__isnull=False),
                name="duplicate_bytes_whole",
            ),
        ),
    )
