"""What hands, versions, verdicts and findings name of each other is no longer checked row by row.

They are stored together in one transaction, and triggers refuse to take any of them away: the check
cost a sixth of storing and found nothing. `manage.py doctor` looks instead.
"""

import django.db.models.deletion
from django.db import migrations, models


def unchecked(
    model: str, name: str, to: str, *, related_name: str = "+", null: bool = False
) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name=name,
        field=models.ForeignKey(
            db_constraint=False,
            db_index=False,
            null=null,
            on_delete=django.db.models.deletion.PROTECT,
            related_name=related_name,
            to=to,
        ),
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0017_seals_by_triggers"),)

    operations = (
        unchecked("finding", "verdict", "audit.verdict", related_name="findings"),
        unchecked("hand", "comparison", "audit.comparison", null=True),
        unchecked("hand", "verdict", "audit.verdict"),
        unchecked("hand", "version", "audit.handversion"),
        unchecked("handversion", "hand", "audit.hand", related_name="versions"),
        unchecked("handversion", "upload", "audit.upload"),
        unchecked("verdict", "version", "audit.handversion", related_name="verdicts"),
    )
