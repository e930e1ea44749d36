"""What lay where in the hands, to find them by."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0028_retention"),)

    operations = (
        migrations.CreateModel(
            name="Holding",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="holding",
                        serialize=False,
                        to="audit.handversion",
                    ),
                ),
                (
                    "features",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.SmallIntegerField(), size=None
                    ),
                ),
                (
                    "nets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["features"], name="holding_by_feature"
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["nets"], name="holding_by_net"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchedUpload",
            fields=[
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="searched",
                        serialize=False,
                        to="audit.upload",
                    ),
                ),
            ],
        ),
    )
