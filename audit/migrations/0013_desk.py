"""The desk: causes, cases with their hands, acts, claims and remedies."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0012_feeds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="Cause",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BinaryField(unique=True)),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("game", models.CharField(db_collation="C", max_length=128)),
                ("ruleset", models.CharField(db_collation="C", max_length=128)),
                ("code", models.CharField(max_length=40)),
                ("rule", models.CharField(blank=True, max_length=16)),
                ("relation", models.CharField(blank=True, max_length=120)),
                (
                    "explained_by",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), size=None
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
        ),
        migrations.CreateModel(
            name="GatherMark",
            fields=[
                ("stream", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("done_through", models.BigIntegerField(default=0)),
                ("seen_through", models.BigIntegerField(default=0)),
                ("seen_xid", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="BulkAct",
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
                            ("opened", "opened the case"),
                            ("joined", "joined hands"),
                            ("left", "took hands out"),
                            ("lapsed", "released the case"),
                            ("taken", "took the case"),
                            ("released", "handed the case back"),
                            ("assigned", "assigned the case"),
                            ("commented", "commented"),
                            ("decided", "decided"),
                            ("reopened", "reopened the case"),
                            ("withdrawn", "withdrew the case"),
                            ("undone", "undid a bulk act"),
                            ("claimed", "entered a claim"),
                            ("unclaimed", "withdrew a claim"),
                            ("proposed", "proposed remedies"),
                            ("approved", "approved remedies"),
                            ("rejected", "rejected remedies"),
                            ("exported", "exported remedies"),
                        ],
                        max_length=12,
                    ),
                ),
                ("reason", models.TextField()),
                ("case_count", models.IntegerField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undo",
                        to="audit.bulkact",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Case",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sequence", models.IntegerField(default=1)),
                ("source", models.CharField(db_collation="C", max_length=128)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("decided", "Decided"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("operator", "Operator error"),
                            ("player", "Player right"),
                            ("log", "Log fault"),
                            ("engine", "Engine fault"),
                            ("rule", "Rule unclear"),
                        ],
                        default="",
                        max_length=10,
                    ),
                ),
                ("taken_until", models.DateTimeField(null=True)),
                ("opened_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("act_count", models.IntegerField(default=0)),
                ("revision", models.IntegerField(default=0)),
                ("hand_count", models.IntegerField(default=0)),
                ("first_played", models.DateTimeField(null=True)),
                ("last_played", models.DateTimeField(null=True)),
                (
                    "assignee",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "earlier",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="later",
                        to="audit.case",
                    ),
                ),
                (
                    "cause",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cases",
                        to="audit.cause",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CaseHand",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("played_at", models.DateTimeField()),
                ("table", models.CharField(db_collation="C", max_length=128)),
                ("currency", models.CharField(db_collation="C", max_length=128)),
                ("minor_digits", models.SmallIntegerField()),
                ("at_risk_minor", models.DecimalField(decimal_places=0, max_digits=40)),
                ("is_known", models.BooleanField()),
                (
                    "joined_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("left_at", models.DateTimeField(null=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hands",
                        to="audit.case",
                    ),
                ),
                (
                    "comparison",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.comparison",
                    ),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.hand",
                    ),
                ),
                (
                    "verdict",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.verdict",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CaseAmount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("player", models.CharField(db_collation="C", max_length=128)),
                ("seat", models.SmallIntegerField(null=True)),
                ("logged_minor", models.DecimalField(decimal_places=0, max_digits=40, null=True)),
                (
                    "recomputed_minor",
                    models.DecimalField(decimal_places=0, max_digits=40, null=True),
                ),
                (
                    "member",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="amounts",
                        to="audit.casehand",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CaseMoney",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("currency", models.CharField(db_collation="C", max_length=128)),
                ("minor_digits", models.SmallIntegerField()),
                ("at_risk_minor", models.DecimalField(decimal_places=0, max_digits=40)),
                (
                    "case",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="money",
                        to="audit.case",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("player", models.CharField(db_collation="C", max_length=128)),
                ("claimed_at", models.DateTimeField()),
                ("deadline_at", models.DateTimeField()),
                ("text", models.TextField()),
                ("amount_minor", models.DecimalField(decimal_places=0, max_digits=40, null=True)),
                (
                    "currency",
                    models.CharField(blank=True, db_collation="C", default="", max_length=128),
                ),
                ("minor_digits", models.SmallIntegerField(default=0)),
                (
                    "entered_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="claims",
                        to="audit.case",
                    ),
                ),
                (
                    "entered_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ClaimHand",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "claim",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hands",
                        to="audit.claim",
                    ),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.hand",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Docket",
            fields=[
                (
                    "hand",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="audit.hand",
                    ),
                ),
                (
                    "comparison",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.comparison",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.casehand",
                    ),
                ),
                (
                    "verdict",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.verdict",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Remedy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "Proposed"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("exported", "Exported"),
                        ],
                        default="proposed",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "proposed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("settled_at", models.DateTimeField(null=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="remedies",
                        to="audit.case",
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "settled_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "remedies",
            },
        ),
        migrations.CreateModel(
            name="CaseAct",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.IntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("opened", "opened the case"),
                            ("joined", "joined hands"),
                            ("left", "took hands out"),
                            ("lapsed", "released the case"),
                            ("taken", "took the case"),
                            ("released", "handed the case back"),
                            ("assigned", "assigned the case"),
                            ("commented", "commented"),
                            ("decided", "decided"),
                            ("reopened", "reopened the case"),
                            ("withdrawn", "withdrew the case"),
                            ("undone", "undid a bulk act"),
                            ("claimed", "entered a claim"),
                            ("unclaimed", "withdrew a claim"),
                            ("proposed", "proposed remedies"),
                            ("approved", "approved remedies"),
                            ("rejected", "rejected remedies"),
                            ("exported", "exported remedies"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("text", models.TextField(blank=True, default="")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("decided", "Decided"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("operator", "Operator error"),
                            ("player", "Player right"),
                            ("log", "Log fault"),
                            ("engine", "Engine fault"),
                            ("rule", "Rule unclear"),
                        ],
                        max_length=10,
                    ),
                ),
                ("taken_until", models.DateTimeField(null=True)),
                ("count", models.IntegerField(default=0)),
                ("step", models.IntegerField(null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignee",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "bulk",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="audit.bulkact",
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="audit.case",
                    ),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.hand",
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undo",
                        to="audit.caseact",
                    ),
                ),
                (
                    "claim",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="audit.claim",
                    ),
                ),
                (
                    "remedy",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="audit.remedy",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RemedyEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.IntegerField()),
                (
                    "account",
                    models.CharField(
                        choices=[("player", "Player"), ("house", "House")], max_length=10
                    ),
                ),
                ("player", models.CharField(blank=True, db_collation="C", max_length=128)),
                ("currency", models.CharField(db_collation="C", max_length=128)),
                ("minor_digits", models.SmallIntegerField()),
                ("amount_minor", models.DecimalField(decimal_places=0, max_digits=40)),
                (
                    "remedy",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="audit.remedy",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "remedy entries",
            },
        ),
        migrations.CreateModel(
            name="RemedyExport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("csv", models.BinaryField()),
                ("json", models.BinaryField()),
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
        migrations.AddField(
            model_name="remedy",
            name="export",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="remedy",
                to="audit.remedyexport",
            ),
        ),
        migrations.AddIndex(
            model_name="casehand",
            index=models.Index(fields=["case", "-played_at", "-id"], name="case_hand_by_time"),
        ),
        migrations.AddIndex(
            model_name="casehand",
            index=models.Index(fields=["hand"], name="case_hand_by_hand"),
        ),
        migrations.AddConstraint(
            model_name="casehand",
            constraint=models.UniqueConstraint(
                condition=models.Q(("left_at__isnull", True)),
                fields=("hand",),
                name="case_hand_stands_once",
            ),
        ),
        migrations.AddIndex(
            model_name="caseamount",
            index=models.Index(fields=["player"], name="case_amount_by_player"),
        ),
        migrations.AddConstraint(
            model_name="caseamount",
            constraint=models.UniqueConstraint(
                fields=("member", "player", "seat"), name="case_amount_once", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="casemoney",
            constraint=models.UniqueConstraint(
                fields=("case", "currency", "minor_digits"), name="case_money_once"
            ),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["state", "due_at"], name="case_by_due"),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["assignee", "state"], name="case_by_assignee"),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.UniqueConstraint(
                fields=("cause", "sequence"), name="case_of_cause_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "decided", "withdrawn"])),
                name="case_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("decision__in", ["operator", "player", "log", "engine", "rule"]),
                        ("state", "decided"),
                    ),
                    models.Q(models.Q(("state", "decided"), _negated=True), ("decision", "")),
                    _connector="OR",
                ),
                name="case_decided_with_a_decision",
            ),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("taken_until__isnull", True), ("assignee__isnull", False), _connector="OR"
                ),
                name="case_taken_by_somebody",
            ),
        ),
        migrations.AddIndex(
            model_name="claim",
            index=models.Index(fields=["player"], name="claim_by_player"),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("amount_minor__isnull", True),
                    models.Q(("currency", ""), _negated=True),
                    _connector="OR",
                ),
                name="claim_amount_with_a_currency",
            ),
        ),
        migrations.AddConstraint(
            model_name="claim",
            constraint=models.CheckConstraint(
                condition=models.Q(("claimed_at__lte", models.F("deadline_at"))),
                name="claim_in_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="claimhand",
            constraint=models.UniqueConstraint(fields=("claim", "hand"), name="claim_hand_once"),
        ),
        migrations.AddConstraint(
            model_name="caseact",
            constraint=models.UniqueConstraint(
                fields=("case", "number"), name="case_act_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="caseact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("actor__isnull", False),
                    ("kind__in", ("opened", "joined", "left", "lapsed")),
                    _connector="OR",
                ),
                name="case_act_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="caseact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "opened",
                            "joined",
                            "left",
                            "lapsed",
                            "taken",
                            "released",
                            "assigned",
                            "commented",
                            "decided",
                            "reopened",
                            "withdrawn",
                            "undone",
                            "claimed",
                            "unclaimed",
                            "proposed",
                            "approved",
                            "rejected",
                            "exported",
                        ],
                    )
                ),
                name="case_act_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyentry",
            constraint=models.UniqueConstraint(
                fields=("remedy", "position"), name="remedy_entry_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyentry",
            constraint=models.UniqueConstraint(
                fields=("remedy", "account", "player", "currency", "minor_digits"),
                name="remedy_entry_account_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount_minor", 0), _negated=True), name="remedy_entry_moves"
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("account", "player"), models.Q(("player", ""), _negated=True)),
                    models.Q(("account", "house"), ("player", "")),
                    _connector="OR",
                ),
                name="remedy_entry_of_a_player",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedy",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["proposed", "approved", "rejected", "exported"])),
                name="remedy_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedy",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("approved", "exported")), _negated=True),
                    models.Q(
                        ("settled_by__isnull", False),
                        models.Q(("settled_by", models.F("proposed_by")), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="remedy_approved_by_another",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedy",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("settled_by__isnull", True), ("state", "proposed")),
                    models.Q(
                        models.Q(("state", "proposed"), _negated=True),
                        ("settled_by__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="remedy_settled_at_its_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedy",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("export__isnull", False), ("state", "exported")),
                    models.Q(
                        models.Q(("state", "exported"), _negated=True), ("export__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="remedy_exported_with_a_file",
            ),
        ),
    )
