"""A publication says of how many hands the rehearsal could have been that it relies on."""

from importlib import import_module

from django.db import migrations, models

GOES_ON: str = import_module("audit.migrations.0028_rulesets").REVISION_GOES_ON
BEFORE = GOES_ON.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
AFTER = BEFORE.replace(
    "'rehearsal_id', 'unrehearsed_reason'", "'rehearsal_id', 'rehearsed_of', 'unrehearsed_reason'"
)


class Migration(migrations.Migration):
    dependencies = (("audit", "0056_replaced_by_what_came_again"),)

    operations = (
        migrations.AddField(
            model_name="rulesetrevision",
            name="rehearsed_of",
            field=models.BigIntegerField(default=None, null=True),
        ),
        migrations.RunSQL(AFTER, BEFORE),
    )
