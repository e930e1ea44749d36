"""Two people are needed to delete: the database says so, too, and messages about what was deleted
are forgotten with it.

Whoever set a term begins no run by it. What was under a hold that whoever deletes has lifted stays,
and so does what was under one that was lifted after the run began: somebody else begins another.
"""

from django.db import migrations

RUN_BEGINS = """
CREATE OR REPLACE FUNCTION audit_retention_run_begins() RETURNS trigger LANGUAGE plpgsql AS $$
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
    {another}RETURN NEW;
END
$$
"""
ANOTHER = """IF EXISTS (
        SELECT FROM audit_retentionterm WHERE id = NEW.term_id AND set_by_id = NEW.asked_by_id
    ) THEN
        RAISE EXCEPTION 'whoever set term % does not delete by it', NEW.term_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    """

# What came after a hold was lifted was never under it.
LIFTED = """
CREATE FUNCTION audit_is_lifted(
    of_source text, of_hand bigint, of_case bigint, received timestamptz, deleter bigint,
    since timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM audit_legalhold l JOIN audit_holdend e ON e.hold_id = l.id
        WHERE l.source = of_source COLLATE "C"
            AND (l.hand_id IS NULL AND l.case_id IS NULL OR l.hand_id = of_hand
                OR l.case_id = of_case)
            AND received <= e.lifted_at
            AND (e.lifted_by_id = deleter OR e.lifted_at > since)
    )
$$
"""

STAYS = """
CREATE FUNCTION audit_retention_stays(
    of_class text, of_source text, cutoff timestamptz, item bigint, deleter bigint,
    since timestamptz
) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    found text := audit_retention_keeps(of_class, of_source, cutoff, item);
    is_lifted boolean;
BEGIN
    IF found IS NOT NULL THEN
        RETURN found;
    ELSIF of_class = 'hands' AND of_source IS NOT NULL THEN
        is_lifted := audit_is_lifted(of_source, item, NULL, (
            SELECT min(created_at) FROM audit_handversion WHERE hand_id = item
        ), deleter, since);
    ELSIF of_class = 'hands' THEN
        is_lifted := EXISTS (
            SELECT FROM audit_refusal r JOIN audit_upload u ON u.id = r.upload_id
            JOIN audit_uploadsource s ON s.upload_id = u.id
            WHERE r.id = item
                AND audit_is_lifted(s.source, NULL, NULL, u.created_at, deleter, since)
        );
    ELSIF of_class = 'cases' THEN
        is_lifted := EXISTS (
            SELECT FROM audit_case c LEFT JOIN audit_casehand m ON m.case_id = c.id
            WHERE c.id = item
                AND audit_is_lifted(of_source, m.hand_id, item, c.opened_at, deleter, since)
        );
    ELSIF of_class = 'journal' THEN
        is_lifted := EXISTS (
            SELECT FROM audit_journal j WHERE j.id = item
                AND audit_is_lifted(of_source, j.hand, NULL, j.at, deleter, since)
        );
    END IF;
    RETURN CASE WHEN is_lifted THEN 'lifted' END;
END
$$
"""

BATCH_DUE = """
CREATE OR REPLACE FUNCTION audit_retention_batch_due() RETURNS trigger LANGUAGE plpgsql AS $$
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
    SELECT item INTO kept FROM unnest(NEW.items) item WHERE {keeps} IS NOT NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% of the % is to be kept (%)', kept, run.record_class, {told}
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- The time of this transaction, in which alone the batch opens the way.
    NEW.deleted_at := now();
    RETURN NEW;
END
$$
"""
_KEEPS = "audit_retention_keeps(run.record_class, run.source, run.cutoff_at, {item})"
_STAYS = (
    "audit_retention_stays(run.record_class, run.source, run.cutoff_at, {item},"
    " run.asked_by_id, run.started_at)"
)

# What a receiver answered may repeat the message, so it goes where the message goes.
KEEP_ATTEMPT = """
CREATE FUNCTION audit_keep_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    batch bigint := nullif(current_setting('tilecourt.retention_batch', true), '')::bigint;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF audit_is_erased(TG_RELID, to_jsonb(OLD), to_jsonb(NEW))
            OR NEW.answer = '' AND to_jsonb(OLD) - 'answer' = to_jsonb(NEW) - 'answer'
            AND EXISTS (
                SELECT FROM audit_retentionbatch b JOIN audit_retentionrun r ON r.id = b.run_id
                WHERE b.id = batch AND b.deleted_at = now() AND r.state = 'running'
                    AND r.record_class = 'hands'
            )
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$
"""
TOLD_LEAVES = """
CREATE FUNCTION audit_told_leaves(body text) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg((one ->> 'leaf')::bigint), '{}')
    FROM jsonb_array_elements(body::jsonb -> 'findings') one
$$
"""
_ATTEMPTS = (
    "DROP TRIGGER guard_before_update_or_delete ON audit_webhookattempt;"
    " CREATE TRIGGER guard_before_update_or_delete BEFORE UPDATE OR DELETE ON audit_webhookattempt"
    " FOR EACH ROW EXECUTE FUNCTION {}()"
)


def due(keeps: str) -> str:
    return BATCH_DUE.format(keeps=keeps.format(item="item"), told=keeps.format(item="kept"))


class Migration(migrations.Migration):
    dependencies = (("audit", "0051_webhook_owners"),)

    operations = (
        migrations.RunSQL(RUN_BEGINS.format(another=ANOTHER), RUN_BEGINS.format(another="")),
        migrations.RunSQL(
            LIFTED,
            "DROP FUNCTION audit_is_lifted(text, bigint, bigint, timestamptz, bigint, timestamptz)",
        ),
        migrations.RunSQL(
            STAYS,
            "DROP FUNCTION audit_retention_stays("
            "text, text, timestamptz, bigint, bigint, timestamptz)",
        ),
        migrations.RunSQL(due(_STAYS), due(_KEEPS)),
        migrations.RunSQL(TOLD_LEAVES, "DROP FUNCTION audit_told_leaves(text)"),
        migrations.RunSQL(
            "CREATE INDEX delivery_by_told_leaf ON audit_webhookdelivery"
            " USING gin (audit_told_leaves(body))",
            "DROP INDEX delivery_by_told_leaf",
        ),
        migrations.RunSQL(KEEP_ATTEMPT, "DROP FUNCTION audit_keep_attempt()"),
        migrations.RunSQL(
            _ATTEMPTS.format("audit_keep_attempt"), _ATTEMPTS.format("audit_refuse_rewrite")
        ),
    )
