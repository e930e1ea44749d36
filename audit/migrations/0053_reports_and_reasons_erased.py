"""An erasure reaches reports that were made, and what people and programs wrote.

Rows are rewritten under an act as before: only while it runs, only what it has put on record where
the row is a leaf, and only in the columns that can hold a name or a hash of one.
"""

from django.db import migrations

# Table, kind of leaf (0: it has none), and the columns that an erasure may rewrite.
BEFORE = (
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
# The journal has had leaves since migration 0045.
NOW = (
    *(one for one in BEFORE if one[0] != "audit_journal"),
    ("audit_acceptedsoftware", 10, "reason"),
    ("audit_report", 30, "parameters,series,body_sha256,json,csv,pdf,pdf_maker,note"),
    ("audit_retentionterm", 31, "reason"),
    ("audit_legalhold", 32, "reason"),
    ("audit_holdend", 33, "reason"),
    ("audit_retentionrun", 34, "reason,certificate,sha256"),
    ("audit_erasure", 37, "reason,ground"),
    ("audit_journal", 50, "player,subject,detail"),
    ("audit_review", 52, "note"),
    ("audit_incident", 70, "place,detail"),
    ("audit_rulesetrevision", 80, "reason,publish_reason,unrehearsed_reason,close_reason"),
    ("audit_rulesetswitch", 82, "reason"),
    ("audit_reaudit", 0, "reason,filter,filter_text,error"),
    ("audit_reauditfault", 0, "reason"),
    ("audit_remedy", 0, "reason"),
    ("audit_sharelink", 0, "reason"),
    ("audit_webhookattempt", 0, "answer,error"),
)

MAY_REWRITE = """
CREATE OR REPLACE FUNCTION audit_is_erased(relation oid, before jsonb, after jsonb) RETURNS boolean
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
    FROM (VALUES {values}) v (name, kind, names)
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
"""
# These have guards of their own, which an act passes. Trigger, table, function.
PASSED = (
    ("only_ends", "audit_sharelink", "audit_share_link_ends"),
    ("goes_on", "audit_remedy", "audit_desk_remedy_goes_on"),
    ("goes_on", "audit_retentionrun", "audit_retention_run_goes_on"),
    ("goes_on", "audit_erasure", "audit_erasure_goes_on"),
    ("goes_on", "audit_rulesetrevision", "audit_ruleset_goes_on"),
)


def may_rewrite(tables: tuple[tuple[str, int, str], ...]) -> str:
    values = ", ".join(f"('{table}', {kind}, '{{{names}}}')" for table, kind, names in tables)
    return MAY_REWRITE.format(values=values)


def guard(name: str, table: str, function: str, *, is_passed: bool) -> str:
    when = (
        f" WHEN (NOT audit_is_erased('{table}'::regclass, to_jsonb(OLD), to_jsonb(NEW)))"
        if is_passed
        else ""
    )
    return (
        f"DROP TRIGGER {name} ON {table};"
        f" CREATE TRIGGER {name} BEFORE UPDATE ON {table}"
        f" FOR EACH ROW{when} EXECUTE FUNCTION {function}();"
    )


BEGINS = (
    "CREATE TRIGGER begins BEFORE INSERT ON audit_rulesetrevision"
    " FOR EACH ROW EXECUTE FUNCTION audit_ruleset_goes_on()"
)


class Migration(migrations.Migration):
    dependencies = (("audit", "0052_deleted_by_two"),)

    operations = (
        migrations.RunSQL(may_rewrite(NOW), may_rewrite(BEFORE)),
        # Its guard stood before both an insertion and a change.
        migrations.RunSQL(BEGINS, "DROP TRIGGER begins ON audit_rulesetrevision"),
        *(
            migrations.RunSQL(
                guard(name, table, function, is_passed=True),
                guard(name, table, function, is_passed=False),
            )
            for name, table, function in PASSED
        ),
    )
