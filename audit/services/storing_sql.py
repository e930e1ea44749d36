"""The statements of `storing`, in the order in which they run.

`arrival` holds the hands of one chunk. Its ids are drawn beforehand, so that a hand can be
inserted with its version and its verdict at once; foreign keys are checked at the commit.

A key carries a month (ADR 6). Where a row is looked up by its key, what it belongs to is named
too, as far as it is known: by that the database finds its month.
"""

ARRIVAL = (
    ("position", "int4"),
    ("line", "int8"),
    ("source", "text"),
    ("hand_id", "text"),
    ("game", "text"),
    ("ruleset", "text"),
    ("table", "text"),
    ("players", "text"),
    ("played_at", "timestamptz"),
    ("played_on", "date"),
    ("started_at", "text"),
    ("currency", "text"),
    ("minor_digits", "int2"),
    ("kind", "text"),
    ("error_code", "text"),
    ("finding_codes", "text"),
    ("finding_count", "int4"),
    ("raw", "bytea"),
    ("sha256", "bytea"),
    ("ruleset_sha256", "bytea"),
    ("engine", "text"),
    ("settlement", "text"),
    ("digest", "bytea"),
)
FINDING = (
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
REFUSAL_TABLE = "audit_refusal"
REFUSAL = (
    ("upload_id", "int8"),
    ("line", "int8"),
    ("offset", "int8"),
    ("place", "text"),
    ("reason", "text"),
    ("raw", "bytea"),
    ("sha256", "bytea"),
    ("is_our_fault", "bool"),
)


def _columns(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(
        f'"{name}" {kind}{" COLLATE " + chr(34) + "C" + chr(34) if kind == "text" else ""}'
        for name, kind in columns
    )


# The planner knows nothing of a table that was filled just now, and a few thousand rows are always
# looked up faster than a store of millions is read.
LOOK_UP = "SET LOCAL enable_seqscan = off"
LOOK_AS_EVER = "SET LOCAL enable_seqscan TO DEFAULT"

CREATE_ARRIVAL = f"""
CREATE TEMPORARY TABLE arrival (
    {_columns(ARRIVAL)},
    new_hand int8 DEFAULT audit_draw('audit_hand_id_seq'),
    new_version int8 DEFAULT audit_draw('audit_handversion_id_seq'),
    new_verdict int8 DEFAULT audit_draw('audit_verdict_id_seq'),
    hand int8,
    version int8,
    same_as bytea,
    says bool DEFAULT false,
    restates bool DEFAULT false,
    stands bool DEFAULT false
) ON COMMIT DROP
"""

CREATE_ARRIVAL_FINDING = f"""
CREATE TEMPORARY TABLE arrival_finding ({_columns(FINDING)}) ON COMMIT DROP
"""

DROP_ARRIVAL = "DROP TABLE IF EXISTS arrival, arrival_finding"

_SPLIT = "coalesce(string_to_array({}, chr(31)), '{{}}')"

# Where another chunk is about to bring the same hands, this waits for it.
INSERT_IDENTITIES = """
INSERT INTO audit_identity (source, hand_id, key)
SELECT DISTINCT ON (source, hand_id) source, hand_id, new_hand
FROM arrival
ORDER BY source, hand_id, position
ON CONFLICT (source, hand_id) DO NOTHING
"""

INSERT_HANDS = f"""
INSERT INTO audit_hand (
    id, version_id, verdict_id, source, hand_id, game, ruleset, "table", players, played_at,
    played_on, started_at, currency, minor_digits, verdict_kind, error_code, finding_codes,
    finding_count, is_conflict
)
SELECT
    new_hand, new_version, new_verdict, source, hand_id, game, ruleset, "table",
    {_SPLIT.format("players")}, played_at, played_on, started_at, currency, minor_digits, kind,
    error_code, {_SPLIT.format("finding_codes")}, finding_count, false
FROM arrival a JOIN audit_identity i USING (source, hand_id)
WHERE i.key = a.new_hand
ORDER BY source, hand_id
"""  # noqa: S608 - from constants

# The hand that this arrival brought: its id is nobody else's.
INSERT_FIRST_VERSIONS = """
INSERT INTO audit_handversion (id, hand_id, number, raw, sha256, upload_id, line)
SELECT a.new_version, a.new_hand, 1, a.raw, a.sha256, %(upload)s, a.line
FROM arrival a JOIN audit_hand h ON h.id = a.new_hand
"""

# -- only where a hand was known before, or came twice in this chunk --------------------------

# What comes to a known hand lies in its month.
FIND_HANDS = """
UPDATE arrival a SET
    hand = i.key,
    new_version = ((i.key >> 40) << 40) | (a.new_version & 1099511627775),
    new_verdict = ((i.key >> 40) << 40) | (a.new_verdict & 1099511627775)
FROM audit_identity i WHERE i.source = a.source AND i.hand_id = a.hand_id
"""

# In the order of their keys. Those, too, that get a duplicate only: while they are locked none of
# them turns, which is what their lines are counted by.
LOCK_HANDS = """
SELECT h.id FROM audit_hand h
WHERE h.id IN (SELECT a.hand FROM arrival a WHERE a.hand <> a.new_hand)
ORDER BY h.id FOR NO KEY UPDATE
"""

# Bytes that are unknown under a known hand: they may say the same as known ones.
FIND_OTHER_BYTES = """
SELECT a.position, a.hand, a.sha256, a.raw
FROM arrival a
WHERE a.hand <> a.new_hand AND NOT EXISTS (
    SELECT FROM audit_handversion v WHERE v.hand_id = a.hand AND v.sha256 = a.sha256
)
ORDER BY a.position
"""

FIND_KNOWN_BYTES = """
SELECT v.hand_id, v.sha256, v.raw
FROM audit_handversion v WHERE v.hand_id = ANY(%s)
ORDER BY v.hand_id, v.number
"""

MARK_SAME = """
UPDATE arrival a SET same_as = s.sha256
FROM unnest(%s::int4[], %s::bytea[]) AS s (position, sha256)
WHERE a.position = s.position
"""

# Bytes with a name that was erased are not kept again.
FORGET_BYTES = "UPDATE arrival SET raw = NULL, sha256 = NULL WHERE position = ANY(%s)"

INSERT_OTHER_VERSIONS = """
INSERT INTO audit_handversion (id, hand_id, number, raw, sha256, upload_id, line)
SELECT
    other.new_version, other.hand,
    (SELECT max(v.number) FROM audit_handversion v WHERE v.hand_id = other.hand)
        + row_number() OVER (PARTITION BY other.hand ORDER BY other.position),
    other.raw, other.sha256, %(upload)s, other.line
FROM (
    SELECT DISTINCT ON (a.hand, a.sha256) a.*
    FROM arrival a
    WHERE a.same_as IS NULL AND NOT EXISTS (
        SELECT FROM audit_handversion v WHERE v.hand_id = a.hand AND v.sha256 = a.sha256
    )
    ORDER BY a.hand, a.sha256, a.position
) other
"""

FIND_VERSIONS = """
UPDATE arrival a SET version = v.id
FROM audit_handversion v
WHERE v.hand_id = a.hand AND v.sha256 = coalesce(a.same_as, a.sha256)
"""

ARRIVED = "SELECT hand FROM arrival WHERE hand IS NOT NULL"

# -- only where another version is to stand for its hand: a restated one, or that of a conflict ---

# One in conflict is told anew in any case: what it shows is of several records.
_OTHERWISE = "(h.version_id <> a.version OR h.is_conflict AND a.restates)"

# Where these hands stand so far.
INSERT_LEFT_TOUCHES = f"""
INSERT INTO audit_tabletouch (table_id, upload_id, since, until)
SELECT t.id, %(upload)s, min(h.played_at), max(h.played_at)
FROM arrival a
JOIN audit_hand h ON h.id = a.hand AND {_OTHERWISE}
JOIN audit_table t ON t.source = h.source AND t.name = h."table"
WHERE a.stands
GROUP BY t.id
"""  # noqa: S608 - from constants

# The versions that no longer hold and whose hands had turned: the kind of a comparison is that of
# the verdict and of what it found together.
FIND_TURNED_REPLACED = f"""
SELECT h.version_id
FROM arrival a
JOIN audit_hand h ON h.id = a.hand AND {_OTHERWISE}
JOIN audit_verdict o ON o.id = h.verdict_id AND o.version_id = h.version_id
JOIN audit_comparison c ON c.id = h.comparison_id
WHERE a.stands AND c.kind <> o.kind
"""  # noqa: S608 - from constants

# The verdict is the one reached just now, or for other bytes that say the same the latest.
PUT_IN_FORCE = f"""
UPDATE audit_hand h SET
    version_id = a.version, verdict_id = w.id, comparison_id = NULL, game = a.game,
    ruleset = a.ruleset, "table" = a."table", played_at = a.played_at, played_on = a.played_on,
    started_at = a.started_at, currency = a.currency, minor_digits = a.minor_digits,
    players = CASE WHEN a.restates THEN {_SPLIT.format("a.players")} ELSE h.players END,
    verdict_kind = w.kind,
    error_code = f.error, finding_codes = f.codes, finding_count = f.number
FROM arrival a
CROSS JOIN LATERAL (
    SELECT v.id, v.kind FROM audit_verdict v WHERE v.version_id = a.version
    ORDER BY (v.ruleset_sha256 = a.ruleset_sha256 AND v.engine = a.engine) DESC, v.id DESC
    LIMIT 1
) w
CROSS JOIN LATERAL (
    SELECT
        count(*)::int4 AS number,
        coalesce(array_agg(DISTINCT one.code COLLATE "C"), '{{}}') AS codes,
        coalesce(
            (array_agg(one.code ORDER BY one.position) FILTER (WHERE one.severity = 'error'))[1], ''
        ) AS error
    FROM audit_finding one WHERE one.verdict_id = w.id
) f
WHERE a.stands AND h.id = a.hand AND {_OTHERWISE}
"""  # noqa: S608 - from constants

# -- where a hand was known before, or came twice in this chunk -------------------------------

INSERT_DUPLICATES = """
INSERT INTO audit_duplicate (version_id, upload_id, line, raw, sha256)
SELECT
    a.version, %(upload)s, a.line,
    CASE WHEN a.same_as IS NOT NULL THEN a.raw END,
    CASE WHEN a.same_as IS NOT NULL THEN a.sha256 END
FROM arrival a WHERE a.version <> a.new_version
ORDER BY a.position
"""

# -- for all --------------------------------------------------------------------------------

# A verdict is of the bytes of its version: other bytes that say the same give none.
INSERT_VERDICTS = """
INSERT INTO audit_verdict (
    id, version_id, ruleset, ruleset_sha256, engine, kind, settlement, digest
)
SELECT DISTINCT ON (of_version, ruleset_sha256, engine)
    new_verdict, of_version, ruleset, ruleset_sha256, engine, kind, settlement::jsonb, digest
FROM (
    SELECT a.*, coalesce(a.version, a.new_version) AS of_version
    FROM arrival a WHERE a.same_as IS NULL
) arrived
ORDER BY of_version, ruleset_sha256, engine, position
ON CONFLICT (version_id, ruleset_sha256, engine) DO NOTHING
"""

# Findings of the verdicts that were inserted just now.
INSERT_FINDINGS = f"""
INSERT INTO audit_finding (
    verdict_id, position, code, severity, event, seat, subject, logged, expected, rule, confidence,
    follows, explained_by, message
)
SELECT
    w.id, f.number, f.code, f.severity, f.event, f.seat, f.subject, f.logged, f.expected, f.rule,
    f.confidence, f.follows, {_SPLIT.format("f.explained_by")}, f.message
FROM arrival_finding f
JOIN arrival a ON a.position = f.position
JOIN audit_verdict w
    ON w.id = a.new_verdict AND w.version_id = coalesce(a.version, a.new_version)
ORDER BY w.id, f.number
"""  # noqa: S608 - from constants

# Known bytes under another engine or ruleset file: the new verdict is to be the current one. Those
# of their hands that had turned discrepant because of the hand before.
FIND_TURNED = """
SELECT h.version_id
FROM arrival a
JOIN audit_verdict w ON w.id = a.new_verdict AND w.version_id = a.version
JOIN audit_hand h ON h.id = a.hand AND h.version_id = a.version AND h.verdict_id <> w.id
JOIN audit_verdict o ON o.id = h.verdict_id AND o.version_id = h.version_id
JOIN audit_comparison c ON c.id = h.comparison_id
WHERE c.kind <> o.kind
"""

# What was found against the hand before was found for another verdict.
UPDATE_CURRENT_VERDICTS = f"""
UPDATE audit_hand h SET
    verdict_id = w.id, verdict_kind = a.kind, error_code = a.error_code, comparison_id = NULL,
    finding_codes = {_SPLIT.format("a.finding_codes")}, finding_count = a.finding_count
FROM arrival a JOIN audit_verdict w ON w.id = a.new_verdict AND w.version_id = a.version
WHERE h.id = a.hand AND h.version_id = a.version AND h.verdict_id <> w.id
"""  # noqa: S608 - from constants

# Lines of this chunk that brought known bytes of a hand that has turned.
COUNT_TURNED = """
SELECT count(*)
FROM arrival a
JOIN audit_hand h ON h.id = a.hand AND h.version_id = a.version
JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_comparison c ON c.id = h.comparison_id
WHERE a.version <> a.new_version AND c.kind <> w.kind
"""

# -- the tables whose hands are to be compared: of new hands, and of those that stand otherwise --

# A table that only one of the records in a conflict names can be chosen, too, whichever came first.
INSERT_TABLES = """
INSERT INTO audit_table (source, name)
SELECT source, name
FROM (
    SELECT h.source, h."table" AS name
    FROM arrival a JOIN audit_hand h
        ON h.id = coalesce(a.hand, a.new_hand)
        AND (h.verdict_id = a.new_verdict OR a.restates OR a.stands)
    UNION
    SELECT a.source, a."table"
    FROM arrival a JOIN audit_hand h ON h.id = a.hand AND a.version = ANY(h.contending)
) known
ORDER BY source, name
ON CONFLICT (source, name) DO NOTHING
"""

INSERT_TOUCHES = """
INSERT INTO audit_tabletouch (table_id, upload_id, since, until)
SELECT t.id, %(upload)s, min(h.played_at), max(h.played_at)
FROM arrival a JOIN audit_hand h
    ON h.id = coalesce(a.hand, a.new_hand)
    AND (h.verdict_id = a.new_verdict OR a.restates OR a.stands)
JOIN audit_table t ON t.source = h.source AND t.name = h."table"
GROUP BY t.id
"""
