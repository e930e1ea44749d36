"""A net in minor units may be longer than a whole number of eight bytes."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0057_rehearsed_of"),)

    operations = (
        migrations.AlterField(
            model_name="holding",
            name="nets",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.DecimalField(decimal_places=0, max_digits=30), size=None
            ),
        ),
    )
