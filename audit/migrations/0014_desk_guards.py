"""What the database itself refuses at the desk.

Acts, claims, amounts, entries and files are only ever added; a membership only ends; what a remedy
says is set once; entries of a remedy balance; and a case never changes without an act that says
who did what. TRUNCATE is refused too, but for the emptying of a test database between tests.
"""

from django.db import migrations

APPEND_ONLY = (
    "audit_bulkact",
    "audit_caseact",
    "audit_caseamount",
    "audit_cause",
    "audit_claim",
    "audit_claimhand",
    "audit_remedyentry",
    "audit_remedyexport",
)
NEVER_DELETED = ("audit_case", "audit_casehand", "audit_remedy")

# A test asks for the refusal with `SET tilecourt.guard = 'on'`.
REFUSE_TRUNCATE = """
CREATE FUNCTION audit_desk_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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

MEMBER_ENDS = """
CREATE FUNCTION audit_desk_member_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.left_at IS NOT NULL OR NEW.left_at IS NULL
        OR to_jsonb(OLD) - 'left_at' <> to_jsonb(NEW) - 'left_at'
    THEN
        RAISE EXCEPTION 'a hand of a case only leaves it, once'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

REMEDY_GOES_ON = """
CREATE FUNCTION audit_desk_remedy_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (
        OLD.state = 'proposed' AND NEW.state IN ('approved', 'rejected')
        OR OLD.state = 'approved' AND NEW.state = 'exported'
            AND (OLD.settled_by_id, OLD.settled_at) = (NEW.settled_by_id, NEW.settled_at)
    ) OR (OLD.case_id, OLD.reason, OLD.proposed_by_id, OLD.proposed_at)
        <> (NEW.case_id, NEW.reason, NEW.proposed_by_id, NEW.proposed_at)
    THEN
        RAISE EXCEPTION 'a remedy is approved or rejected once, and exported once'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

ENTRY_IN_TIME = """
CREATE FUNCTION audit_desk_entry_in_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM audit_remedy WHERE id = NEW.remedy_id AND state = 'proposed') THEN
        RAISE EXCEPTION 'an entry comes too late for remedy %', NEW.remedy_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

# Checked at the end of the transaction, when all entries are there.
REMEDY_BALANCES = """
CREATE FUNCTION audit_desk_remedy_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wanted bigint := CASE TG_TABLE_NAME WHEN 'audit_remedy' THEN NEW.id
        ELSE (to_jsonb(NEW) ->> 'remedy_id')::bigint END;
BEGIN
    IF NOT EXISTS (SELECT FROM audit_remedyentry WHERE remedy_id = wanted) OR EXISTS (
        SELECT FROM audit_remedyentry WHERE remedy_id = wanted
        GROUP BY currency, minor_digits HAVING sum(amount_minor) <> 0
    )
    THEN
        RAISE EXCEPTION 'the entries of remedy % do not balance', wanted
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$
"""

CASE_BY_AN_ACT = """
CREATE FUNCTION audit_desk_case_by_an_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NOT EXISTS (
        SELECT FROM audit_caseact a WHERE a.case_id = NEW.id AND a.number = 1
    ) OR TG_OP = 'UPDATE' AND NOT EXISTS (
        SELECT FROM audit_caseact a
        WHERE a.case_id = NEW.id AND a.number = NEW.act_count AND a.state = NEW.state
            AND a.decision = NEW.decision AND a.assignee_id IS NOT DISTINCT FROM NEW.assignee_id
            AND a.taken_until IS NOT DISTINCT FROM NEW.taken_until
    ) OR TG_OP = 'UPDATE' AND (
        NEW.act_count < OLD.act_count OR NEW.revision < OLD.revision
        OR (OLD.cause_id, OLD.sequence, OLD.earlier_id, OLD.source, OLD.opened_at, OLD.due_at)
            IS DISTINCT FROM
            (NEW.cause_id, NEW.sequence, NEW.earlier_id, NEW.source, NEW.opened_at, NEW.due_at)
    )
    THEN
        RAISE EXCEPTION 'case % changes only by an act', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$
"""


def made(statement: str, kind: str, name: str, table: str = "") -> migrations.RunSQL:
    on = f" ON {table}" if table else "()"
    return migrations.RunSQL(statement, f"DROP {kind} {name}{on}")


def trigger(name: str, table: str, when: str, function: str) -> migrations.RunSQL:
    return made(
        f"CREATE {when.format(table=table)} EXECUTE FUNCTION {function}()".replace("@", name),
        "TRIGGER",
        name,
        table,
    )


ROW = "TRIGGER @ BEFORE {} ON {{table}} FOR EACH ROW"
AT_COMMIT = "CONSTRAINT TRIGGER @ AFTER {} ON {{table}} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
REFUSED = "audit_refuse_rewrite"


class Migration(migrations.Migration):
    dependencies = (("audit", "0013_desk"),)

    operations = (
        made(REFUSE_TRUNCATE, "FUNCTION", "audit_desk_refuse_truncate"),
        made(MEMBER_ENDS, "FUNCTION", "audit_desk_member_ends"),
        made(REMEDY_GOES_ON, "FUNCTION", "audit_desk_remedy_goes_on"),
        made(ENTRY_IN_TIME, "FUNCTION", "audit_desk_entry_in_time"),
        made(REMEDY_BALANCES, "FUNCTION", "audit_desk_remedy_balances"),
        made(CASE_BY_AN_ACT, "FUNCTION", "audit_desk_case_by_an_act"),
        *(
            trigger("append_only", table, ROW.format("UPDATE OR DELETE"), REFUSED)
            for table in APPEND_ONLY
        ),
        *(
            trigger("never_deleted", table, ROW.format("DELETE"), REFUSED)
            for table in NEVER_DELETED
        ),
        *(
            trigger(
                "never_emptied",
                table,
                "TRIGGER @ BEFORE TRUNCATE ON {table} FOR EACH STATEMENT",
                "audit_desk_refuse_truncate",
            )
            for table in (*APPEND_ONLY, *NEVER_DELETED)
        ),
        trigger("only_ends", "audit_casehand", ROW.format("UPDATE"), "audit_desk_member_ends"),
        trigger("goes_on", "audit_remedy", ROW.format("UPDATE"), "audit_desk_remedy_goes_on"),
        trigger("in_time", "audit_remedyentry", ROW.format("INSERT"), "audit_desk_entry_in_time"),
        trigger(
            "balances", "audit_remedy", AT_COMMIT.format("INSERT"), "audit_desk_remedy_balances"
        ),
        trigger(
            "balances",
            "audit_remedyentry",
            AT_COMMIT.format("INSERT"),
            "audit_desk_remedy_balances",
        ),
        trigger(
            "by_an_act",
            "audit_case",
            AT_COMMIT.format("INSERT OR UPDATE"),
            "audit_desk_case_by_an_act",
        ),
    )
