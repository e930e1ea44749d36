"""Forgetting a person: the vault, acts of erasure, and the guards that let one rewrite rows.

A row of evidence may be rewritten only inside of an act that is running (`tilecourt.erasure` names
it), only where the act has put the row on record, and only in the columns that can hold a name or
a hash of one.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from audit.models import LeafKind

ERASURE, ERASED_ROW = 37, 38

# Table, kind of leaf (0: it has none), and the columns that an erasure may rewrite.
REWRITTEN = (
    ("audit_handversion", 1, "raw,sha256"),
    ("audit_verdict", 2, "settlement,digest"),
    ("audit_finding", 3, "subject"),
    ("audit_comparison", 4, "digest"),
    ("audit_comparisonfinding", 5, "subject"),
    ("audit_duplicate", 7, "raw,sha256"),
    ("audit_refusal", 8, "raw,sha256,reason"),
    ("audit_upload", 9, "name,restatement,sha256"),
    ("audit_certificate", 12, "facts,content,sha256"),
    ("audit_caseact", 13, "text"),
    ("audit_claim", 14, "player,text"),
    ("audit_remedyentry", 16, "player"),
    ("audit_remedyexport", 17, "csv,json"),
    ("audit_bulkact", 19, "reason"),
    ("audit_namedecision", 20, "name,other,reason"),
    ("audit_caseamount", 0, "player"),
    ("audit_journal", 0, "player,subject,detail"),
    ("audit_reauditamount", 0, "player"),
    ("audit_reauditresult", 0, "settlement,digest"),
)
_VALUES = ", ".join(f"('{table}', {kind}, '{{{names}}}')" for table, kind, names in REWRITTEN)

MAY_REWRITE = f"""
CREATE FUNCTION audit_is_erased(relation oid, before jsonb, after jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    act bigint := nullif(current_setting('tilecourt.erasure', true), '')::bigint;
    known record;
BEGIN
    IF act IS NULL OR NOT EXISTS (
        SELECT FROM audit_erasure WHERE id = act AND state = 'running'
    ) THEN
        RETURN false;
    END IF;
    SELECT v.kind, v.names::text[] AS names INTO known
    FROM (VALUES {_VALUES}) v (name, kind, names)
    WHERE v.name = (
        SELECT c.relname FROM pg_class c
        WHERE c.oid = coalesce(
            (SELECT inhparent FROM pg_inherits WHERE inhrelid = relation), relation
        )
    );
    RETURN FOUND AND before - known.names = after - known.names AND (
        known.kind = 0 OR EXISTS (
            SELECT FROM audit_erasedrow e
            WHERE e.erasure_id = act AND e.kind = known.kind
                AND e.row = (before ->> 'id')::bigint
        )
    );
END
$$
"""  # noqa: S608 - from constants

REFUSE_REWRITE = """
CREATE OR REPLACE FUNCTION audit_refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND audit_is_released(TG_RELID, to_jsonb(OLD)) THEN
        RETURN OLD;
    END IF;
    {but}RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$
"""
BUT = """IF TG_OP = 'UPDATE' AND audit_is_erased(TG_RELID, to_jsonb(OLD), to_jsonb(NEW)) THEN
        RETURN NEW;
    END IF;
    """

ERASURE_GOES_ON = """
CREATE FUNCTION audit_erasure_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'done'
        OR (OLD.source, OLD.token, OLD.reason, OLD.ground, OLD.asked_by_id, OLD.started_at)
            IS DISTINCT FROM
            (NEW.source, NEW.token, NEW.reason, NEW.ground, NEW.asked_by_id, NEW.started_at)
    THEN
        RAISE EXCEPTION 'an erasure only goes on, and ends once'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

# A row is put on record before it is rewritten, and summed up behind that, once.
ROW_SUMMED_UP = """
CREATE FUNCTION audit_erased_row_summed_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.sha256 <> '' OR to_jsonb(OLD) - 'sha256' <> to_jsonb(NEW) - 'sha256' THEN
        RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

ANNOUNCE_ERASURE = f"""
CREATE FUNCTION audit_announce_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_sealpending (kind, rows) VALUES ({ERASURE}, ARRAY[NEW.id]);
    RETURN NULL;
END
$$
"""  # noqa: S608 - from constants


def made(statement: str) -> migrations.RunSQL:
    name = statement.split("CREATE FUNCTION ", 1)[1].split("(", 1)[0]
    return migrations.RunSQL(statement, f"DROP FUNCTION {name}")


def trigger(name: str, table: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when.replace('@', table)} EXECUTE FUNCTION {what}",
        f"DROP TRIGGER {name} ON {table}",
    )


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def name() -> "models.CharField[Any, Any]":
    return models.CharField(db_collation="C", max_length=128)


def kind() -> "models.SmallIntegerField[Any, Any]":
    return models.SmallIntegerField(choices=LeafKind.choices)


ROW = "FOR EACH ROW"
TABLES = (
    migrations.CreateModel(
        name="NameSalt",
        fields=[
            ("id", number()),
            ("source", name()),
            ("name", name()),
            ("salt", models.BinaryField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("source", "name"), name="name_salt_once")
            ],
        },
    ),
    migrations.CreateModel(
        name="RowSalt",
        fields=[
            ("id", number()),
            ("kind", kind()),
            ("row", models.BigIntegerField()),
            ("salt", models.BinaryField()),
        ],
        options={
            "constraints": [models.UniqueConstraint(fields=("kind", "row"), name="row_salt_once")],
        },
    ),
    migrations.CreateModel(
        name="Erasure",
        fields=[
            ("id", number()),
            ("source", name()),
            ("token", models.CharField(db_collation="C", max_length=64)),
            ("reason", models.TextField()),
            ("ground", models.TextField()),
            (
                "state",
                models.CharField(
                    choices=[("running", "Running"), ("done", "Done")],
                    default="running",
                    max_length=8,
                ),
            ),
            ("started_at", models.DateTimeField(db_default=Now())),
            ("finished_at", models.DateTimeField(default=None, null=True)),
            ("counts", models.JSONField(default=dict)),
            ("left", models.JSONField(default=dict)),
            (
                "asked_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("source", "token"), name="erasure_once"),
                models.CheckConstraint(
                    condition=Q(("state__in", ["running", "done"])), name="erasure_state_known"
                ),
                models.CheckConstraint(
                    condition=Q(Q(("reason", ""), _negated=True), Q(("ground", ""), _negated=True)),
                    name="erasure_has_reason",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="ErasedRow",
        fields=[
            ("id", number()),
            ("kind", kind()),
            ("row", models.BigIntegerField()),
            ("kept", models.JSONField()),
            ("sha256", models.BinaryField()),
            (
                "erasure",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="rows",
                    to="audit.erasure",
                ),
            ),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("erasure", "kind", "row"), name="erased_row_once")
            ],
            "indexes": [models.Index(fields=["kind", "row", "-id"], name="erased_row_newest")],
        },
    ),
)


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0030_webhooks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.AddField(
            model_name="sealedleaf",
            name="form",
            field=models.SmallIntegerField(db_default=1),
        ),
        migrations.AddField(
            model_name="departedverdict",
            name="ruleset_sha256",
            field=models.BinaryField(default=b""),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="departedverdict",
            name="engine",
            field=models.CharField(default="", max_length=32),
            preserve_default=False,
        ),
        *TABLES,
        *(
            made(statement)
            for statement in (MAY_REWRITE, ERASURE_GOES_ON, ROW_SUMMED_UP, ANNOUNCE_ERASURE)
        ),
        migrations.RunSQL(REFUSE_REWRITE.format(but=BUT), REFUSE_REWRITE.format(but="")),
        trigger("goes_on", "audit_erasure", f"BEFORE UPDATE ON @ {ROW}", "audit_erasure_goes_on()"),
        trigger(
            "never_deleted", "audit_erasure", f"BEFORE DELETE ON @ {ROW}", "audit_refuse_rewrite()"
        ),
        trigger(
            "announce",
            "audit_erasure",
            f"AFTER UPDATE OF state ON @ {ROW} WHEN (NEW.state = 'done')",
            "audit_announce_erasure()",
        ),
        trigger(
            "never_deleted",
            "audit_erasedrow",
            f"BEFORE DELETE ON @ {ROW}",
            "audit_refuse_rewrite()",
        ),
        trigger(
            "summed_up",
            "audit_erasedrow",
            f"BEFORE UPDATE ON @ {ROW}",
            "audit_erased_row_summed_up()",
        ),
        trigger(
            "announce",
            "audit_erasedrow",
            "AFTER INSERT ON @ REFERENCING NEW TABLE AS news FOR EACH STATEMENT",
            f"audit_announce({ERASED_ROW})",
        ),
        *(
            trigger(
                "never_emptied",
                table,
                "BEFORE TRUNCATE ON @ FOR EACH STATEMENT",
                "audit_refuse_truncate()",
            )
            for table in ("audit_erasure", "audit_erasedrow")
        ),
    )
