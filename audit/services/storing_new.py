"""Storing a chunk whose hands are all new: COPY straight into the real tables.

Most chunks are such. Any other goes by `storing`, through a staging table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import IntegrityError, connection, transaction
from psycopg.errors import UniqueViolation

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
_DRAW_IDS = """
SELECT
    audit_draw('audit_hand_id_seq'), audit_draw('audit_handversion_id_seq'),
    audit_draw('audit_verdict_id_seq')
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

Row = tuple[Any, ...]
# Places in a row of `Outcomes.hands`, as `storing_sql.ARRIVAL` names them.
_PLACES = {name: place for place, (name, _) in enumerate(ARRIVAL)}
_POSITION, _LINE, _SOURCE, _HAND_ID = (
    _PLACES[name] for name in ("position", "line", "source", "hand_id")
)
_RULESET, _TABLE, _PLAYERS, _PLAYED_AT = (
    _PLACES[name] for name in ("ruleset", "table", "players", "played_at")
)
_KIND, _CODES, _RAW, _SHA256 = (
    _PLACES[name] for name in ("kind", "finding_codes", "raw", "sha256")
)


def store_new_hands(upload_id: int, outcomes: Outcomes) -> bool:
    """Store hands with their versions, verdicts, findings and touches, if all hands are new.

    Returns whether they were; else nothing is stored.
    """
    hands = outcomes.hands
    keys = {(row[_SOURCE], row[_HAND_ID]) for row in hands}
    if len(keys) < len(hands) or _is_any_known(hands):
        return False
    try:
        with transaction.atomic():
            _store(upload_id, hands, outcomes.findings)
    except IntegrityError as error:
        # Somebody else brought one of them meanwhile.
        if isinstance(error.__cause__, UniqueViolation):
            return False
        raise
    return True


def _is_any_known(hands: list[Row]) -> bool:
    sources, hand_ids = [row[_SOURCE] for row in hands], [row[_HAND_ID] for row in hands]
    (is_any,) = fetch_rows(_IS_ANY_KNOWN, [sources, hand_ids])[0]
    return bool(is_any)


def _store(upload_id: int, hands: list[Row], findings: list[Row]) -> None:
    # Keys grow with the lines: of two hands at one moment the earlier line came first.
    keyed = list(zip(hands, fetch_rows(_DRAW_IDS, [len(hands)]), strict=True))
    # Hands go in by their names, as all writers take them, in code points as the collation C.
    by_name = sorted(keyed, key=lambda pair: (pair[0][_SOURCE], pair[0][_HAND_ID]))
    with connection.cursor() as cursor:
        copy_rows(cursor, "audit_hand", HAND, _hand_rows(by_name))
        copy_rows(cursor, "audit_handversion", VERSION, _version_rows(keyed, upload_id))
        copy_rows(cursor, "audit_verdict", VERDICT, _verdict_rows(keyed))
        if findings:
            verdicts = {row[_POSITION]: verdict for row, (_, _, verdict) in keyed}
            copy_rows(cursor, "audit_finding", FINDING, _finding_rows(findings, verdicts))
        _touch_tables(cursor, upload_id, hands)


def _hand_rows(keyed: list[tuple[Row, Row]]) -> Iterator[Row]:
    for row, keys in keyed:
        yield (
            *keys,
            *row[_SOURCE : _TABLE + 1],
            encoded_names(_split(row[_PLAYERS])),
            *row[_PLAYED_AT:_CODES],
            encoded_names(_split(row[_CODES])),
            row[_CODES + 1],
            False,
        )


def _version_rows(keyed: list[tuple[Row, Row]], upload_id: int) -> Iterator[Row]:
    for row, (hand, version, _) in keyed:
        yield version, hand, 1, row[_RAW], row[_SHA256], upload_id, row[_LINE]


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
