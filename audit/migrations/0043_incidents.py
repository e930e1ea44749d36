"""What went wrong with the store or the clock: only ever added, and leaves of the log."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from audit.models import LeafKind

INCIDENT = 70


def kinds(model: str) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name="kind",
        field=models.SmallIntegerField(choices=LeafKind.choices),
    )


def trigger(name: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON audit_incident {what}",
        f"DROP TRIGGER {name} ON audit_incident",
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0042_months"),)

    operations = (
        migrations.CreateModel(
            name="Incident",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("altered", "Altered row"), ("clock", "Clock step")],
                        max_length=10,
                    ),
                ),
                ("noticed_at", models.DateTimeField(db_default=Now())),
                ("place", models.TextField()),
                ("detail", models.TextField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(("kind__in", ["altered", "clock"])), name="incident_kind_known"
                    )
                ],
                "indexes": [models.Index(fields=["noticed_at"], name="incident_by_time")],
            },
        ),
        kinds("sealedleaf"),
        kinds("sealpending"),
        trigger(
            "announce",
            "AFTER INSERT",
            "REFERENCING NEW TABLE AS news FOR EACH STATEMENT"
            f" EXECUTE FUNCTION audit_announce({INCIDENT})",
        ),
        trigger(
            "append_only",
            "BEFORE UPDATE OR DELETE",
            "FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
        ),
        trigger(
            "never_emptied",
            "BEFORE TRUNCATE",
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_truncate()",
        ),
    )
