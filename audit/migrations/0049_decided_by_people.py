"""What the audit does with a case by itself leaves it as it was: a decision is always somebody's.

An act without an account has been of four harmless kinds from the beginning; now it also cannot say
that the case stands otherwise than after the act before it.
"""

from django.db import migrations

DECIDES_NOTHING = """
CREATE FUNCTION audit_desk_audit_decides_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before record;
BEGIN
    SELECT a.state, a.decision INTO before FROM audit_caseact a
    WHERE a.case_id = NEW.case_id AND a.number < NEW.number
    ORDER BY a.number DESC LIMIT 1;
    IF (NEW.state, NEW.decision)
        IS DISTINCT FROM (coalesce(before.state, 'open'), coalesce(before.decision, ''))
    THEN
        RAISE EXCEPTION 'nobody but a person decides case %', NEW.case_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$
"""


class Migration(migrations.Migration):
    dependencies = (("audit", "0048_never_emptied"),)

    operations = (
        migrations.RunSQL(DECIDES_NOTHING, "DROP FUNCTION audit_desk_audit_decides_nothing()"),
        migrations.RunSQL(
            "CREATE TRIGGER decides_nothing AFTER INSERT ON audit_caseact FOR EACH ROW"
            " WHEN (NEW.actor_id IS NULL) EXECUTE FUNCTION audit_desk_audit_decides_nothing()",
            "DROP TRIGGER decides_nothing ON audit_caseact",
        ),
    )
