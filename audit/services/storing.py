"""Storing what came out of a chunk: straight into the tables where all of its hands are new, else
through temporary tables, from which it goes into the real ones set by set.

The caller's transaction holds it all. Concurrent chunks with the same hands meet at the unique
constraints: who comes second waits there, then finds the hand known. All rows are taken in the
order of their keys, so that two chunks wait for each other in one direction only; new hands that
are stored piece by piece, where that does not hold, never wait for long (`storing_new`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

import replay
from audit.services import restating_sql as restating
from audit.services import storing_sql as sql
from audit.services.conflicts import begin_conflicts, settle_conflicts
from audit.services.copying import copy_rows
from audit.services.counting import count_turned
from audit.services.outcomes import Outcomes
from audit.services.storing_erased import has_erased_names, says_the_same
from audit.services.storing_new import RAW, JudgeOn, Row, packed_raws, store_new_hands
from audit.zstd import unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """How the hands of a chunk stood to those known before; the four sum to the chunk's hands.

    `restated` are other versions as `conflicts` are, but ones that the upload says hold.

    `turned` is how many of the duplicates are of a hand that is discrepant because of the hand
    before it.
    """

    new: int
    duplicates: int
    conflicts: int
    restated: int = 0
    turned: int = 0

    def __add__(self, other: Stored) -> Stored:
        return Stored(
            new=self.new + other.new,
            duplicates=self.duplicates + other.duplicates,
            conflicts=self.conflicts + other.conflicts,
            restated=self.restated + other.restated,
            turned=self.turned + other.turned,
        )


def store_outcomes(upload_id: int, outcomes: Outcomes, judge_on: JudgeOn | None = None) -> Stored:
    """Store hands, versions, verdicts, findings and refusals of a chunk.

    With `judge_on` not all of it has been judged yet: that is called until there is no more.
    """
    are_new = store_new_hands(upload_id, outcomes, judge_on)
    while judge_on is not None and judge_on():
        pass
    with connection.cursor() as cursor:
        if outcomes.refusals:
            rows = ((upload_id, *row) for row in outcomes.refusals)
            copy_rows(cursor, sql.REFUSAL_TABLE, sql.REFUSAL, rows)
        if are_new or not outcomes.hands:
            return Stored(new=len(outcomes.hands), duplicates=0, conflicts=0)
        cursor.execute(sql.LOOK_UP)
        cursor.execute(sql.CREATE_ARRIVAL)
        raws = packed_raws(outcomes.hands)
        copy_rows(cursor, "arrival", sql.ARRIVAL, map(_with_raw, outcomes.hands, raws))
        stored = _store_hands(cursor, upload_id, outcomes)
        cursor.execute(sql.INSERT_VERDICTS)
        if outcomes.findings:
            cursor.execute(sql.CREATE_ARRIVAL_FINDING)
            copy_rows(cursor, "arrival_finding", sql.FINDING, outcomes.findings)
            cursor.execute(sql.INSERT_FINDINGS)
        if stored.duplicates or stored.restated or stored.conflicts:
            turned = _make_current(cursor, upload_id, outcomes)
            stored = replace(stored, turned=turned)
        cursor.execute(sql.INSERT_TABLES)
        cursor.execute(sql.INSERT_TOUCHES, {"upload": upload_id})
        cursor.execute(sql.DROP_ARRIVAL)
        cursor.execute(sql.LOOK_AS_EVER)
    return stored


def _with_raw(hand: Row, raw: bytes) -> Row:
    return *hand[:RAW], raw, *hand[RAW + 1 :]


def _make_current(cursor: Any, upload_id: int, outcomes: Outcomes) -> int:
    """Make restated versions, and new verdicts of known bytes, the current ones.

    Returns `turned` of Stored. Uploads are locked once, in the order of their keys.
    """
    turned_back: dict[int, int] = {}
    is_restatement = _is_restatement(cursor, upload_id)
    if is_restatement:
        turned_back |= _restate(cursor, upload_id)
    if begin_conflicts(cursor, is_restatement=is_restatement):
        turned_back |= _put_in_force(cursor, upload_id)
    cursor.execute(sql.FIND_TURNED)
    turned_back |= {version: -1 for (version,) in cursor.fetchall()}
    if turned_back:
        lines = [row[1] for row in outcomes.hands]
        count_turned(cursor, turned_back, upload_id=upload_id, but_lines=lines)
    cursor.execute(sql.UPDATE_CURRENT_VERDICTS)
    settle_conflicts(cursor, sql.ARRIVED)
    cursor.execute(sql.COUNT_TURNED)
    (turned,) = cursor.fetchone()
    assert isinstance(turned, int)
    return turned


def _is_restatement(cursor: Any, upload_id: int) -> bool:
    cursor.execute(restating.IS_RESTATEMENT, {"upload": upload_id})
    (is_restatement,) = cursor.fetchone()
    return bool(is_restatement)


def _restate(cursor: Any, upload_id: int) -> dict[int, int]:
    """Put the versions that the marked arrivals name in force; old ones and verdicts stay.

    Their hands are to be compared again where they stood and where they stand now. Returns the
    versions that no longer count as turned, with -1.
    """
    cursor.execute(restating.INSERT_RESTATEMENTS, {"upload": upload_id})
    turned_back = _put_in_force(cursor, upload_id)
    cursor.execute(restating.END_CONFLICTS)
    return turned_back


def _put_in_force(cursor: Any, upload_id: int) -> dict[int, int]:
    """Tell the hands by the versions that are to stand for them; returns as `_restate` does."""
    cursor.execute(sql.INSERT_LEFT_TOUCHES, {"upload": upload_id})
    cursor.execute(sql.FIND_TURNED_REPLACED)
    turned_back = {version: -1 for (version,) in cursor.fetchall()}
    cursor.execute(sql.PUT_IN_FORCE)
    return turned_back


def _store_hands(cursor: Any, upload_id: int, outcomes: Outcomes) -> Stored:
    """Insert hands and versions, and fill `hand` and `version` of each arrival."""
    upload, count = {"upload": upload_id}, len(outcomes.hands)
    cursor.execute(sql.INSERT_IDENTITIES)
    cursor.execute(sql.INSERT_HANDS)
    new = cursor.rowcount
    cursor.execute(sql.INSERT_FIRST_VERSIONS, upload)
    if new == count:
        return Stored(new=new, duplicates=0, conflicts=0)
    cursor.execute(sql.FIND_HANDS)
    cursor.execute(sql.LOCK_HANDS)
    _find_same(cursor, any_order=outcomes.any_order)
    cursor.execute(sql.INSERT_OTHER_VERSIONS, upload)
    conflicts, restated = cursor.rowcount, 0
    cursor.execute(sql.FIND_VERSIONS)
    if _is_restatement(cursor, upload_id):
        cursor.execute(restating.MARK_SAYING, upload)
        cursor.execute(restating.MARK_RESTATING, upload)
        cursor.execute(restating.COUNT_RESTATED)
        (restated,) = cursor.fetchone()
        conflicts -= restated
    cursor.execute(sql.INSERT_DUPLICATES, upload)
    duplicates = cursor.rowcount
    assert new + conflicts + restated + duplicates == count
    return Stored(new=new, duplicates=duplicates, conflicts=conflicts, restated=restated)


def _find_same(cursor: Any, *, any_order: bool) -> None:
    """Mark the arrivals that say in other bytes what a version or an earlier arrival says.

    Only a hand that is known under other bytes comes here, and costs a reading of each.
    """
    cursor.execute(sql.FIND_OTHER_BYTES)
    others = cursor.fetchall()
    if not others:
        return
    cursor.execute(sql.FIND_KNOWN_BYTES, [sorted({hand for _, hand, _, _ in others})])
    meanings: dict[tuple[int, bytes], bytes] = {}
    redacted: dict[int, list[tuple[bytes, bytes]]] = {}
    for hand, sha256, raw in cursor:
        line = unpacked(raw)
        meaning = replay.canonical_sha256(line, any_order=any_order)
        meanings.setdefault((hand, meaning), bytes(sha256))
        if has_erased_names(line):
            redacted.setdefault(hand, []).append((bytes(sha256), line))
    same: dict[int, bytes] = {}
    forgotten: list[int] = []
    for position, hand, sha256, raw in others:
        line = unpacked(raw)
        for known, before in redacted.get(hand, ()):
            if says_the_same(before, line):
                same[position] = known
                forgotten.append(position)
                break
        else:
            meaning = replay.canonical_sha256(line, any_order=any_order)
            known = meanings.setdefault((hand, meaning), bytes(sha256))
            if known != bytes(sha256):
                same[position] = known
    if same:
        cursor.execute(sql.MARK_SAME, [list(same), list(same.values())])
    if forgotten:
        cursor.execute(sql.FORGET_BYTES, [forgotten])
