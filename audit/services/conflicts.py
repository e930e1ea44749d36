"""Hands in conflict: records of different meaning claim to be the same hand, and none is chosen.

What such a hand shows must not depend on which of them came first. One of them has to stand for it
where only one can (its place at its table, the record that a page opens with): the first by the
SHA-256 of what it says. Whatever else is told of the hand is told of all of them.

Whoever calls this holds the locks of the hands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import replay
from audit import importers
from audit.services.outcomes import SEPARATOR, players_of
from audit.zstd import unpacked

# What is shown of records that were judged differently: nothing wrong may be hidden.
_GRAVEST = "ARRAY['discrepant', 'consistent', 'clean', 'void']"

# A version that a hand did not have before is set against those that claim to be it. In an upload
# that restates, also a known one, where another line of it said which holds.
_CONTEND = """
SELECT
    h.id, h.version_id, coalesce(h.contending, ARRAY[h.version_id]), h.players, h.is_conflict,
    array_agg(a.version), array_agg(a.players)
FROM arrival a JOIN audit_hand h ON h.id = a.hand
WHERE a.hand <> a.new_hand AND NOT a.restates AND CASE
    WHEN %s THEN a.version <> ALL(coalesce(h.contending, ARRAY[h.version_id]))
    ELSE a.version = a.new_version
END
GROUP BY h.id
ORDER BY h.id
"""

# Versions lie in the months of their hands' keys.
_RECORDS = """
SELECT v.id, v.sha256, v.raw, u.feed
FROM audit_handversion v JOIN audit_upload u ON u.id = v.upload_id
WHERE v.hand_id = ANY(%s) AND v.id = ANY(%s)
"""

_MARK = """
UPDATE audit_hand h SET is_conflict = true, contending = c.versions, players = n.players
FROM (
    SELECT hand, array_agg(version ORDER BY position) AS versions
    FROM unnest(%s::int8[], %s::int8[], %s::int4[]) AS c (hand, version, position)
    GROUP BY hand
) c
JOIN (
    SELECT hand, array_agg(player ORDER BY position) AS players
    FROM unnest(%s::int8[], %s::text[], %s::int4[]) AS n (hand, player, position)
    GROUP BY hand
) n USING (hand)
WHERE h.id = c.hand
"""

# One arrival a hand at most.
_STAND = """
UPDATE arrival a SET stands = first.stands
FROM (
    SELECT a.position, h.contending[1] = a.version AND h.version_id <> a.version
        AND row_number() OVER (PARTITION BY a.hand, a.version ORDER BY a.position) = 1 AS stands
    FROM arrival a JOIN audit_hand h ON h.id = a.hand
) first
WHERE a.position = first.position
"""

# The verdict of the version that stands for the hand is the one that the hand names, with what was
# found against the hand before; of each other it is the latest.
_SETTLE = f"""
UPDATE audit_hand h SET
    verdict_kind = r.kind, error_code = '', finding_codes = f.codes, finding_count = f.number,
    contending_verdicts = r.verdicts
FROM (SELECT DISTINCT hand FROM ({{hands}}) AS wanted (hand)) wanted
JOIN audit_hand o ON o.id = wanted.hand AND o.is_conflict
CROSS JOIN LATERAL (
    SELECT
        ({_GRAVEST})[min(array_position({_GRAVEST}, coalesce(c.kind, w.kind)::text))] AS kind,
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
        coalesce(array_agg(DISTINCT found.code COLLATE "C"), '{{{{}}}}') AS codes
    FROM (
        SELECT g.code FROM unnest(r.verdicts) AS told (verdict)
        JOIN audit_finding g ON g.verdict_id = told.verdict
        UNION ALL
        SELECT code FROM audit_comparisonfinding WHERE comparison_id = o.comparison_id
    ) found
) f
WHERE h.id = o.id
"""  # noqa: S608 - from constants


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contended:
    """A hand that stands as `version`, and all versions that claim to be it.

    `shown` are the players that it shows so far: those of its version, and if it was in conflict
    before behind them those of other records. `arrived` has who is named by a version that came
    now.
    """

    hand: int
    version: int
    versions: frozenset[int]
    shown: tuple[str, ...]
    was_in_conflict: bool
    arrived: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """The bytes of a version; `rank` depends on nothing but what they say."""

    rank: tuple[bytes, bytes]
    line: bytes
    feed: str


def begin_conflicts(cursor: Any, *, is_restatement: bool) -> bool:
    """Mark the hands to which the arrivals bring a record of another meaning, and the arrivals
    whose versions are to stand for theirs (`stands`).

    Returns: whether there are such hands. `settle_conflicts` comes when all is stored and in force.
    """
    cursor.execute(_CONTEND, [is_restatement])
    found = [_contended(*row) for row in cursor.fetchall()]
    if not found:
        return False
    records = _records(cursor, found)
    versions: list[tuple[int, int, int]] = []
    players: list[tuple[int, str, int]] = []
    for one in found:
        order = sorted(one.versions, key=lambda version: records[version].rank)
        versions += [(one.hand, version, at) for at, version in enumerate(order)]
        named = _players(one, order[0], records[order[0]])
        players += [(one.hand, name, at) for at, name in enumerate(named)]
    cursor.execute(_MARK, [*_columns(versions), *_columns(players)])
    cursor.execute(_STAND)
    return True


def settle_conflicts(cursor: Any, hands: str, values: Sequence[Any] = ()) -> None:
    """Let a hand in conflict show what is said of all of its records, after one of their verdicts
    or its comparison has become another; `hands` is a query that gives the keys of such."""
    cursor.execute(_SETTLE.format(hands=hands), list(values))


def _contended(
    hand: int,
    version: int,
    known: list[int],
    shown: list[str],
    was_in_conflict: bool,
    arrived: list[int],
    brought: list[str | None],
) -> _Contended:
    named = (tuple(names.split(SEPARATOR)) if names else () for names in brought)
    return _Contended(
        hand=hand,
        version=version,
        versions=frozenset([*known, *arrived]),
        shown=tuple(shown),
        was_in_conflict=was_in_conflict,
        arrived=dict(zip(arrived, named, strict=True)),
    )


def _records(cursor: Any, found: Sequence[_Contended]) -> dict[int, _Record]:
    """The records of all versions that claim to be one of these hands."""
    versions = sorted(version for one in found for version in one.versions)
    cursor.execute(_RECORDS, [[one.hand for one in found], versions])
    records = {}
    for version, sha256, raw, feed in cursor.fetchall():
        line = unpacked(raw)
        any_order = bool(feed) and importers.FEEDS[feed].any_order
        meaning = replay.canonical_sha256(line, any_order=any_order)
        records[version] = _Record(rank=(meaning, bytes(sha256)), line=line, feed=feed)
    return records


def _players(one: _Contended, first: int, record: _Record) -> list[str]:
    """Whoever is named by any record: those of the first as they sat, then the others by name."""
    own = one.arrived.get(first)
    if own is None and first == one.version and not one.was_in_conflict:
        own = one.shown
    if own is None:
        own = _named_in(record) or one.shown
    others = {*one.shown}.union(*one.arrived.values()).difference(own)
    return [*own, *sorted(others)]


def _named_in(record: _Record) -> tuple[str, ...]:
    """Who played by a hand log; nobody where the record is a feed's."""
    try:
        return players_of(replay.read(record.line).hand)
    except replay.Refusal:
        return ()


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
