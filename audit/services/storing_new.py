"""Storing a chunk whose hands are all new: COPY straight into the real tables, while it is judged.

Most chunks are such. Any other goes by `storing`, through a staging table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any

from django.db import IntegrityError, OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable, UniqueViolation

from audit.services.copying import (
    Columns,
    copy_rows,
    encoded_json,
    encoded_names,
    encoded_texts,
    fetch_rows,
)
from audit.services.outcomes import SEPARATOR, Outcomes
from audit.services.storing_sql import ARRIVAL
from audit.zstd import packed_line

HAND: Columns = (
    ("id", "int8"),
    ("version_id", "int8"),
    ("verdict_id", "int8"),
    ("source", "text"),
    ("hand_id", "text"),
    ("game", "text"),
    ("ruleset", "text"),
    ("table", "text"),
    ("players", "encoded"),
    ("played_at", "timestamptz"),
    ("played_on", "date"),
    ("started_at", "text"),
    ("currency", "text"),
    ("minor_digits", "int2"),
    ("verdict_kind", "text"),
    ("error_code", "text"),
    ("finding_codes", "encoded"),
    ("finding_count", "int4"),
    ("is_conflict", "bool"),
)
VERSION: Columns = (
    ("id", "int8"),
    ("hand_id", "int8"),
    ("number", "int4"),
    ("raw", "bytea"),
    ("sha256", "bytea"),
    ("upload_id", "int8"),
    ("line", "int8"),
)
VERDICT: Columns = (
    ("id", "int8"),
    ("version_id", "int8"),
    ("ruleset", "text"),
    ("ruleset_sha256", "bytea"),
    ("engine", "text"),
    ("kind", "text"),
    ("settlement", "encoded"),
    ("digest", "bytea"),
)
FINDING: Columns = (
    ("verdict_id", "int8"),
    ("position", "int4"),
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
    ("explained_by", "encoded"),
    ("message", "text"),
)

# The limit keeps the planner at one look into the index for each: a join it might turn round, in
# the hope of an early hit that never comes.
_IS_ANY_KNOWN = """
SELECT EXISTS (
    SELECT FROM unnest(%s::text[], %s::text[]) AS a (source, hand_id)
    CROSS JOIN LATERAL (
        SELECT FROM audit_identity i
        WHERE i.source = a.source COLLATE "C" AND i.hand_id = a.hand_id COLLATE "C"
        LIMIT 1
    ) known
)
"""
# What month it is is asked once: by that of the first key, which no hand gets.
_DRAW_IDS = """
WITH first AS MATERIALIZED (SELECT audit_draw('audit_hand_id_seq') AS key)
SELECT
    audit_draw_beside(key, 'audit_hand_id_seq'),
    audit_draw_beside(key, 'audit_handversion_id_seq'),
    audit_draw_beside(key, 'audit_verdict_id_seq')
FROM first, generate_series(1, %s)
"""
_INSERT_TABLES = """
INSERT INTO audit_table (source, name)
SELECT * FROM unnest(%s::text[], %s::text[])
ON CONFLICT (source, name) DO NOTHING
"""
_INSERT_TOUCHES = """
INSERT INTO audit_tabletouch (table_id, upload_id, since, until)
SELECT t.id, %s, a.since, a.until
FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[])
    AS a (source, name, since, until)
JOIN audit_table t ON t.source = a.source COLLATE "C" AND t.name = a.name COLLATE "C"
"""

# Within a piece the hands are taken in the order of their names, from piece to piece they are not.
# Who would have to wait for another chunk with the same hands therefore steps back, long before
# the database looks for two who wait for each other, and lets go of what it holds.
_STEP_BACK = "SET LOCAL lock_timeout = '500ms'"
_WAIT_AS_EVER = "SET LOCAL lock_timeout TO DEFAULT"

# So many hands go in at a time while others are judged. What a table is sent of them about fits
# into the buffer of a socket, so that sending waits for nobody.
PIECE_HANDS = 500

Row = tuple[Any, ...]
# Judges some more lines into the outcomes; returns whether there may be more.
JudgeOn = Callable[[], bool]
# Places in a row of `Outcomes.hands`, as `storing_sql.ARRIVAL` names them.
_PLACES = {name: place for place, (name, _) in enumerate(ARRIVAL)}
_POSITION, _LINE, _SOURCE = (_PLACES[name] for name in ("position", "line", "source"))
_RULESET, _TABLE, _PLAYERS, _PLAYED_AT = (
    _PLACES[name] for name in ("ruleset", "table", "players", "played_at")
)
_KIND, _CODES, RAW, _SHA256 = (_PLACES[name] for name in ("kind", "finding_codes", "raw", "sha256"))
# By what a hand is known.
_NAME = itemgetter(_SOURCE, _PLACES["hand_id"])


def store_new_hands(upload_id: int, outcomes: Outcomes, judge_on: JudgeOn | None = None) -> bool:
    """Store hands with their versions, verdicts, findings and touches, if all hands are new.

    Returns whether they were; else nothing is stored. With `judge_on` more hands are to come: they
    go in piece by piece, and while the database takes in one the next is judged. It stops at the
    first that is known; what is behind that may not have been judged yet.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if judge_on is not None:
                cursor.execute(_STEP_BACK)
            if not _store_pieces(cursor, upload_id, outcomes, judge_on):
                transaction.set_rollback(True)
                return False
            if judge_on is not None:
                cursor.execute(_WAIT_AS_EVER)
            if outcomes.hands:
                _touch_tables(cursor, upload_id, outcomes.hands)
    except (IntegrityError, OperationalError) as error:
        # Somebody else brought one of them meanwhile, or is about to.
        if isinstance(error.__cause__, UniqueViolation | LockNotAvailable):
            return False
        raise
    return True


def _store_pieces(
    cursor: Any, upload_id: int, outcomes: Outcomes, judge_on: JudgeOn | None
) -> bool:
    keys: set[tuple[str, str]] = set()
    hand_count = finding_count = 0
    is_more = judge_on is not None
    while is_more or hand_count < len(outcomes.hands):
        is_more = judge_on is not None and judge_on()
        if is_more and len(outcomes.hands) - hand_count < PIECE_HANDS:
            continue
        hands, findings = outcomes.hands[hand_count:], outcomes.findings[finding_count:]
        if not hands:
            break
        hand_count, finding_count = len(outcomes.hands), len(outcomes.findings)
        is_first = not keys
        keys.update(map(_NAME, hands))
        # A log that was taken in before is told by its first piece. What is known behind that the
        # constraint tells.
        if len(keys) < hand_count or (is_first and _is_any_known(hands)):
            return False
        _store(cursor, upload_id, hands, findings, judge_on)
    return True


def _is_any_known(hands: list[Row]) -> bool:
    sources, hand_ids = zip(*map(_NAME, hands), strict=True)
    (is_any,) = fetch_rows(_IS_ANY_KNOWN, [list(sources), list(hand_ids)])[0]
    return bool(is_any)


def _store(
    cursor: Any,
    upload_id: int,
    hands: list[Row],
    findings: list[Row],
    judge_on: JudgeOn | None,
) -> None:
    # Keys grow with the lines: of two hands at one moment the earlier line came first.
    drawn = fetch_rows(_DRAW_IDS, [len(hands)], meanwhile=judge_on)
    keyed = list(zip(hands, drawn, strict=True))
    # Hands go in by their names, as all writers take them, in code points as the collation C.
    by_name = sorted(keyed, key=lambda pair: _NAME(pair[0]))
    copy = partial(copy_rows, cursor, meanwhile=judge_on)
    copy("audit_hand", HAND, _hand_rows(by_name))
    copy("audit_handversion", VERSION, _version_rows(keyed, upload_id))
    copy("audit_verdict", VERDICT, _verdict_rows(keyed))
    if findings:
        verdicts = {row[_POSITION]: verdict for row, (_, _, verdict) in keyed}
        copy("audit_finding", FINDING, _finding_rows(findings, verdicts))


def packed_raws(hands: list[Row]) -> list[bytes]:
    """The bytes of hands as they are kept.

    One after the other: between two lines that are judged, what the dictionary is looked up in
    would leave the processor's cache, and packing take twice as long.
    """
    return [packed_line(row[RAW]) for row in hands]


class _Names(dict[str | None, bytes]):
    """Joined names, encoded once: the same players sit at a table for many hands."""

    def __missing__(self, joined: str | None) -> bytes:
        self[joined] = encoded = encoded_names(_split(joined))
        return encoded


def _hand_rows(keyed: list[tuple[Row, Row]]) -> Iterator[Row]:
    names = _Names()
    for row, keys in keyed:
        yield (
            *keys,
            *row[_SOURCE : _TABLE + 1],
            names[row[_PLAYERS]],
            *row[_PLAYED_AT:_CODES],
            names[row[_CODES]],
            row[_CODES + 1],
            False,
        )


def _version_rows(keyed: list[tuple[Row, Row]], upload_id: int) -> Iterator[Row]:
    raws = packed_raws([row for row, _ in keyed])
    for (row, (hand, version, _)), raw in zip(keyed, raws, strict=True):
        yield version, hand, 1, raw, row[_SHA256], upload_id, row[_LINE]


def _verdict_rows(keyed: list[tuple[Row, Row]]) -> Iterator[Row]:
    for row, (_, version, verdict) in keyed:
        _, ruleset_sha256, engine, settlement, digest = row[_SHA256:]
        settled = encoded_json(settlement)
        yield (
            verdict, version, row[_RULESET], ruleset_sha256, engine, row[_KIND], settled, digest,
        )  # fmt: skip


def _finding_rows(findings: list[Row], verdicts: dict[int, int]) -> Iterator[Row]:
    for position, *fields, explained_by, message in findings:
        yield verdicts[position], *fields, encoded_texts(_split(explained_by)), message


def _split(joined: str | None) -> list[str]:
    return joined.split(SEPARATOR) if joined else []


def _touch_tables(cursor: Any, upload_id: int, hands: list[Row]) -> None:
    """Have the hands compared with those before them at their tables."""
    instants: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in hands:
        instants[row[_SOURCE], row[_TABLE]].append(row[_PLAYED_AT])
    places = sorted(instants)
    sources, names = [source for source, _ in places], [name for _, name in places]
    cursor.execute(_INSERT_TABLES, [sources, names])
    since, until = ([end(instants[place]) for place in places] for end in (min, max))
    cursor.execute(_INSERT_TOUCHES, [upload_id, sources, names, since, until])
