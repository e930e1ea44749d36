"""How many lines of an upload have a hand that is discrepant because of the hand before it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0007_submissions_and_tokens"),)

    operations = (
        migrations.AddField(
            model_name="upload",
            name="turned_count",
            field=models.BigIntegerField(default=0),
        ),
    )
