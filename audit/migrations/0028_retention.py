"""How long records are kept: terms, holds, runs; and the guards that let a run delete what is due.

A record of evidence can be deleted only inside of a batch of a run (`tilecourt.retention_batch`
names it), and no batch can be added with anything in it that is to be kept. What that is, is said
once, in `audit_retention_keeps`; the services ask it, too.
"""

from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from audit.models import LeafKind

CLASSES = {
    "hands": "Hands",
    "cases": "Cases and letters",
    "journal": "Journal",
    "attachments": "Attachments",
}
UNITS = {"day": "days", "month": "months", "year": "years"}
STATES = {"running": "Running", "stopped": "Stopped", "done": "Done"}
ANNOUNCED = {
    31: "audit_retentionterm",
    32: "audit_legalhold",
    33: "audit_holdend",
    35: "audit_retentionbatch",
    36: "audit_retentiondeletion",
}
RUN = 34
APPEND_ONLY = (*ANNOUNCED.values(), "audit_departedverdict")

# The term of a source: its own, else that of each source without one. S16 asks for ten years of
# play where nobody says otherwise, dispute letters go with it; what is put to a case beside that,
# such as recordings, has a short term (S18). What belongs to no source is kept as long as
# anything of its class.
IN_FORCE = """
CREATE FUNCTION audit_retention_in_force(
    of_class text, of_source text, OUT term bigint, OUT cutoff timestamptz
) LANGUAGE sql STABLE AS $$
    SELECT id, now() - length FROM (
        SELECT DISTINCT ON (source) id, source, make_interval(
            years => CASE unit WHEN 'year' THEN count ELSE 0 END,
            months => CASE unit WHEN 'month' THEN count ELSE 0 END,
            days => CASE unit WHEN 'day' THEN count ELSE 0 END
        ) AS length
        FROM (
            SELECT id, source, unit, count FROM audit_retentionterm WHERE record_class = of_class
            UNION ALL
            SELECT NULL, NULL,
                CASE of_class WHEN 'attachments' THEN 'day' ELSE 'year' END,
                CASE of_class WHEN 'attachments' THEN 90 ELSE 10 END
        ) terms
        ORDER BY source, id DESC NULLS LAST
    ) newest
    WHERE of_source IS NULL OR source IS NULL OR source = of_source COLLATE "C"
    ORDER BY of_source IS NOT NULL AND source IS NULL, now() - length, id
    LIMIT 1
$$
"""

HELD = """
CREATE FUNCTION audit_is_held(of_source text, of_hand bigint, of_case bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM audit_legalhold l
        WHERE l.source = of_source COLLATE "C"
            AND (l.hand_id IS NULL AND l.case_id IS NULL OR l.hand_id = of_hand
                OR l.case_id = of_case)
            AND NOT EXISTS (SELECT FROM audit_holdend e WHERE e.hold_id = l.id)
    )
$$
"""

KEEPS = """
CREATE FUNCTION audit_retention_keeps(
    of_class text, of_source text, cutoff timestamptz, item bigint
) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    one record;
BEGIN
    IF of_class = 'hands' AND of_source IS NOT NULL THEN
        IF NOT EXISTS (
            SELECT FROM audit_hand WHERE id = item AND source = of_source COLLATE "C"
        ) THEN
            RETURN 'other';
        ELSIF audit_is_held(of_source, item, NULL) THEN
            RETURN 'hold';
        ELSIF EXISTS (SELECT FROM audit_handversion WHERE hand_id = item AND created_at >= cutoff)
        THEN
            RETURN 'date';
        ELSIF EXISTS (SELECT FROM audit_casehand WHERE hand_id = item)
            OR EXISTS (SELECT FROM audit_claimhand WHERE hand_id = item)
            OR EXISTS (SELECT FROM audit_caseact WHERE hand_id = item)
        THEN
            RETURN 'case';
        END IF;
    ELSIF of_class = 'hands' THEN
        SELECT r.upload_id, u.created_at INTO one
        FROM audit_refusal r JOIN audit_upload u ON u.id = r.upload_id WHERE r.id = item;
        IF NOT FOUND THEN
            RETURN 'other';
        ELSIF EXISTS (
            SELECT FROM audit_uploadsource s
            WHERE s.upload_id = one.upload_id AND audit_is_held(s.source, NULL, NULL)
        ) THEN
            RETURN 'hold';
        ELSIF one.created_at >= cutoff THEN
            RETURN 'date';
        ELSIF EXISTS (SELECT FROM audit_admission WHERE refusal_id = item) THEN
            RETURN 'hand';
        END IF;
    ELSIF of_class = 'cases' THEN
        SELECT source, state INTO one FROM audit_case WHERE id = item;
        IF NOT FOUND OR one.source IS DISTINCT FROM of_source COLLATE "C" THEN
            RETURN 'other';
        ELSIF audit_is_held(of_source, NULL, item) OR EXISTS (
            SELECT FROM audit_casehand m
            WHERE m.case_id = item AND audit_is_held(of_source, m.hand_id, NULL)
        ) THEN
            RETURN 'hold';
        ELSIF EXISTS (SELECT FROM audit_caseact WHERE case_id = item AND created_at >= cutoff) THEN
            RETURN 'date';
        ELSIF one.state = 'open' THEN
            RETURN 'open';
        ELSIF EXISTS (SELECT FROM audit_case WHERE earlier_id = item) THEN
            RETURN 'later';
        END IF;
    ELSIF of_class = 'journal' THEN
        SELECT source, hand, at INTO one FROM audit_journal WHERE id = item;
        IF NOT FOUND OR one.source IS DISTINCT FROM of_source COLLATE "C" THEN
            RETURN 'other';
        ELSIF of_source IS NOT NULL AND audit_is_held(of_source, one.hand, NULL) THEN
            RETURN 'hold';
        ELSIF one.at >= cutoff THEN
            RETURN 'date';
        END IF;
    ELSE
        RETURN 'other';
    END IF;
    RETURN NULL;
END
$$
"""

RUN_BEGINS = """
CREATE FUNCTION audit_retention_run_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'running' OR NEW.item_count <> 0
        OR NOT EXISTS (
            SELECT FROM audit_retention_in_force(NEW.record_class, NEW.source) f
            WHERE f.term IS NOT DISTINCT FROM NEW.term_id AND NEW.cutoff_at <= f.cutoff
        )
    THEN
        RAISE EXCEPTION 'the date of retention run % has not come', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

RUN_GOES_ON = """
CREATE FUNCTION audit_retention_run_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'done' OR NEW.item_count < OLD.item_count
        OR (OLD.record_class, OLD.source, OLD.term_id, OLD.cutoff_at, OLD.reason, OLD.asked_by_id,
            OLD.started_at)
            IS DISTINCT FROM
            (NEW.record_class, NEW.source, NEW.term_id, NEW.cutoff_at, NEW.reason, NEW.asked_by_id,
            NEW.started_at)
    THEN
        RAISE EXCEPTION 'a retention run only goes on, and ends once'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

ANNOUNCE_RUN = f"""
CREATE FUNCTION audit_announce_retention_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_sealpending (kind, rows) VALUES ({RUN}, ARRAY[NEW.id]);
    RETURN NULL;
END
$$
"""  # noqa: S608 - from constants

BATCH_DUE = """
CREATE FUNCTION audit_retention_batch_due() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    run record;
    kept bigint;
BEGIN
    SELECT * INTO run FROM audit_retentionrun WHERE id = NEW.run_id;
    IF NOT FOUND OR run.state <> 'running' THEN
        RAISE EXCEPTION 'retention run % is not running', NEW.run_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- A longer term may have been set since the run began.
    IF run.cutoff_at > (audit_retention_in_force(run.record_class, run.source)).cutoff THEN
        RAISE EXCEPTION 'the date of retention run % has not come', run.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT item INTO kept FROM unnest(NEW.items) item
    WHERE audit_retention_keeps(run.record_class, run.source, run.cutoff_at, item) IS NOT NULL
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% of the % is to be kept (%)', kept, run.record_class,
            audit_retention_keeps(run.record_class, run.source, run.cutoff_at, kept)
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- The time of this transaction, in which alone the batch opens the way.
    NEW.deleted_at := now();
    RETURN NEW;
END
$$
"""

# Which hand, refused line, case or act of the journal a row belongs to.
ITEM_OF = """
CREATE FUNCTION audit_retention_item(of_class text, of_source text, name text, gone jsonb)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF of_class = 'hands' AND of_source IS NULL THEN
        RETURN (CASE name WHEN 'audit_refusal' THEN gone ->> 'id'
            ELSE gone ->> 'refusal_id' END)::bigint;
    ELSIF of_class = 'hands' THEN
        IF name = 'audit_hand' THEN
            RETURN (gone ->> 'id')::bigint;
        ELSIF gone ? 'hand_id' THEN
            RETURN (gone ->> 'hand_id')::bigint;
        ELSIF gone ? 'version_id' THEN
            RETURN (SELECT hand_id FROM audit_handversion
                WHERE id = (gone ->> 'version_id')::bigint);
        ELSIF gone ? 'verdict_id' THEN
            RETURN (SELECT v.hand_id FROM audit_verdict w
                JOIN audit_handversion v ON v.id = w.version_id
                WHERE w.id = (gone ->> 'verdict_id')::bigint);
        ELSIF gone ? 'comparison_id' THEN
            RETURN (SELECT v.hand_id FROM audit_comparison c
                JOIN audit_verdict w ON w.id = c.verdict_id
                JOIN audit_handversion v ON v.id = w.version_id
                WHERE c.id = (gone ->> 'comparison_id')::bigint);
        END IF;
    ELSIF of_class = 'cases' THEN
        IF name = 'audit_case' THEN
            RETURN (gone ->> 'id')::bigint;
        ELSIF name = 'audit_remedyexport' THEN
            RETURN (SELECT case_id FROM audit_remedy WHERE export_id = (gone ->> 'id')::bigint);
        ELSIF gone ? 'case_id' THEN
            RETURN (gone ->> 'case_id')::bigint;
        ELSIF gone ? 'member_id' THEN
            RETURN (SELECT case_id FROM audit_casehand WHERE id = (gone ->> 'member_id')::bigint);
        ELSIF gone ? 'claim_id' THEN
            RETURN (SELECT case_id FROM audit_claim WHERE id = (gone ->> 'claim_id')::bigint);
        ELSIF gone ? 'remedy_id' THEN
            RETURN (SELECT case_id FROM audit_remedy WHERE id = (gone ->> 'remedy_id')::bigint);
        END IF;
    ELSIF of_class = 'journal' AND name = 'audit_journal' THEN
        RETURN (gone ->> 'id')::bigint;
    END IF;
    RETURN NULL;
END
$$
"""

# A partition's triggers are told its own name: what counts is that of its table.
RELEASED = """
CREATE FUNCTION audit_is_released(relation oid, gone jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    batch bigint := nullif(current_setting('tilecourt.retention_batch', true), '')::bigint;
    name text;
BEGIN
    IF batch IS NULL THEN
        RETURN false;
    END IF;
    SELECT c.relname INTO name FROM pg_class c
    WHERE c.oid = coalesce((SELECT inhparent FROM pg_inherits WHERE inhrelid = relation), relation);
    RETURN EXISTS (
        SELECT FROM audit_retentionbatch b JOIN audit_retentionrun r ON r.id = b.run_id
        WHERE b.id = batch AND b.deleted_at = now() AND r.state = 'running'
            AND audit_retention_item(r.record_class, r.source, name, gone) = ANY (b.items)
    );
END
$$
"""

REFUSE_REWRITE = """
CREATE OR REPLACE FUNCTION audit_refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {release}RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$
"""
RELEASE = """IF TG_OP = 'DELETE' AND audit_is_released(TG_RELID, to_jsonb(OLD)) THEN
        RETURN OLD;
    END IF;
    """

KEEP_REFUSAL = """
CREATE OR REPLACE FUNCTION audit_keep_refusal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM audit_upload WHERE id = OLD.upload_id AND sha256 IS NOT NULL){but} THEN
        RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$
"""
UNLESS = "\n        AND NOT audit_is_released(TG_RELID, to_jsonb(OLD))"

# Batches name rows by the thousand, and the log asks under which one a row went.
INDEXES = {
    "audit_retentiondeletion_rows": "audit_retentiondeletion USING gin (rows)",
    "audit_comparison_earlier": "audit_comparison (earlier_id) WHERE earlier_id IS NOT NULL",
    "audit_caseact_hand": "audit_caseact (hand_id) WHERE hand_id IS NOT NULL",
}
# A comparison stays when the hand before it goes; what its leaf says of that hand is kept.
FREE_EARLIER = """
DO $$
DECLARE
    found text;
BEGIN
    FOR found IN
        SELECT c.conname FROM pg_constraint c
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
        WHERE c.contype = 'f' AND c.conrelid = 'audit_comparison'::regclass
            AND a.attname = 'earlier_id'
    LOOP
        EXECUTE format('ALTER TABLE audit_comparison DROP CONSTRAINT %I', found);
    END LOOP;
END
$$
"""


def made(statement: str) -> migrations.RunSQL:
    name = statement.split("CREATE FUNCTION ", 1)[1].split("(", 1)[0]
    return migrations.RunSQL(statement, f"DROP FUNCTION {name}")


def trigger(name: str, table: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION {what}".replace("@", table),
        f"DROP TRIGGER {name} ON {table}",
    )


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def account(**options: Any) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to=settings.AUTH_USER_MODEL,
        **options,
    )


def loose(to: str) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        db_constraint=False,
        null=True,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


def name(**options: Any) -> "models.CharField[Any, Any]":
    return models.CharField(db_collation="C", max_length=128, **options)


def keys() -> Any:
    return django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)


ROW = "FOR EACH ROW"
TABLES = (
    migrations.CreateModel(
        name="RetentionTerm",
        fields=[
            ("id", number()),
            ("source", name(null=True)),
            ("record_class", models.CharField(choices=list(CLASSES.items()), max_length=12)),
            ("count", models.IntegerField()),
            ("unit", models.CharField(choices=list(UNITS.items()), max_length=5)),
            ("reason", models.TextField()),
            ("set_at", models.DateTimeField(db_default=Now())),
            ("set_by", account()),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=Q(("record_class__in", list(CLASSES))),
                    name="retention_term_class_known",
                ),
                models.CheckConstraint(
                    condition=Q(
                        ("count__gte", 1), ("count__lte", 36_500), ("unit__in", list(UNITS))
                    ),
                    name="retention_term_is_a_time",
                ),
                models.CheckConstraint(
                    condition=~Q(("reason", "")), name="retention_term_has_reason"
                ),
            ],
            "indexes": [
                models.Index(fields=["record_class", "source", "-id"], name="retention_term_newest")
            ],
        },
    ),
    migrations.CreateModel(
        name="LegalHold",
        fields=[
            ("id", number()),
            ("source", name()),
            ("reason", models.TextField()),
            ("placed_at", models.DateTimeField(db_default=Now())),
            ("hand", loose("audit.hand")),
            ("case", loose("audit.case")),
            ("placed_by", account()),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=Q(("hand", None), ("case", None), _connector="OR"),
                    name="legal_hold_on_one_thing",
                ),
                models.CheckConstraint(condition=~Q(("reason", "")), name="legal_hold_has_reason"),
            ],
            "indexes": [models.Index(fields=["source"], name="legal_hold_by_source")],
        },
    ),
    migrations.CreateModel(
        name="HoldEnd",
        fields=[
            ("id", number()),
            ("reason", models.TextField()),
            ("lifted_at", models.DateTimeField(db_default=Now())),
            (
                "hold",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="end",
                    to="audit.legalhold",
                ),
            ),
            ("lifted_by", account()),
        ],
        options={
            "constraints": [
                models.CheckConstraint(condition=~Q(("reason", "")), name="hold_end_has_reason")
            ],
        },
    ),
    migrations.CreateModel(
        name="RetentionRun",
        fields=[
            ("id", number()),
            ("record_class", models.CharField(choices=list(CLASSES.items()), max_length=12)),
            ("source", name(null=True)),
            ("cutoff_at", models.DateTimeField()),
            ("reason", models.TextField()),
            (
                "state",
                models.CharField(choices=list(STATES.items()), default="running", max_length=8),
            ),
            ("started_at", models.DateTimeField(db_default=Now())),
            ("touched_at", models.DateTimeField(db_default=Now())),
            ("finished_at", models.DateTimeField(default=None, null=True)),
            ("item_count", models.BigIntegerField(default=0)),
            ("counts", models.JSONField(default=dict)),
            ("leaf_count", models.BigIntegerField(default=0)),
            ("root", models.BinaryField(default=None, null=True)),
            ("certificate", models.TextField(blank=True, default="")),
            ("sha256", models.BinaryField(default=None, null=True)),
            ("asked_by", account()),
            (
                "term",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="audit.retentionterm",
                ),
            ),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=Q(("state__in", list(STATES))), name="retention_run_state_known"
                ),
                models.CheckConstraint(
                    condition=Q(
                        Q(
                            ("finished_at__isnull", False),
                            ("root__isnull", False),
                            ("sha256__isnull", False),
                            ("state", "done"),
                        ),
                        Q(
                            Q(("state", "done"), _negated=True),
                            ("finished_at", None),
                            ("root", None),
                            ("sha256", None),
                        ),
                        _connector="OR",
                    ),
                    name="retention_run_done_with_a_certificate",
                ),
                models.CheckConstraint(
                    condition=~Q(("reason", "")), name="retention_run_has_reason"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="RetentionBatch",
        fields=[
            ("id", number()),
            ("items", keys()),
            ("deleted_at", models.DateTimeField(db_default=Now())),
            (
                "run",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="batches",
                    to="audit.retentionrun",
                ),
            ),
        ],
    ),
    migrations.CreateModel(
        name="RetentionDeletion",
        fields=[
            ("id", number()),
            ("kind", models.SmallIntegerField(choices=LeafKind.choices)),
            ("rows", keys()),
            (
                "batch",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="deletions",
                    to="audit.retentionbatch",
                ),
            ),
        ],
    ),
    migrations.CreateModel(
        name="DepartedVerdict",
        fields=[
            ("verdict", models.BigIntegerField(primary_key=True, serialize=False)),
            ("source", name()),
            ("hand_id", name()),
            ("number", models.IntegerField()),
            ("digest", models.BinaryField()),
        ],
    ),
)


def guards() -> list[migrations.RunSQL]:
    found = [
        trigger("append_only", table, f"BEFORE UPDATE OR DELETE ON @ {ROW}",
                "audit_refuse_rewrite()")
        for table in APPEND_ONLY
    ]  # fmt: skip
    found += [
        trigger("never_emptied", table, "BEFORE TRUNCATE ON @ FOR EACH STATEMENT",
                "audit_refuse_truncate()")
        for table in (*APPEND_ONLY, "audit_retentionrun")
    ]  # fmt: skip
    found += [
        trigger("announce", table,
                "AFTER INSERT ON @ REFERENCING NEW TABLE AS news FOR EACH STATEMENT",
                f"audit_announce({kind})")
        for kind, table in ANNOUNCED.items()
    ]  # fmt: skip
    run = "audit_retentionrun"
    return [
        *found,
        trigger("begins", run, f"BEFORE INSERT ON @ {ROW}", "audit_retention_run_begins()"),
        trigger("goes_on", run, f"BEFORE UPDATE ON @ {ROW}", "audit_retention_run_goes_on()"),
        trigger("never_deleted", run, f"BEFORE DELETE ON @ {ROW}", "audit_refuse_rewrite()"),
        trigger("announce", run,
                f"AFTER UPDATE OF state ON @ {ROW} WHEN (NEW.state = 'done')",
                "audit_announce_retention_run()"),
        trigger("due", "audit_retentionbatch", f"BEFORE INSERT ON @ {ROW}",
                "audit_retention_batch_due()"),
    ]  # fmt: skip


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0027_sharing"),
        ("audit", "0028_rulesets"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        *TABLES,
        *(
            made(statement)
            for statement in (
                IN_FORCE, HELD, KEEPS, RUN_BEGINS, RUN_GOES_ON, ANNOUNCE_RUN, BATCH_DUE,
                ITEM_OF, RELEASED,
            )
        ),
        migrations.RunSQL(
            REFUSE_REWRITE.format(release=RELEASE), REFUSE_REWRITE.format(release="")
        ),
        migrations.RunSQL(KEEP_REFUSAL.format(but=UNLESS), KEEP_REFUSAL.format(but="")),
        *guards(),
        *(
            migrations.RunSQL(f"CREATE INDEX {index} ON {what}", f"DROP INDEX {index}")
            for index, what in INDEXES.items()
        ),
        migrations.RunSQL(FREE_EARLIER, migrations.RunSQL.noop),
    )  # fmt: skip
