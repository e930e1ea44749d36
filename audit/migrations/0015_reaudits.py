"""Re-audits with their batches, results, amounts and faults, and refused lines that became hands.

What they found is only ever added, and who asked for what stays on record."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

TABLES = (
    "audit_reauditresult",
    "audit_reauditamount",
    "audit_reauditfault",
    "audit_admission",
)

KEEP_REQUEST = """
CREATE TRIGGER request_kept BEFORE UPDATE OF
    requested_by_id, reason, filter, filter_text, named, ruleset, ruleset_sha256, rulesets,
    refused_lines, engine, created_at
    ON audit_reaudit FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()
"""


def guard(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
        f"DROP TRIGGER append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0014_desk_guards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="Reaudit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.TextField()),
                ("filter", models.JSONField()),
                ("filter_text", models.TextField()),
                ("named", models.CharField(db_collation="C", max_length=128)),
                ("ruleset", models.CharField(db_collation="C", max_length=128)),
                ("ruleset_sha256", models.BinaryField(default=None, null=True)),
                ("rulesets", models.JSONField()),
                (
                    "refused_lines",
                    models.CharField(
                        choices=[
                            ("none", "No refused lines"),
                            ("waiting", "Lines that wait for a ruleset or a corrected engine"),
                            ("all", "All refused lines whose bytes were kept"),
                        ],
                        default="none",
                        max_length=10,
                    ),
                ),
                ("engine", models.CharField(max_length=32)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("gathering", "Gathering"),
                            ("running", "Running"),
                            ("stopped", "Stopped"),
                            ("done", "Done"),
                            ("partly", "Partly done"),
                        ],
                        default="gathering",
                        max_length=10,
                    ),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("hand_max", models.BigIntegerField()),
                ("hand_last", models.BigIntegerField(default=0)),
                ("refusal_max", models.BigIntegerField(default=0)),
                ("refusal_last", models.BigIntegerField(default=0)),
                ("is_gathered", models.BooleanField(default=False)),
                ("total_count", models.BigIntegerField(default=0)),
                ("done_count", models.BigIntegerField(default=0)),
                ("written_count", models.BigIntegerField(default=0)),
                ("confirmed_count", models.BigIntegerField(default=0)),
                ("rehearsed_count", models.BigIntegerField(default=0)),
                ("admitted_count", models.BigIntegerField(default=0)),
                ("refused_count", models.BigIntegerField(default=0)),
                ("aside_count", models.BigIntegerField(default=0)),
                ("changed_count", models.BigIntegerField(default=0)),
                ("flipped_count", models.BigIntegerField(default=0)),
                ("unsettled_count", models.BigIntegerField(default=0)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "worked_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("running_since", models.DateTimeField(default=None, null=True)),
                ("seconds_before", models.FloatField(default=0)),
                ("finished_at", models.DateTimeField(default=None, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["gathering", "running", "stopped", "done", "partly"])
                        ),
                        name="reaudit_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ruleset", ""), ("ruleset_sha256__isnull", True)),
                            models.Q(
                                models.Q(("ruleset", ""), _negated=True),
                                ("ruleset_sha256__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="reaudit_rehearsal_is_exact",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "done_count",
                                django.db.models.expressions.CombinedExpression(
                                    django.db.models.expressions.CombinedExpression(
                                        django.db.models.expressions.CombinedExpression(
                                            django.db.models.expressions.CombinedExpression(
                                                django.db.models.expressions.CombinedExpression(
                                                    models.F("written_count"),
                                                    "+",
                                                    models.F("confirmed_count"),
                                                ),
                                                "+",
                                                models.F("rehearsed_count"),
                                            ),
                                            "+",
                                            models.F("admitted_count"),
                                        ),
                                        "+",
                                        models.F("refused_count"),
                                    ),
                                    "+",
                                    models.F("aside_count"),
                                ),
                            ),
                            ("done_count__lte", models.F("total_count")),
                        ),
                        name="reaudit_counts_add_up",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("finished_at__isnull", False), ("state__in", ["done", "partly"])
                            ),
                            models.Q(
                                ("finished_at__isnull", True),
                                ("state__in", ["gathering", "running", "stopped"]),
                            ),
                            _connector="OR",
                        ),
                        name="reaudit_end_is_dated",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReauditBatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reaudit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="audit.reaudit",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.upload",
                    ),
                ),
                (
                    "rows",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("lease_until", models.DateTimeField(default=None, null=True)),
                ("error", models.TextField(blank=True, default="")),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=["reaudit", "id"],
                        name="reaudit_batch_open",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["queued", "running", "done", "failed"])),
                        name="reaudit_batch_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_until__isnull", False), ("state", "running")),
                            models.Q(
                                models.Q(("state", "running"), _negated=True),
                                ("lease_until__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="reaudit_batch_lease_while_running",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReauditResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reaudit",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="results",
                        to="audit.reaudit",
                    ),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.hand",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.handversion",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.verdict",
                    ),
                ),
                (
                    "after",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.verdict",
                    ),
                ),
                ("is_current", models.BooleanField()),
                ("is_flipped", models.BooleanField()),
                ("is_changed", models.BooleanField()),
                ("kind_before", models.CharField(max_length=10)),
                ("code_before", models.CharField(blank=True, max_length=40)),
                ("kind", models.CharField(max_length=10)),
                ("code", models.CharField(blank=True, max_length=40)),
                ("finding_count", models.IntegerField()),
                ("settlement", models.JSONField(null=True)),
                ("digest", models.BinaryField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_changed", True)),
                        fields=["reaudit", "kind_before", "code_before", "kind", "code", "id"],
                        name="reaudit_result_changed",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("reaudit", "version"), name="reaudit_result_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReauditAmount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reaudit",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="amounts",
                        to="audit.reaudit",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.reauditbatch",
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("table", models.CharField(db_collation="C", max_length=128)),
                ("player", models.CharField(db_collation="C", max_length=128, null=True)),
                ("currency", models.CharField(db_collation="C", max_length=128)),
                ("minor_digits", models.SmallIntegerField()),
                ("hand_count", models.BigIntegerField()),
                ("net_before", models.DecimalField(decimal_places=0, max_digits=60, null=True)),
                ("net_after", models.DecimalField(decimal_places=0, max_digits=60, null=True)),
                ("rake_before", models.DecimalField(decimal_places=0, max_digits=60, null=True)),
                ("rake_after", models.DecimalField(decimal_places=0, max_digits=60, null=True)),
                (
                    "valid_bet_before",
                    models.DecimalField(decimal_places=0, max_digits=60, null=True),
                ),
                (
                    "valid_bet_after",
                    models.DecimalField(decimal_places=0, max_digits=60, null=True),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["reaudit", "currency"], name="reaudit_amount_of")],
            },
        ),
        migrations.CreateModel(
            name="ReauditFault",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reaudit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="faults",
                        to="audit.reaudit",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.handversion",
                    ),
                ),
                (
                    "refusal",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.refusal",
                    ),
                ),
                ("reason", models.TextField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("reaudit", "version"), name="reaudit_fault_once"
                    ),
                    models.UniqueConstraint(
                        fields=("reaudit", "refusal"), name="reaudit_line_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Admission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "refusal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="admission",
                        to="audit.refusal",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.handversion",
                    ),
                ),
                (
                    "reaudit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="admissions",
                        to="audit.reaudit",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
        ),
        *(guard(table) for table in TABLES),
        migrations.RunSQL(KEEP_REQUEST, "DROP TRIGGER request_kept ON audit_reaudit"),
    )
