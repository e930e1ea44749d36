"""Two lists that grew with the store: of a day, and of the hands with a common finding."""

import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0022_more_in_the_log"),)

    operations = (
        migrations.RemoveIndex(model_name="hand", name="hand_by_time"),
        migrations.RemoveIndex(model_name="hand", name="hand_by_finding"),
        migrations.AddIndex(
            model_name="hand",
            index=models.Index(fields=["-played_at", "-id", "played_on"], name="hand_by_time"),
        ),
        migrations.AddIndex(
            model_name="hand",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["finding_codes"], name="hand_by_finding"
            ),
        ),
    )
