"""Judging hand versions again, each by itself: lines of hand logs, and records of feeds."""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import replace
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError

import replay
from audit import importers
from audit.selectors.months import around
from audit.services import reauditing_sql as sql
from audit.services.copying import keys_text, stream_rows
from audit.services.feeding import FeedOf, feed_of, judge_records
from audit.services.payloads import ChunkLine
from audit.services.reauditing_lines import REFUSED
from audit.services.reauditing_storing import Judged, StoredVersion
from audit.services.replacing import Renamed
from audit.services.sifting import words_of
from audit.zstd import unpacked

logger = logging.getLogger(__name__)

# What says nothing of the version that was being judged.
_NOT_OF_IT = (SoftTimeLimitExceeded, MemoryError, DatabaseError, InterfaceError)

# A version whose bytes are the record of a feed: its line, its packed bytes, its hand's ruleset.
_Record = tuple[StoredVersion, int, bytes, str]


def judge_versions(
    rows: tuple[int, ...],
    rulesets: replay.Rulesets,
    *,
    said_until: datetime,
    is_rehearsal: bool = False,
) -> Judged:
    """Judge hand versions again, each by itself; one that cannot be is set aside with the reason.

    One decoded hand is held at a time. A feed's records are judged by what is in force, as far as
    it had been said until then.
    """
    judged = Judged(is_rehearsal=is_rehearsal)
    records = _judge_lines(judged, rows, rulesets)
    feeds: dict[int, FeedOf | None] = {}
    for stored, line, raw, name in records:
        try:
            if stored.upload_id not in feeds:
                feeds[stored.upload_id] = feed_of(stored.upload_id, said_until=said_until)
            found_feed = feeds[stored.upload_id]
            if is_rehearsal and found_feed is not None:
                # Another ruleset judges; which was in force is not asked again.
                found_feed = replace(found_feed, choose=importers.named(name))
            _take_record(judged, stored, ChunkLine(line, 0, unpacked(raw)), rulesets, found_feed)
        except _NOT_OF_IT:
            raise
        except Exception as error:
            _note_fault(judged, stored.pk, error)
    return judged


def _judge_lines(judged: Judged, rows: tuple[int, ...], rulesets: replay.Rulesets) -> list[_Record]:
    """Judge the lines of hand logs among these versions while the database finds the next ones.

    Gives the records of feeds: for those it is asked more, which it does not hear meanwhile.
    """
    records: list[_Record] = []
    first, last = around(rows)
    keys = {"versions": keys_text(rows), "first": first, "last": last}
    with closing(stream_rows(sql.VERSIONS, keys)) as found:
        for (
            pk, hand_pk, source, hand_id, upload, feed, line, raw, current, ruleset, engine, digest,
            name,
        ) in found:  # fmt: skip
            try:
                if not feed:
                    data = unpacked(raw)
                    audited = replay.audit_line(data, rulesets, number=line)
                    verdict = audited.verdict
                    if (
                        verdict.replay_digest == digest.hex()
                        and current == pk
                        and not judged.is_rehearsal
                        and verdict.engine == engine
                        and verdict.ruleset_sha256 == ruleset.hex()
                        and verdict.hand_id == hand_id
                        and verdict.source == source
                    ):
                        # Most are such, and nothing is to be done about them.
                        judged.confirmed += 1
                        continue
                stored = StoredVersion(
                    pk=pk,
                    hand_pk=hand_pk,
                    source=source,
                    hand_id=hand_id,
                    upload_id=upload,
                    verdict=(ruleset, engine, digest) if current == pk else None,
                )
                if feed:
                    records.append((stored, line, raw, name))
                else:
                    _take_line(judged, stored, data, audited)
            except _NOT_OF_IT:
                raise
            except Exception as error:
                _note_fault(judged, pk, error)
    return records


def _note_fault(judged: Judged, pk: int, error: Exception) -> None:
    """Set a version aside that the audit fails on."""
    logger.error("version_failed", extra={"version": pk}, exc_info=error)
    judged.faults[pk] = f"could not be audited, through a fault of ours ({words_of(error)})"


def _take_line(judged: Judged, stored: StoredVersion, data: bytes, audited: replay.Audited) -> None:
    if audited.refusal is not None:
        # The hand keeps what was said of it, as it does when it is compared.
        judged.faults[stored.pk] = f"refused now: {audited.refusal}"
        return
    hand = audited.hand
    assert hand is not None
    if _is_that_hand(judged, stored, hand.source, hand.hand_id, data):
        judged.add(stored, hand, audited.verdict)


def _take_record(
    judged: Judged,
    stored: StoredVersion,
    line: ChunkLine,
    rulesets: replay.Rulesets,
    feed: FeedOf | None,
) -> None:
    """Judge the record of a feed, by the facts that stand with its upload."""
    assert feed is not None
    outcomes = judge_records([line], rulesets, feed)
    for refused in outcomes.refusals:
        told = dict(zip(REFUSED, refused, strict=True))
        is_ours = told["is_our_fault"]
        words = told["reason"] if is_ours else f"{told['place']}: {told['reason']}"
        judged.faults[stored.pk] = words if is_ours else f"refused now: {words}"
        return
    _, _, source, hand_id, *_ = outcomes.hands[0]
    if _is_that_hand(judged, stored, source, hand_id, line.data):
        judged.add_record(stored, outcomes)


def _is_that_hand(
    judged: Judged, stored: StoredVersion, source: str, hand_id: str, data: bytes
) -> bool:
    """Whether the bytes still name the hand that they stand with; else they are set aside.

    The current record of a hand takes the hand with it: another stands for it from now on.
    """
    if (source, hand_id) == (stored.source, stored.hand_id):
        return True
    if stored.verdict is not None and not judged.is_rehearsal:
        judged.renamed.append(
            Renamed(
                hand_pk=stored.hand_pk,
                source=source,
                name=hand_id,
                upload_id=stored.upload_id,
                line=data,
            )
        )
        judged.faults[stored.pk] = (
            f"read as another hand now, {hand_id} of {source}:"
            " its line was handed in again, and that hand stands for this one"
        )
        return False
    judged.faults[stored.pk] = (
        f"read as another hand now, {hand_id} of {source}: hand its line in again"
    )
    return False
