"""Reports: what was asked for, and every version that was made. Versions are leaves of the log, are
never changed and never deleted."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from audit.models import LeafKind

REPORT = 30


def kinds(model: str) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name="kind",
        field=models.SmallIntegerField(choices=LeafKind.choices),
    )


def trigger(name: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON audit_report {what}",
        f"DROP TRIGGER {name} ON audit_report",
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0025_access"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="Report",
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
                        choices=[
                            ("game-performance", "Game performance"),
                            ("significant-events", "Significant events"),
                            ("discrepancies", "Discrepancies"),
                            ("completeness", "Completeness"),
                            ("access-review", "Access review"),
                            ("player-statement", "Player statement"),
                        ],
                        max_length=24,
                    ),
                ),
                (
                    "basis",
                    models.CharField(
                        choices=[
                            ("day", "One day"),
                            ("days", "From day to day"),
                            ("month-to-date", "Month to date"),
                            ("year-to-date", "Year to date"),
                            ("life-to-date", "Life to date"),
                        ],
                        max_length=16,
                    ),
                ),
                ("first", models.DateField()),
                ("last", models.DateField()),
                ("parameters", models.JSONField()),
                (
                    "sources",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(db_collation="C", max_length=128),
                        null=True,
                        size=None,
                    ),
                ),
                ("series", models.BinaryField()),
                ("edition", models.IntegerField()),
                ("title", models.TextField()),
                ("definition", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField()),
                ("engine", models.CharField(max_length=32)),
                ("software", models.CharField(max_length=64)),
                ("rulesets", models.JSONField()),
                ("log_size", models.BigIntegerField()),
                ("log_root", models.BinaryField()),
                ("waiting", models.BigIntegerField()),
                ("facts", models.BinaryField()),
                ("is_empty", models.BooleanField()),
                ("row_count", models.IntegerField()),
                ("changes", models.JSONField()),
                ("body_sha256", models.BinaryField()),
                ("json", models.BinaryField()),
                ("csv", models.BinaryField()),
                ("pdf", models.BinaryField(null=True)),
                ("pdf_maker", models.CharField(blank=True, max_length=40)),
                ("note", models.TextField()),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "previous",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="following",
                        to="audit.report",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReportRun",
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
                        choices=[
                            ("game-performance", "Game performance"),
                            ("significant-events", "Significant events"),
                            ("discrepancies", "Discrepancies"),
                            ("completeness", "Completeness"),
                            ("access-review", "Access review"),
                            ("player-statement", "Player statement"),
                        ],
                        max_length=24,
                    ),
                ),
                (
                    "basis",
                    models.CharField(
                        choices=[
                            ("day", "One day"),
                            ("days", "From day to day"),
                            ("month-to-date", "Month to date"),
                            ("year-to-date", "Year to date"),
                            ("life-to-date", "Life to date"),
                        ],
                        max_length=16,
                    ),
                ),
                ("first", models.DateField()),
                ("last", models.DateField()),
                ("parameters", models.JSONField()),
                (
                    "sources",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(db_collation="C", max_length=128),
                        null=True,
                        size=None,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("stopped", "Stopped"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("days_count", models.IntegerField(default=0)),
                ("read_count", models.IntegerField(default=0)),
                ("at_day", models.DateField(default=None, null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "touched_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("finished_at", models.DateTimeField(default=None, null=True)),
                (
                    "again",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.report",
                    ),
                ),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="audit.report",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReportPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("facts", models.BinaryField()),
                ("content", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="audit.reportrun",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(fields=["kind", "-id"], name="report_by_kind"),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.UniqueConstraint(
                fields=("series", "edition"), name="report_edition_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "game-performance",
                            "significant-events",
                            "discrepancies",
                            "completeness",
                            "access-review",
                            "player-statement",
                        ],
                    )
                ),
                name="report_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("basis__in", ["day", "days", "month-to-date", "year-to-date", "life-to-date"])
                ),
                name="report_basis_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(("first__lte", models.F("last"))), name="report_days_in_order"
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("edition", 1), ("previous", None)),
                    models.Q(("edition__gt", 1), ("previous__isnull", False)),
                    _connector="OR",
                ),
                name="report_first_edition_alone",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("pdf", None), ("pdf_maker", "")),
                    models.Q(("pdf__isnull", False), models.Q(("pdf_maker", ""), _negated=True)),
                    _connector="OR",
                ),
                name="report_pdf_with_its_maker",
            ),
        ),
        migrations.AddIndex(
            model_name="reportrun",
            index=models.Index(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=["touched_at"],
                name="report_run_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("asked_by", None)),
                fields=("kind", "basis", "last"),
                name="report_by_the_clock_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["queued", "running", "stopped", "done", "failed"])
                ),
                name="report_run_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("report__isnull", False), ("state", "done")),
                    models.Q(models.Q(("state", "done"), _negated=True), ("report", None)),
                    _connector="OR",
                ),
                name="report_run_done_with_a_report",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportpart",
            constraint=models.UniqueConstraint(fields=("run", "day"), name="report_part_once"),
        ),
        kinds("sealedleaf"),
        kinds("sealpending"),
        trigger(
            "announce",
            "AFTER INSERT",
            "REFERENCING NEW TABLE AS news FOR EACH STATEMENT"
            f" EXECUTE FUNCTION audit_announce({REPORT})",
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
