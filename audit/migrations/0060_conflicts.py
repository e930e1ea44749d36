"""A hand in conflict names the versions that claim to be it, and shows what is said of all of them.

Hands that are in conflict already keep the record that stands for them, which was the first to
come; the versions that contend are those since the last restatement.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

CONTENDING = """
UPDATE audit_hand h SET contending = c.versions
FROM (
    SELECT o.id, array_agg(v.id ORDER BY v.id <> o.version_id, v.number) AS versions
    FROM audit_hand o
    JOIN audit_handversion v ON v.hand_id = o.id AND (
        v.id = o.version_id OR v.created_at >= coalesce(
            (SELECT max(r.created_at) FROM audit_restatement r WHERE r.hand_id = o.id), '-infinity'
        )
    )
    WHERE o.is_conflict
    GROUP BY o.id
) c
WHERE h.id = c.id
"""

GRAVEST = "ARRAY['discrepant', 'consistent', 'clean', 'void']"

# As `audit.services.conflicts` has it.
SETTLE = f"""
UPDATE audit_hand h SET
    verdict_kind = r.kind, error_code = '', finding_codes = f.codes, finding_count = f.number,
    contending_verdicts = r.verdicts
FROM audit_hand o
CROSS JOIN LATERAL (
    SELECT
        ({GRAVEST})[min(array_position({GRAVEST}, coalesce(c.kind, w.kind)::text))] AS kind,
        array_agg(w.id ORDER BY one.position) AS verdicts
    FROM unnest(o.contending) WITH ORDINALITY AS one (version, position)
    CROSS JOIN LATERAL (
        SELECT v.id, v.kind FROM audit_verdict v WHERE v.version_id = one.version
        ORDER BY (v.id = o.verdict_id) DESC, v.id DESC LIMIT 1
    ) w
    LEFT JOIN audit_comparison c ON c.id = o.comparison_id AND c.verdict_id = w.id
) r
CROSS JOIN LATERAL (
    SELECT
        count(*)::int4 AS number,
        coalesce(array_agg(DISTINCT found.code COLLATE "C"), '{{}}') AS codes
    FROM (
        SELECT g.code FROM unnest(r.verdicts) AS told (verdict)
        JOIN audit_finding g ON g.verdict_id = told.verdict
        UNION ALL
        SELECT code FROM audit_comparisonfinding WHERE comparison_id = o.comparison_id
    ) found
) f
WHERE h.id = o.id AND o.is_conflict
"""  # noqa: S608 - from constants


def keys() -> "ArrayField[list[int], list[int] | None]":
    return ArrayField(base_field=models.BigIntegerField(), default=None, null=True, size=None)


class Migration(migrations.Migration):
    dependencies = (("audit", "0059_journal_refused"),)

    operations = (
        migrations.AddField(model_name="hand", name="contending", field=keys()),
        migrations.AddField(model_name="hand", name="contending_verdicts", field=keys()),
        migrations.AddField(model_name="docket", name="contending_verdicts", field=keys()),
        migrations.RunSQL([CONTENDING, SETTLE], migrations.RunSQL.noop),
    )
