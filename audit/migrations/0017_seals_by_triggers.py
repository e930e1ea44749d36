"""What the database itself does for the log: it announces rows, and refuses to change them.

A trigger of a statement announces the rows that it added, so that whoever adds them need not know
of the log. A table that becomes partitioned keeps such a trigger on its parent: drop it before a
table is attached as a partition, and create it again on the parent.
"""

from django.db import migrations

# Kind of leaf (models.evidence.LeafKind) to table.
ANNOUNCED = {
    1: "audit_handversion",
    2: "audit_verdict",
    3: "audit_finding",
    4: "audit_comparison",
    5: "audit_comparisonfinding",
    6: "audit_restatement",
    7: "audit_duplicate",
    10: "audit_acceptedsoftware",
    11: "audit_softwarecheck",
    12: "audit_certificate",
    13: "audit_caseact",
    14: "audit_claim",
    15: "audit_claimhand",
    16: "audit_remedyentry",
    17: "audit_remedyexport",
    18: "audit_admission",
}
REFUSALS, UPLOADS = 8, 9
APPEND_ONLY = (
    "audit_sealedleaf",
    "audit_sealnode",
    "audit_treehead",
    "audit_acceptedsoftware",
    "audit_softwarecheck",
)
NEVER_EMPTIED = (
    *APPEND_ONLY,
    "audit_comparison",
    "audit_comparisonfinding",
    "audit_duplicate",
    "audit_finding",
    "audit_handversion",
    "audit_refusal",
    "audit_restatement",
    "audit_verdict",
)

ANNOUNCE = """
CREATE FUNCTION audit_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_sealpending (kind, rows)
    SELECT TG_ARGV[0]::int2, array_agg(id ORDER BY id)
    FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / 5000 AS part FROM news) parts
    GROUP BY part ORDER BY part;
    RETURN NULL;
END
$$
"""

# A file that is still arriving may be given up, and then its refused lines go with it: they are
# announced when it has come whole.
ANNOUNCE_REFUSALS = """
CREATE FUNCTION audit_announce_refusals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_sealpending (kind, rows)
    SELECT 8, array_agg(id ORDER BY id)
    FROM (
        SELECT r.id, (row_number() OVER (ORDER BY r.id) - 1) / 5000 AS part
        FROM news r JOIN audit_upload u ON u.id = r.upload_id AND u.sha256 IS NOT NULL
    ) parts
    GROUP BY part ORDER BY part;
    RETURN NULL;
END
$$
"""

ANNOUNCE_UPLOAD = """
CREATE FUNCTION audit_announce_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_sealpending (kind, rows) VALUES (9, ARRAY[NEW.id]);
    INSERT INTO audit_sealpending (kind, rows)
    SELECT 8, array_agg(id ORDER BY id)
    FROM (
        SELECT id, (row_number() OVER (ORDER BY id) - 1) / 5000 AS part
        FROM audit_refusal WHERE upload_id = NEW.id
    ) parts
    GROUP BY part ORDER BY part;
    RETURN NULL;
END
$$
"""

# Refused lines go only with a file that never came whole.
KEEP_REFUSAL = """
CREATE FUNCTION audit_keep_refusal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM audit_upload WHERE id = OLD.upload_id AND sha256 IS NOT NULL) THEN
        RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$
"""

REFUSE_TRUNCATE = """
CREATE FUNCTION audit_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The database of a test run is emptied between tests; there `SET tilecourt.guard = 'on'`
    -- asks for the refusal.
    IF current_database() LIKE 'test\\_%'
        AND coalesce(current_setting('tilecourt.guard', true), '') <> 'on'
    THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$
"""

KEPT_OF_UPLOAD = (
    "name", "received_by_id", "restatement", "feed", "byte_count", "sha256", "line_count",
    "created_at",
)  # fmt: skip
OLD_UPLOAD, NEW_UPLOAD = (
    ", ".join(f"{row}.{name}" for name in KEPT_OF_UPLOAD) for row in ("OLD", "NEW")
)

ROW, STATEMENT = "FOR EACH ROW", "FOR EACH STATEMENT"
REFUSE = "EXECUTE FUNCTION audit_refuse_rewrite()"
NEWS = f"REFERENCING NEW TABLE AS news {STATEMENT}"
IS_WHOLE = "OLD.sha256 IS NULL AND NEW.sha256 IS NOT NULL"
IS_REWRITTEN = f"OLD.sha256 IS NOT NULL AND ({OLD_UPLOAD}) IS DISTINCT FROM ({NEW_UPLOAD})"
IS_RENAMED = "(OLD.source, OLD.hand_id) IS DISTINCT FROM (NEW.source, NEW.hand_id)"

# Name, table, when, what.
TRIGGERS = (
    ("announce", "audit_refusal", "AFTER INSERT",
     f"{NEWS} EXECUTE FUNCTION audit_announce_refusals()"),
    ("announce", "audit_upload", "AFTER UPDATE OF sha256",
     f"{ROW} WHEN ({IS_WHOLE}) EXECUTE FUNCTION audit_announce_upload()"),
    ("kept", "audit_refusal", "BEFORE DELETE", f"{ROW} EXECUTE FUNCTION audit_keep_refusal()"),
    ("never_changed", "audit_refusal", "BEFORE UPDATE", f"{ROW} {REFUSE}"),
    ("kept", "audit_upload", "BEFORE DELETE", f"{ROW} WHEN (OLD.sha256 IS NOT NULL) {REFUSE}"),
    ("kept_as_received", "audit_upload", f"BEFORE UPDATE OF {', '.join(KEPT_OF_UPLOAD)}",
     f"{ROW} WHEN ({IS_REWRITTEN}) {REFUSE}"),
    ("kept", "audit_hand", "BEFORE DELETE", f"{ROW} {REFUSE}"),
    ("kept_identity", "audit_hand", "BEFORE UPDATE OF source, hand_id",
     f"{ROW} WHEN ({IS_RENAMED}) {REFUSE}"),
)  # fmt: skip


def function(statement: str) -> migrations.RunSQL:
    name = statement.split("CREATE FUNCTION ", 1)[1].split("(", 1)[0]
    return migrations.RunSQL(statement, f"DROP FUNCTION {name}()")


def trigger(name: str, table: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON {table} {what}", f"DROP TRIGGER {name} ON {table}"
    )


def announced(kind: int, table: str) -> migrations.RunSQL:
    what = f"{NEWS} EXECUTE FUNCTION audit_announce({kind})"
    return trigger("announce", table, "AFTER INSERT", what)


def announce_all(kind: int, table: str, condition: str = "true") -> migrations.RunSQL:
    """Announce the rows that stand there already."""
    return migrations.RunSQL(
        f"""
        INSERT INTO audit_sealpending (kind, rows)
        SELECT {kind}, array_agg(id ORDER BY id)
        FROM (
            SELECT id, (row_number() OVER (ORDER BY id) - 1) / 5000 AS part
            FROM {table} WHERE {condition}
        ) parts
        GROUP BY part ORDER BY part
        """,  # noqa: S608 - from constants
        "DELETE FROM audit_sealpending",
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0016_seals"),)

    operations = (
        *(
            function(statement)
            for statement in (
                ANNOUNCE, ANNOUNCE_REFUSALS, ANNOUNCE_UPLOAD, KEEP_REFUSAL, REFUSE_TRUNCATE,
            )
        ),
        *(announced(kind, table) for kind, table in ANNOUNCED.items()),
        *(trigger(*one) for one in TRIGGERS),
        *(
            trigger("append_only", table, "BEFORE UPDATE OR DELETE", f"{ROW} {REFUSE}")
            for table in APPEND_ONLY
        ),
        *(
            trigger(
                "never_emptied",
                table,
                "BEFORE TRUNCATE",
                f"{STATEMENT} EXECUTE FUNCTION audit_refuse_truncate()",
            )
            for table in NEVER_EMPTIED
        ),
        announce_all(UPLOADS, "audit_upload", "sha256 IS NOT NULL"),
        *(announce_all(kind, table) for kind, table in ANNOUNCED.items()),
        announce_all(
            REFUSALS,
            "audit_refusal",
            "upload_id IN (SELECT id FROM audit_upload WHERE sha256 IS NOT NULL)",
        ),
    )  # fmt: skip
