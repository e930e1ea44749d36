"""Hands whose records are read as other hands now: they are marked, and who stands for them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


def name() -> "models.CharField[str, str]":
    return models.CharField(db_collation="C", max_length=128)


class Migration(migrations.Migration):
    dependencies = (("audit", "0045_journal_leaves"),)

    operations = (
        migrations.AddField(
            model_name="hand",
            name="is_replaced",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="Replacement",
            fields=[
                (
                    "hand",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="replacement",
                        serialize=False,
                        to="audit.hand",
                    ),
                ),
                ("source", name()),
                ("name", name()),
                ("engine", models.CharField(max_length=32)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "reaudit",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.reaudit",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(
            "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_replacement"
            " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
            "DROP TRIGGER append_only ON audit_replacement",
        ),
    )
