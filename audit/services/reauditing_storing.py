"""Storing what came out of a batch of a re-audit: COPY into temporary tables, then set by set.

The caller's transaction holds it all. Verdicts that are to stand are added under the locks of
their hands, so that a chunk which brings the same bytes waits, and finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.db import connection

import replay
from audit.models import ReauditAmount
from audit.services import reauditing_sql as sql
from audit.services.conflicts import settle_conflicts
from audit.services.copying import copy_rows
from audit.services.counting import count_turned
from audit.services.feeding import FeedOutcomes
from audit.services.outcomes import SEPARATOR, day_of, instant_of, players_of
from audit.services.reauditing_amounts import amounts_of
from audit.services.replacing import Renamed
from audit.services.storing_sql import ARRIVAL, FINDING

_JSON = msgspec.json.Encoder()
_ARRIVAL = tuple(name for name, _ in ARRIVAL)
_FOUND = tuple(name for name, _ in FINDING)


class StoredVersion(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A hand version as the store has it; `source` and `hand_id` are of its hand.

    `verdict` is ruleset hash, engine and digest of its hand's current verdict, where the version is
    the current one.
    """

    pk: int
    hand_pk: int
    source: str
    hand_id: str
    upload_id: int
    verdict: tuple[bytes, str, bytes] | None


@dataclass(slots=True)
class Judged:
    """The rows of one batch, in the order of `sql.JUDGED` and `sql.FOUND`, and by version what was
    set aside and why.

    `renamed` are hands whose current record names another now; they are set aside, too.
    `confirmed` counts the versions whose hands name just this verdict already: nothing is to be
    done about them.
    """

    is_rehearsal: bool = False
    confirmed: int = 0
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    findings: list[tuple[Any, ...]] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    renamed: list[Renamed] = field(default_factory=list)

    def add(self, stored: StoredVersion, hand: replay.Hand, verdict: replay.Verdict) -> None:
        """Take in a version that was judged again."""
        if not self.is_rehearsal and stored.verdict == _identity(verdict):
            self.confirmed += 1
            return
        position = len(self.rows)
        self.rows.append((position, *_row(stored, hand, verdict)))
        for number, finding in enumerate(verdict.findings):
            self.findings.append((position, number, *_finding_row(finding)))

    def add_record(self, stored: StoredVersion, outcomes: FeedOutcomes) -> None:
        """Take in a version whose bytes are the record of a feed, alone in its outcomes."""
        (row,) = (dict(zip(_ARRIVAL, hand, strict=True)) for hand in outcomes.hands)
        verdict = row["ruleset_sha256"], row["engine"], row["digest"]
        if not self.is_rehearsal and stored.verdict == verdict:
            self.confirmed += 1
            return
        position = len(self.rows)
        found = [dict(zip(_FOUND, finding, strict=True)) for finding in outcomes.findings]
        row |= {
            "position": position,
            "version": stored.pk,
            "hand": stored.hand_pk,
            "code": row["error_code"],
            "codes": SEPARATOR.join(one["code"] for one in found) if found else None,
        }
        self.rows.append(tuple(row[name] for name, _ in sql.JUDGED))
        self.findings += [
            tuple((one | {"position": position})[name] for name, _ in sql.FOUND) for one in found
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a batch adds to the counts of its re-audit; see models.Reaudit."""

    written: int = 0
    confirmed: int = 0
    rehearsed: int = 0
    admitted: int = 0
    refused: int = 0
    aside: int = 0
    changed: int = 0
    flipped: int = 0
    unsettled: int = 0

    @property
    def done(self) -> int:
        return (
            self.written
            + self.confirmed
            + self.rehearsed
            + self.admitted
            + self.refused
            + self.aside
        )


def store_judged(
    judged: Judged, *, reaudit_id: int, batch_id: int
) -> tuple[Counts, dict[int, str]]:
    """Store the verdicts and make them current, or the results of a rehearsal beside them.

    Gives the counts, and the versions that turned out to be broken, with the reason.
    """
    if not judged.rows:
        return Counts(confirmed=judged.confirmed), {}
    with connection.cursor() as cursor:
        cursor.execute(sql.CREATE_JUDGED)
        copy_rows(cursor, "judged", sql.JUDGED, judged.rows)
        cursor.execute(sql.LOOK_UP)
        broken: dict[int, str] = {}
        if judged.is_rehearsal:
            cursor.execute(sql.COMPARE, {"rehearsal": True})
            cursor.execute(sql.INSERT_REHEARSED, {"reaudit": reaudit_id})
        else:
            cursor.execute(sql.LOCK_HANDS)
            cursor.execute(sql.COMPARE, {"rehearsal": False})
            broken = _add_verdicts(cursor, judged)
            cursor.execute(sql.INSERT_CHANGES, {"reaudit": reaudit_id})
            _make_current(cursor)
        counts = _count(cursor, reaudit_id, batch_id, judged)
        cursor.execute(sql.DROP_JUDGED)
        cursor.execute(sql.LOOK_AS_EVER)
    return counts, broken


def _add_verdicts(cursor: Any, judged: Judged) -> dict[int, str]:
    """Add the verdicts that do not stand yet; gives what contradicts one that does."""
    cursor.execute(sql.FIND_BROKEN)
    broken = {
        version: f"the same engine and ruleset gave the digest {bytes(other).hex()}, and before"
        f" {bytes(known).hex()}: what was stored stays"
        for version, known, other in cursor.fetchall()
    }
    if broken:
        cursor.execute(sql.DROP_BROKEN, [list(broken)])
    cursor.execute(sql.DRAW_VERDICTS)
    if cursor.rowcount > 0:
        cursor.execute(sql.INSERT_VERDICTS)
        if judged.findings:
            cursor.execute(sql.CREATE_FOUND)
            copy_rows(cursor, "judged_finding", sql.FOUND, judged.findings)
            cursor.execute(sql.INSERT_FINDINGS)
    return broken


def _make_current(cursor: Any) -> None:
    """Let the hands name the verdicts reached just now, as ADR 3 asks.

    Their tables are queued when the re-audit stands still: a table is then compared once, and not
    again for each batch.
    """
    cursor.execute(sql.FIND_TURNED)
    turned_back = {version: -1 for (version,) in cursor.fetchall()}
    cursor.execute(sql.INSERT_TABLES)
    cursor.execute(sql.INSERT_TOUCHES)
    cursor.execute(sql.UPDATE_HANDS)
    settle_conflicts(cursor, sql.JUDGED_HANDS)
    if turned_back:
        count_turned(cursor, turned_back)


def _count(cursor: Any, reaudit_id: int, batch_id: int, judged: Judged) -> Counts:
    cursor.execute(sql.COUNT)
    written, all_of_them, changed, flipped = cursor.fetchone()
    unsettled = 0
    if changed:
        cursor.execute(sql.FIND_SETTLEMENTS)
        amounts, unsettled = amounts_of(reaudit_id, batch_id, cursor.fetchall())
        ReauditAmount.objects.bulk_create(amounts)
    return Counts(
        written=written,
        confirmed=judged.confirmed + (0 if judged.is_rehearsal else all_of_them - written),
        rehearsed=all_of_them if judged.is_rehearsal else 0,
        changed=changed,
        flipped=flipped,
        unsettled=unsettled,
    )


def _identity(verdict: replay.Verdict) -> tuple[bytes, str, bytes]:
    assert verdict.ruleset_sha256 is not None
    assert verdict.replay_digest is not None
    return (
        bytes.fromhex(verdict.ruleset_sha256),
        verdict.engine,
        bytes.fromhex(verdict.replay_digest),
    )


def _row(stored: StoredVersion, hand: replay.Hand, verdict: replay.Verdict) -> tuple[Any, ...]:
    assert verdict.ruleset_sha256 is not None
    assert verdict.replay_digest is not None
    codes = [one.code for one in verdict.findings]
    return (
        stored.pk,
        stored.hand_pk,
        hand.ruleset,
        bytes.fromhex(verdict.ruleset_sha256),
        verdict.engine,
        verdict.verdict,
        None if verdict.settlement is None else _JSON.encode(verdict.settlement).decode(),
        bytes.fromhex(verdict.replay_digest),
        next((one.code for one in verdict.findings if one.severity == "error"), ""),
        SEPARATOR.join(codes) if codes else None,
        SEPARATOR.join(sorted(set(codes))) if codes else None,
        len(codes),
        stored.source,
        verdict.game,
        hand.table,
        SEPARATOR.join(players_of(hand)),
        instant_of(hand.started_at),
        day_of(hand.started_at),
        hand.started_at,
        hand.currency,
        hand.minor_digits,
    )


def _finding_row(finding: replay.Finding) -> tuple[Any, ...]:
    return (
        finding.code,
        finding.severity,
        finding.event,
        finding.seat,
        finding.subject,
        finding.logged,
        finding.expected,
        finding.rule,
        finding.confidence,
        finding.follows,
        SEPARATOR.join(finding.explained_by) if finding.explained_by else None,
        finding.message,
    )
