"""The statements of a re-audit: what is judged, then those of `reauditing_storing` in the order in
which they run.

`judged` holds the hand versions of one batch as they were judged again. `before` is the verdict
that stood for the version until now, `after` the one that was reached. A verdict is looked up with
its version, whose key tells the database the month (ADR 6).
"""

JUDGED = (
    ("position", "int4"),
    ("version", "int8"),
    ("hand", "int8"),
    ("ruleset", "text"),
    ("ruleset_sha256", "bytea"),
    ("engine", "text"),
    ("kind", "text"),
    ("settlement", "text"),
    ("digest", "bytea"),
    ("code", "text"),
    ("codes", "text"),
    ("finding_codes", "text"),
    ("finding_count", "int4"),
    ("source", "text"),
    ("game", "text"),
    ("table", "text"),
    ("players", "text"),
    ("played_at", "timestamptz"),
    ("played_on", "date"),
    ("started_at", "text"),
    ("currency", "text"),
    ("minor_digits", "int2"),
)
FOUND = (
    ("position", "int4"),
    ("number", "int4"),
    ("code", "text"),
    ("severity", "text"),
    ("event", "int4"),
    ("seat", "int2"),
    ("subject", "text"),
    ("logged", "text"),
    ("expected", "text"),
    ("rule", "text"),
    ("confidence", "text"),
    ("follows", "bool"),
    ("explained_by", "text"),
    ("message", "text"),
)


# What is to be judged, with what is known of it. Hands, versions and verdicts lie in one month, and
# each table is told which. The limits keep the planner at one look into each index for each row, in
# the order of the rows: the first are there at once, and others are found while those are judged.
# Keys come out of a query of their own: an array that the planner sees it weighs key by key, which
# takes longer than reading the rows.
VERSIONS = """
SELECT
    v.id, v.hand_id, h.source, h.hand_id, v.upload_id, u.feed, v.line, v.raw, h.version_id,
    h.ruleset_sha256, h.engine, h.digest, h.ruleset
FROM audit_handversion v
CROSS JOIN LATERAL (
    SELECT h.source, h.hand_id, h.version_id, h.ruleset, d.ruleset_sha256, d.engine, d.digest
    FROM audit_hand h
    JOIN audit_verdict d ON d.id = h.verdict_id AND d.version_id = h.version_id
    WHERE h.id = v.hand_id
        AND h.id BETWEEN %(first)s AND %(last)s
        AND d.version_id BETWEEN %(first)s AND %(last)s
    LIMIT 1
) h
CROSS JOIN LATERAL (SELECT u.feed FROM audit_upload u WHERE u.id = v.upload_id LIMIT 1) u
WHERE v.id = ANY((SELECT %(versions)s::int8[])::int8[])
    AND v.hand_id BETWEEN %(first)s AND %(last)s
ORDER BY v.id
"""

# Batches of versions, in the order in which they are given or came.
_FREEZE = """
INSERT INTO audit_reauditbatch (reaudit_id, rows, state, attempts, error)
SELECT %(reaudit)s, array_agg(version ORDER BY place), 'queued', 0, ''
FROM ({found}) found
GROUP BY (place - 1) / %(size)s
ORDER BY (place - 1) / %(size)s
RETURNING cardinality(rows)
"""
FREEZE_VERSIONS = _FREEZE.format(
    found="SELECT * FROM unnest(%(versions)s::int8[]) WITH ORDINALITY AS given (version, place)"
)
FREEZE_VERSIONS_OF_HANDS = _FREEZE.format(
    found="""
    SELECT v.id AS version, row_number() OVER (ORDER BY v.hand_id, v.number) AS place
    FROM audit_handversion v
    WHERE v.hand_id = ANY((SELECT %(hands)s::int8[])::int8[])
        AND v.hand_id BETWEEN %(first)s AND %(last)s
"""
)


def _columns(columns: tuple[tuple[str, str], ...]) -> str:
    exact = ' COLLATE "C"'
    return ", ".join(f'"{name}" {kind}{exact if kind == "text" else ""}' for name, kind in columns)


CREATE_JUDGED = f"""
CREATE TEMPORARY TABLE judged (
    {_columns(JUDGED)},
    before int8,
    after int8,
    is_current bool,
    is_new bool DEFAULT false,
    is_settled_otherwise bool,
    is_found_otherwise bool,
    kind_before text,
    code_before text
) ON COMMIT DROP
"""

CREATE_FOUND = f"CREATE TEMPORARY TABLE judged_finding ({_columns(FOUND)}) ON COMMIT DROP"

DROP_JUDGED = "DROP TABLE IF EXISTS judged, judged_finding"

# The planner knows nothing of a table that was filled just now, and a few thousand rows are always
# looked up faster than a store of millions is read.
LOOK_UP = "SET LOCAL enable_seqscan = off"
LOOK_AS_EVER = "SET LOCAL enable_seqscan = on"

_SPLIT = "coalesce(string_to_array({}, chr(31)), '{{}}')"

# In the order of their keys, as chunks and comparisons do.
LOCK_HANDS = """
SELECT h.id FROM audit_hand h
WHERE h.id IN (SELECT hand FROM judged) ORDER BY h.id FOR NO KEY UPDATE
"""

# What was said before, by the version itself and not against the hand before it; the verdict of a
# hand's current version is the one that the hand names. `after` where this verdict stands already.
COMPARE = """
UPDATE judged j SET
    is_current = s.is_current,
    before = b.id,
    after = CASE WHEN NOT %(rehearsal)s THEN w.id END,
    kind_before = b.kind,
    code_before = coalesce(f.error, ''),
    is_settled_otherwise = b.settlement IS DISTINCT FROM j.settlement::jsonb,
    is_found_otherwise = b.kind <> j.kind OR coalesce(f.codes, '') <> coalesce(j.codes, '')
FROM (
    SELECT
        i.position, i.version, i.ruleset_sha256, i.engine, h.version_id = i.version AS is_current,
        CASE WHEN h.version_id = i.version THEN h.verdict_id ELSE (
            SELECT o.id FROM audit_verdict o WHERE o.version_id = i.version
            ORDER BY o.id DESC LIMIT 1
        ) END AS before
    FROM judged i JOIN audit_hand h ON h.id = i.hand
) s
JOIN audit_verdict b ON b.id = s.before AND b.version_id = s.version
LEFT JOIN audit_verdict w
    ON w.version_id = s.version AND w.ruleset_sha256 = s.ruleset_sha256 AND w.engine = s.engine
LEFT JOIN LATERAL (
    SELECT
        string_agg(one.code, chr(31) ORDER BY one.position) AS codes,
        (array_agg(one.code ORDER BY one.position) FILTER (WHERE one.severity = 'error'))[1]
            AS error
    FROM audit_finding one WHERE one.verdict_id = b.id
) f ON true
WHERE s.position = j.position
"""

# -- only where the verdicts are to stand with the hands --------------------------------------

# The same engine under the same ruleset says the same of the same bytes, or something is broken.
FIND_BROKEN = """
SELECT j.version, w.digest, j.digest
FROM judged j JOIN audit_verdict w ON w.id = j.after AND w.version_id = j.version
WHERE w.digest <> j.digest
ORDER BY j.version
"""

DROP_BROKEN = "DELETE FROM judged WHERE version = ANY(%s)"

DRAW_VERDICTS = """
UPDATE judged SET after = audit_draw_beside(version, 'audit_verdict_id_seq'), is_new = true
WHERE after IS NULL
"""

INSERT_VERDICTS = """
INSERT INTO audit_verdict (
    id, version_id, ruleset, ruleset_sha256, engine, kind, settlement, digest
)
SELECT after, version, ruleset, ruleset_sha256, engine, kind, settlement::jsonb, digest
FROM judged WHERE is_new ORDER BY after
"""

INSERT_FINDINGS = f"""
INSERT INTO audit_finding (
    verdict_id, position, code, severity, event, seat, subject, logged, expected, rule, confidence,
    follows, explained_by, message
)
SELECT
    j.after, f.number, f.code, f.severity, f.event, f.seat, f.subject, f.logged, f.expected, f.rule,
    f.confidence, f.follows, {_SPLIT.format("f.explained_by")}, f.message
FROM judged_finding f JOIN judged j ON j.position = f.position
WHERE j.is_new
ORDER BY j.after, f.number
"""  # noqa: S608 - from constants

# Hands that had turned discrepant because of the hand before: with another verdict they have not.
FIND_TURNED = """
SELECT h.version_id
FROM judged j
JOIN audit_hand h ON h.id = j.hand AND h.version_id = j.version AND h.verdict_id <> j.after
JOIN audit_comparison c ON c.id = h.comparison_id
WHERE c.kind <> j.kind_before
"""

INSERT_TABLES = """
INSERT INTO audit_table (source, name)
SELECT DISTINCT source, name FROM (
    SELECT h.source, h."table" AS name
    FROM judged j JOIN audit_hand h ON h.id = j.hand
    WHERE j.is_current AND j.before <> j.after
    UNION
    SELECT j.source, j."table" FROM judged j WHERE j.is_current AND j.before <> j.after
) known
ORDER BY source, name
ON CONFLICT (source, name) DO NOTHING
"""

# Where the hands stand now, and where they will: elsewhere only if this engine reads the time or
# the table otherwise. Hands of a table that lie close together are one touch.
INSERT_TOUCHES = """
INSERT INTO audit_tabletouch (table_id, since, until)
SELECT table_id, min(at), max(at)
FROM (
    SELECT table_id, at, sum(is_apart) OVER (PARTITION BY table_id ORDER BY at) AS island
    FROM (
        SELECT
            t.id AS table_id, s.at,
            coalesce(
                (s.at - lag(s.at) OVER (PARTITION BY t.id ORDER BY s.at)
                    > interval '10 minutes')::int, 0
            ) AS is_apart
        FROM (
            SELECT h.source, h."table" AS name, h.played_at AS at
            FROM judged j JOIN audit_hand h ON h.id = j.hand
            WHERE j.is_current AND j.before <> j.after
            UNION
            SELECT j.source, j."table", j.played_at
            FROM judged j WHERE j.is_current AND j.before <> j.after
        ) s
        JOIN audit_table t ON t.source = s.source AND t.name = s.name
    ) apart
) islands
GROUP BY table_id, island
"""

JUDGED_HANDS = "SELECT hand FROM judged"

# What was found against the hand before was found for another verdict.
UPDATE_HANDS = f"""
UPDATE audit_hand h SET
    verdict_id = j.after, verdict_kind = j.kind, error_code = j.code, comparison_id = NULL,
    finding_codes = {_SPLIT.format("j.finding_codes")}, finding_count = j.finding_count,
    game = j.game, ruleset = j.ruleset, "table" = j."table",
    players = CASE WHEN h.is_conflict THEN h.players ELSE {_SPLIT.format("j.players")} END,
    played_at = j.played_at, played_on = j.played_on,
    started_at = j.started_at, currency = j.currency, minor_digits = j.minor_digits
FROM judged j
WHERE h.id = j.hand AND h.version_id = j.version AND h.verdict_id <> j.after
"""  # noqa: S608 - from constants

# -- for all ----------------------------------------------------------------------------------

_RESULT = """
INSERT INTO audit_reauditresult (
    reaudit_id, hand_id, version_id, before_id, after_id, is_current, is_flipped, is_changed,
    kind_before, code_before, kind, code, finding_count, settlement, digest
)
SELECT
    %(reaudit)s, hand, version, before, after, is_current,
    kind_before <> kind OR code_before <> code,
    is_settled_otherwise OR is_found_otherwise,
    kind_before, code_before, kind, code, finding_count, {settlement}, digest
FROM judged {condition}
ORDER BY position
"""

INSERT_CHANGES = _RESULT.format(
    settlement="NULL", condition="WHERE is_settled_otherwise OR is_found_otherwise"
)
INSERT_REHEARSED = _RESULT.format(settlement="settlement::jsonb", condition="")

COUNT = """
SELECT
    count(*) FILTER (WHERE is_new),
    count(*),
    count(*) FILTER (WHERE is_current AND (is_settled_otherwise OR is_found_otherwise)),
    count(*) FILTER (WHERE is_current AND (kind_before <> kind OR code_before <> code))
FROM judged
"""

# The settlements of both sides where they differ.
FIND_SETTLEMENTS = """
SELECT
    j.source, j."table", j.players, j.currency, j.minor_digits, b.settlement::text, j.settlement
FROM judged j JOIN audit_verdict b ON b.id = j.before AND b.version_id = j.version
WHERE j.is_current AND j.is_settled_otherwise
ORDER BY j.position
"""
