"""A hand may be replaced without a re-audit: its bytes came again and were read as another."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0055_refused_minutes"),)

    operations = (
        migrations.AlterField(
            model_name="replacement",
            name="reaudit",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="audit.reaudit",
            ),
        ),
    )
