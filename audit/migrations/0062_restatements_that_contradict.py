"""Each version that an upload says holds is on record, where it says so of two."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0061_chunks_stored_as_they_come"),)

    operations = (
        migrations.RemoveConstraint(model_name="restatement", name="restatement_once"),
        migrations.AddConstraint(
            model_name="restatement",
            constraint=models.UniqueConstraint(
                fields=("hand", "upload", "version"), name="restatement_once"
            ),
        ),
    )
