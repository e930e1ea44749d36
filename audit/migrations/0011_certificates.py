"""Day rules, certificates of completeness with the jobs that make them, and refused lines by their
table. Rules and certificates are only ever added."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

TABLES = ("audit_dayrule", "audit_certificate")


def guard(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
        f"DROP TRIGGER append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0010_restatements"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="SortedUpload",
            fields=[
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="sorted",
                        serialize=False,
                        to="audit.upload",
                    ),
                ),
                ("known_count", models.IntegerField()),
                ("unknown_count", models.BigIntegerField()),
                (
                    "sorted_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CertificateRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                (
                    "source",
                    models.CharField(blank=True, db_collation="C", default="", max_length=128),
                ),
                (
                    "table",
                    models.CharField(blank=True, db_collation="C", default="", max_length=128),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("stopped", "Stopped"),
                            ("done", "Done"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("after_table", models.BigIntegerField(default=0)),
                ("table_count", models.IntegerField(default=0)),
                ("looked_count", models.IntegerField(default=0)),
                ("made_count", models.IntegerField(default=0)),
                ("same_count", models.IntegerField(default=0)),
                ("empty_count", models.IntegerField(default=0)),
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
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Certificate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("table", models.CharField(db_collation="C", max_length=128)),
                ("day", models.DateField()),
                ("edition", models.IntegerField()),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("engine", models.CharField(max_length=32)),
                ("is_complete", models.BooleanField()),
                ("hand_count", models.IntegerField()),
                ("missing_count", models.BigIntegerField()),
                ("refused_count", models.IntegerField()),
                ("facts", models.BinaryField()),
                ("content", models.TextField()),
                ("sha256", models.BinaryField()),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="certificates",
                        to="audit.certificaterun",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DayRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "source",
                    models.CharField(blank=True, db_collation="C", default="", max_length=128),
                ),
                (
                    "table",
                    models.CharField(blank=True, db_collation="C", default="", max_length=128),
                ),
                ("time_zone", models.CharField(blank=True, default="", max_length=64)),
                ("starts_at", models.SmallIntegerField(default=0)),
                (
                    "numbering",
                    models.CharField(
                        choices=[
                            ("detect", "Look at the ids"),
                            ("numbered", "Numbered one after the other"),
                            ("none", "No sequence in the ids"),
                        ],
                        default="detect",
                        max_length=10,
                    ),
                ),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SortedRefusal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.BigIntegerField()),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("table", models.CharField(db_collation="C", max_length=128)),
                (
                    "hand_id",
                    models.CharField(blank=True, db_collation="C", default="", max_length=128),
                ),
                ("played_at", models.DateTimeField()),
                ("played_on", models.DateField()),
                ("started_at", models.TextField()),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="audit.upload",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="certificaterun",
            index=models.Index(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=["touched_at"],
                name="certificate_run_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="certificaterun",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "stopped", "done"])),
                name="certificate_run_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="certificaterun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "looked_count",
                        django.db.models.expressions.CombinedExpression(
                            django.db.models.expressions.CombinedExpression(
                                models.F("made_count"), "+", models.F("same_count")
                            ),
                            "+",
                            models.F("empty_count"),
                        ),
                    )
                ),
                name="certificate_run_adds_up",
            ),
        ),
        migrations.AddIndex(
            model_name="certificate",
            index=models.Index(fields=["-day", "-id"], name="certificate_by_day"),
        ),
        migrations.AddConstraint(
            model_name="certificate",
            constraint=models.UniqueConstraint(
                fields=("source", "table", "day", "edition"), name="certificate_edition_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="certificate",
            constraint=models.CheckConstraint(
                condition=models.Q(("edition__gte", 1)), name="certificate_edition_from_one"
            ),
        ),
        migrations.AddIndex(
            model_name="dayrule",
            index=models.Index(fields=["source", "table", "-id"], name="day_rule_newest"),
        ),
        migrations.AddConstraint(
            model_name="dayrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("starts_at__gte", 0), ("starts_at__lt", 1440)),
                name="day_starts_in_the_day",
            ),
        ),
        migrations.AddConstraint(
            model_name="dayrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("numbering__in", ["detect", "numbered", "none"])),
                name="day_numbering_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="dayrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("table", ""), models.Q(("source", ""), _negated=True), _connector="OR"
                ),
                name="day_table_of_a_source",
            ),
        ),
        migrations.AddIndex(
            model_name="sortedrefusal",
            index=models.Index(
                fields=["source", "table", "played_at"], name="sorted_refusal_by_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="sortedrefusal",
            constraint=models.UniqueConstraint(
                fields=("upload", "line"), name="sorted_refusal_once"
            ),
        ),
        *(guard(table) for table in TABLES),
    )
