"""The statements of `storing` in an upload that was announced as a restatement, in the order in
which they run: `arrival` is filled as far as its versions."""

IS_RESTATEMENT = "SELECT restatement <> '' FROM audit_upload WHERE id = %(upload)s"

# Each line of the upload about a hand says that its version holds, but where the upload itself
# brought the hand.
MARK_SAYING = """
UPDATE arrival a SET says = true
FROM (
    SELECT DISTINCT ON (hand, version) position, hand, version FROM arrival
    WHERE hand <> new_hand ORDER BY hand, version, position
) first
WHERE a.position = first.position
    AND NOT EXISTS (
        SELECT FROM audit_restatement r
        WHERE r.hand_id = first.hand AND r.upload_id = %(upload)s AND r.version_id = first.version
    )
    AND NOT EXISTS (
        SELECT FROM audit_handversion v
        WHERE v.hand_id = first.hand AND v.number = 1 AND v.upload_id = %(upload)s
    )
"""

# The first of them puts it in force; one that says otherwise makes a conflict of the two, so that
# it does not matter which of them is judged first.
MARK_RESTATING = """
UPDATE arrival a SET restates = true, stands = true
FROM (
    SELECT DISTINCT ON (hand) position, hand FROM arrival WHERE says ORDER BY hand, position
) first
WHERE a.position = first.position
    AND NOT EXISTS (
        SELECT FROM audit_restatement r WHERE r.hand_id = first.hand AND r.upload_id = %(upload)s
    )
"""

COUNT_RESTATED = "SELECT count(*) FROM arrival WHERE says AND version = new_version"

INSERT_RESTATEMENTS = """
INSERT INTO audit_restatement (hand_id, version_id, replaced_id, upload_id, line)
SELECT a.hand, a.version, coalesce(
    (SELECT r.replaced_id FROM audit_restatement r
        WHERE r.hand_id = a.hand AND r.upload_id = %(upload)s LIMIT 1),
    h.version_id
), %(upload)s, a.line
FROM arrival a JOIN audit_hand h ON h.id = a.hand
WHERE a.says
ORDER BY a.hand, a.position
"""

END_CONFLICTS = """
UPDATE audit_hand h SET is_conflict = false, contending = NULL, contending_verdicts = NULL
FROM arrival a WHERE a.restates AND h.id = a.hand AND h.is_conflict
"""
