"""Storing a chunk whose hands are all new: COPY straight into the real tables.

Most chunks are such. Any other goes by `storing`, through a staging table.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import psycopg
from django.db import IntegrityError, connection, transaction
from psycopg.errors import UniqueViolation

from audit.services.copying import Columns, copy_rows, encoded_json, encoded_names, encoded_texts
from audit.services.outcomes import SEPARATOR, Outcomes

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
        SELECT FROM audit_hand h
        WHERE h.source = a.source COLLATE "C" AND h.hand_id = a.hand_id COLLATE "C"
        LIMIT 1
    ) known
)
"""
_DRAW_IDS = """
SELECT
    nextval('audit_hand_id_seq'), nextval('audit_handversion_id_seq'),
    nextval('audit_verdict_id_seq')
FROM generate_series(1, %s)
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

# Places in a row of `Outcomes.hands`.
_POSITION, _SOURCE, _HAND_ID, _TABLE, _PLAYED_AT = 0, 2, 3, 6, 8


def store_new_hands(upload_id: int, outcomes: Outcomes) -> bool:
    """Store hands with their versions, verdicts, findings and touches, if all hands are new.

    Returns whether they were; else nothing is stored.
    """
    # In the order of their keys, as all writers take them: the code points, as the collation C.
    hands = sorted(outcomes.hands, key=itemgetter(_SOURCE, _HAND_ID))
    keys = {(row[_SOURCE], row[_HAND_ID]) for row in hands}
    if len(keys) < len(hands) or _is_any_known(hands):
        return False
    try:
        with transaction.atomic():
            _store(upload_id, hands, outcomes)
    except IntegrityError as error:
        # Somebody else brought one of them meanwhile.
        if isinstance(error.__cause__, UniqueViolation):
            return False
        raise
    return True


def _is_any_known(hands: list[tuple[Any, ...]]) -> bool:
    sources, hand_ids = [row[_SOURCE] for row in hands], [row[_HAND_ID] for row in hands]
    (is_any,) = _fetch(_IS_ANY_KNOWN, [sources, hand_ids])[0]
    return bool(is_any)


def _fetch(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
    """Rows of a statement with long arrays: bound by the server and not written into its text."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement.encode(), values)
        return cursor.fetchall()


def _store(upload_id: int, hands: list[tuple[Any, ...]], outcomes: Outcomes) -> None:
    # Ids go by line, so that lists show hands of one instant in the order of their file.
    drawn = _fetch(_DRAW_IDS, [len(hands)])
    of_line = {row[_POSITION]: new for row, new in zip(outcomes.hands, drawn, strict=True)}
    ids = [of_line[row[_POSITION]] for row in hands]
    findings = outcomes.findings
    with connection.cursor() as cursor:
        copy_rows(cursor, "audit_hand", HAND, _hand_rows(hands, ids))
        copy_rows(cursor, "audit_handversion", VERSION, _version_rows(hands, ids, upload_id))
        copy_rows(cursor, "audit_verdict", VERDICT, _verdict_rows(hands, ids))
        if findings:
            verdicts = {row[_POSITION]: found[2] for row, found in zip(hands, ids, strict=True)}
            rows = ((verdicts[at], *row, encoded_texts(_split(by)), message)
                    for at, *row, by, message in findings)  # fmt: skip
            copy_rows(cursor, "audit_finding", FINDING, rows)
        _touch_tables(cursor, upload_id, hands)


def _hand_rows(hands: list[tuple[Any, ...]], ids: list[tuple[Any, ...]]) -> Iterator[Any]:
    for row, found in zip(hands, ids, strict=True):
        yield (
            *found,
            *row[_SOURCE : _TABLE + 1],
            encoded_names(_split(row[7])),
            *row[_PLAYED_AT:15],
            encoded_names(_split(row[15])),
            row[16],
            False,
        )


def _version_rows(
    hands: list[tuple[Any, ...]], ids: list[tuple[Any, ...]], upload_id: int
) -> Iterator[Any]:
    for row, (hand, version, _) in zip(hands, ids, strict=True):
        yield version, hand, 1, row[17], row[18], upload_id, row[1]


def _verdict_rows(hands: list[tuple[Any, ...]], ids: list[tuple[Any, ...]]) -> Iterator[Any]:
    for row, (_, version, verdict) in zip(hands, ids, strict=True):
        yield verdict, version, row[5], row[19], row[20], row[13], encoded_json(row[21]), row[22]


def _split(joined: str | None) -> list[str]:
    return joined.split(SEPARATOR) if joined else []


def _touch_tables(cursor: Any, upload_id: int, hands: list[tuple[Any, ...]]) -> None:
    """Have the hands compared with those before them at their tables."""
    spans: dict[tuple[str, str], tuple[Any, Any]] = {}
    for row in hands:
        key, at = (row[_SOURCE], row[_TABLE]), row[_PLAYED_AT]
        since, until = spans.get(key, (at, at))
        spans[key] = min(since, at), max(until, at)
    places = sorted(spans)
    sources, names = [source for source, _ in places], [name for _, name in places]
    cursor.execute(_INSERT_TABLES, [sources, names])
    since_until = [spans[place] for place in places]
    values = [upload_id, sources, names, [one for one, _ in since_until],
              [one for _, one in since_until]]  # fmt: skip
    cursor.execute(_INSERT_TOUCHES, values)
