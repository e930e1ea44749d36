"""What duplicates, restatements and comparisons name of hands is no longer checked row by row.

A partitioned table can be named so only by a key that is unique in all of its partitions.
`manage.py doctor` looks instead, as it does for hands, versions, verdicts and findings.
"""

import django.db.models.deletion
from django.db import migrations, models

# Model, field, what it names, its related name, whether it may be NULL, whether it has an index.
FIELDS = (
    ("comparison", "earlier", "audit.verdict", "+", True, False),
    ("comparison", "verdict", "audit.verdict", "comparisons", False, False),
    ("duplicate", "version", "audit.handversion", "duplicates", False, True),
    ("restatement", "hand", "audit.hand", "restatements", False, False),
    ("restatement", "replaced", "audit.handversion", "+", False, False),
    ("restatement", "version", "audit.handversion", "+", False, False),
)


def unchecked(
    model: str, name: str, to: str, related_name: str, null: bool, index: bool
) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name=name,
        field=models.ForeignKey(
            db_constraint=False,
            db_index=index,
            null=null,
            on_delete=django.db.models.deletion.PROTECT,
            related_name=related_name,
            to=to,
        ),
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0031_erasure"),)

    operations = tuple(unchecked(*field) for field in FIELDS)
