"""What was refused is found in the journal without reading all of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0058_nets_of_any_size"),)

    operations = (
        migrations.AddIndex(
            model_name="journalentry",
            index=models.Index(
                condition=models.Q(("detail__has_key", "refused")),
                fields=["-id"],
                name="journal_refused",
            ),
        ),
    )
