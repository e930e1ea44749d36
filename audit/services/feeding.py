"""Files of operators' feeds: cut into records as they come, judged and stored as hands with gaps.

The upload says of which feed its lines are, and what stands for the whole file. A record's exact
bytes are what is kept; what they mean is told from them again whenever it is asked for.
"""

from __future__ import annotations

import hashlib
import io
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import connection
from msgspec import UNSET

import replay
from audit import importers, selectors
from audit.models import Upload
from audit.selectors.access import Sources
from audit.selectors.belonging import holds
from audit.services.arriving import (
    ByteStream,
    RestatementIncomplete,
    SourceRefused,
    UploadInterrupted,
    UploadRefused,
    UploadTooLarge,
)
from audit.services.feeding_force import choice_of_feed
from audit.services.outcomes import Outcomes
from audit.services.payloads import ChunkLine
from audit.services.receiving import Received, receive_upload
from audit.services.records import Records
from audit.services.submissions import SubmissionKey
from audit.services.texts import storable

logger = logging.getLogger(__name__)

READ_BYTES = 1 << 16
LINE_BYTES_MAX = 1 << 20
NAME_MAX = 128
# ISO 4217 for an amount of which no currency is known.
NO_CURRENCY = "XXX"
# RFC 3339 for a clock of which no offset is known: the instant serves for order alone.
NO_OFFSET = "-00:00"

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class FeedUnknown(UploadRefused):
    """A feed that no importer reads, or a source without a name."""


# -- taking a file in -----------------------------------------------------------------------


def receive_feed(
    *,
    name: str,
    stream: ByteStream,
    feed: str,
    source: str,
    user: User | None = None,
    sources: Sources = None,
    key: SubmissionKey | None = None,
    restatement: str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Received:
    """Read a file of a feed to its end, cut it into records and queue them.

    `source` is the name under which its hands are kept, for their records do not say whose they
    are. A file that its importer does not understand is kept as one refused line. Records by which
    the feed itself settles anew what it settled before become an upload of their own, announced as
    a restatement by `user`; `restating_id` names it.
    `sources` are those whose hands the sender may hand in.
    Raises: FeedUnknown, SourceRefused, and as `receive_upload` does.
    """
    known = importers.FEEDS.get(feed)
    if known is None:
        raise FeedUnknown(
            replay.say(
                "There is no feed {feed}: it is one of {join}.",
                feed=feed,
                join=", ".join(importers.FEEDS),
            )
        )
    facts: dict[str, Any] = {"source": _source(source)} if known.needs_source else {}
    if facts and not holds(sources, facts["source"]):
        raise SourceRefused(replay.say("You may hand in nothing of this source."))
    raw = _read(stream, on_progress)

    def take(lines: Iterable[replay.Line], **how: Any) -> Received:
        records = Records(feed=feed, facts=facts, lines=lines)
        return receive_upload(
            name=name,
            stream=io.BytesIO(raw),
            user=user,
            sources=sources,
            records=records,
            **how,
        )

    try:
        cut = importers.cut(feed, replay.read_whole(io.BytesIO(raw), most=importers.FILE_BYTES_MAX))
    except replay.Refusal as refusal:
        return take([_refused(raw, refusal, known)], key=key)
    facts |= cut.facts
    drift = dict(list(cut.drift.items())[: importers.DRIFT_FIELDS_MAX])
    if drift:
        facts["around"] = {storable(one, 200): storable(drift[one], 200) for one in drift}
    again = [piece for piece in cut.pieces if piece.restates]
    if again and user is None:
        raise RestatementIncomplete(
            replay.say(
                "Some of its records are settled anew, which somebody must announce: name"
                " an account."
            )
        )
    others, restating_id = list(cut.pieces), None
    if again and restatement is None:
        reason = f"Settled anew by its source ({known.title})."
        others = _without(cut.pieces, again)
        if not others:
            others, restatement = again, reason
        elif key is None or not _is_known(key):
            restating_id = take(_lines(again), restatement=reason).upload_id
    received = take(_lines(others), key=key, restatement=restatement)
    if again and received.is_known and restatement is None:
        restating_id = _taken_beside(received.upload_id)
    if drift and not received.is_known:
        seen = {one: [1, 1, drift[one]] for one in drift}
        _store_drift(received.upload_id, feed, facts["source"], seen)
    return replace(received, restating_id=restating_id)


def _source(source: str) -> str:
    name = source.strip()
    if (
        any("\ud800" <= character <= "\udfff" for character in name)
        or not name
        or len(name) > NAME_MAX
        or _CONTROL.search(name)
    ):
        raise FeedUnknown(
            replay.say(
                "A feed needs the name of its source: 1 to {name_max} characters.",
                name_max=NAME_MAX,
            )
        )
    return name


def _is_known(key: SubmissionKey) -> bool:
    known = selectors.upload_of_key(sender=key.sender, key=key.key)
    return known is not None and known.state != "failed"


def _taken_beside(upload_id: int) -> int | None:
    """The upload of those records of the same file that its feed settled anew."""
    first = Upload.objects.get(pk=upload_id)
    beside = Upload.objects.filter(
        pk__lt=first.pk, sha256=first.sha256, feed=first.feed, received_by=first.received_by_id
    ).exclude(restatement="")
    return beside.order_by("-pk").values_list("pk", flat=True).first()


def _read(stream: ByteStream, on_progress: Callable[[int], None] | None) -> bytes:
    """All of a file as it comes. Raises: UploadTooLarge, UploadInterrupted."""
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            piece = stream.read(READ_BYTES)
        except OSError as error:
            reason = storable(error.strerror or "the sender hung up", 200)
            raise UploadInterrupted(
                replay.say(
                    "Incomplete upload: after {size} bytes it broke off ({reason}).",
                    size=size,
                    reason=reason,
                )
            ) from error
        if not piece:
            return b"".join(pieces)
        size += len(piece)
        if size > importers.FILE_BYTES_MAX:
            raise UploadTooLarge(
                replay.say(
                    "A file of a feed is at most {file_bytes_max} bytes: send it in parts.",
                    file_bytes_max=importers.FILE_BYTES_MAX,
                )
            )
        pieces.append(piece)
        if on_progress is not None:
            on_progress(size)


def _refused(raw: bytes, refusal: replay.Refusal, feed: importers.Feed) -> replay.Line:
    """A whole file as one refused line, with its bytes where they may be kept and are not many."""
    is_kept = feed.keeps_all and len(raw) <= LINE_BYTES_MAX
    return replay.Line(1, 0, raw if is_kept else None, refusal, hashlib.sha256(raw).hexdigest())


def _without(
    pieces: Iterable[importers.Piece], others: list[importers.Piece]
) -> list[importers.Piece]:
    numbers = {piece.number for piece in others}
    return [piece for piece in pieces if piece.number not in numbers]


def _lines(pieces: Iterable[importers.Piece]) -> Iterator[replay.Line]:
    for piece in pieces:
        if len(piece.data) > LINE_BYTES_MAX:
            yield replay.Line(
                piece.number,
                piece.offset,
                None,
                replay.Refusal("$", f"longer than {LINE_BYTES_MAX} bytes"),
                hashlib.sha256(piece.data).hexdigest(),
            )
        else:
            yield replay.Line(piece.number, piece.offset, piece.data)


# -- judging --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOf:
    """Of which feed the lines of an upload are, and what stands for all of them.

    `choose` says by which ruleset each is judged, None where its source has said nothing.
    """

    name: str
    facts: Mapping[str, Any]
    choose: importers.Choose | None = None


@dataclass(slots=True)
class FeedOutcomes(Outcomes):
    """The rows of a chunk of records.

    `gaps` has source and gaps by line; `drift` the unknown fields by source and name: how many
    records had one, and the first of them with its value.
    """

    feed: str = ""
    gaps: dict[int, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    drift: dict[str, dict[str, list[Any]]] = field(default_factory=dict)


def feed_of(upload_id: int, *, said_until: datetime | None = None) -> FeedOf | None:
    """The feed of an upload; None where it is a hand log.

    `said_until`: what is in force counts as far as it had been said by then.
    """
    found = (
        Upload.objects.filter(pk=upload_id)
        .exclude(feed="")
        .values_list("feed", "feed_facts")
        .first()
    )
    if found is None:
        return None
    name, facts = found
    return FeedOf(name=name, facts=facts, choose=choice_of_feed(name, facts, said_until=said_until))


def judge_records(
    lines: list[ChunkLine],
    rulesets: replay.Rulesets,
    feed: FeedOf,
    *,
    limited_to: frozenset[str] | None = None,
) -> FeedOutcomes:
    """Judge each record by itself; one that makes its importer fail is set aside.

    `limited_to` are the sources whose hands are taken, None where all.
    """
    any_order = importers.FEEDS[feed.name].any_order
    outcomes = FeedOutcomes(feed=feed.name, limited_to=limited_to, any_order=any_order)
    for line in lines:
        try:
            audited, drift = importers.judge(
                feed.name,
                line.data,
                feed.facts,
                rulesets,
                number=line.number,
                choose=feed.choose,
            )
        except (SoftTimeLimitExceeded, MemoryError):
            raise
        except Exception as error:
            logger.exception("record_failed", extra={"line": line.number})
            outcomes.add_fault(line, f"{type(error).__name__}: {error}")
            continue
        is_hand = outcomes.add(
            line,
            SimpleNamespace(
                verdict=audited.verdict, hand=_as_hand(audited.hand), refusal=audited.refusal
            ),
        )
        if is_hand and audited.hand is not None:
            source = audited.hand.source
            outcomes.gaps[line.number] = (source, audited.verdict.gaps)
            seen = outcomes.drift.setdefault(source, {}) if drift else {}
            for name, example in list(drift.items())[: importers.DRIFT_FIELDS_MAX]:
                seen.setdefault(name, [0, line.number, example])[0] += 1
    return outcomes


def _as_hand(hand: Any) -> Any:
    """A record with the columns that a hand is searched by."""
    if hand is None:
        return None
    seats = getattr(hand, "seats", None)
    has_zone = "time_zone" not in hand.gaps
    return SimpleNamespace(
        source=hand.source,
        hand_id=hand.hand_id,
        ruleset=hand.ruleset,
        table=hand.table,
        started_at=hand.started_at if has_zone else hand.started_at + NO_OFFSET,
        currency=NO_CURRENCY if hand.currency is UNSET else hand.currency,
        minor_digits=hand.minor_digits,
        seats=None if seats is None else [seat for seat in seats if seat.player is not UNSET],
        events=getattr(hand, "wagers", ()),
    )


# -- storing --------------------------------------------------------------------------------

# Gaps stand with the version that brought them; a record that is known brings none.
_INSERT_GAPS = """
INSERT INTO audit_partialrecord (version_id, hand_id, source, feed, gaps)
SELECT v.id, v.hand_id, g.source, %(feed)s, string_to_array(g.gaps, ',')
FROM unnest(%(lines)s::int8[], %(sources)s::text[], %(gaps)s::text[]) AS g (line, source, gaps)
JOIN audit_handversion v ON v.upload_id = %(upload)s AND v.line = g.line
ON CONFLICT (version_id) DO NOTHING
"""

# In the order of their keys, so that two chunks wait for each other in one direction only.
_COUNT_DRIFT = """
INSERT INTO audit_feeddrift AS known (source, feed, field, count, upload_id, line, example)
SELECT %(source)s, %(feed)s, d.field, d.count, %(upload)s, d.line, d.example
FROM unnest(%(fields)s::text[], %(counts)s::int8[], %(lines)s::int8[], %(examples)s::text[])
    AS d (field, count, line, example)
ORDER BY d.field COLLATE "C"
ON CONFLICT (source, feed, field) DO UPDATE SET count = known.count + excluded.count
"""


def store_feed(upload_id: int, outcomes: FeedOutcomes) -> None:
    """Store what a chunk of records told of its source, in the caller's transaction."""
    if outcomes.gaps:
        with connection.cursor() as cursor:
            cursor.execute(
                _INSERT_GAPS,
                {
                    "upload": upload_id,
                    "feed": outcomes.feed,
                    "lines": list(outcomes.gaps),
                    "sources": [source for source, _ in outcomes.gaps.values()],
                    "gaps": [",".join(gaps) for _, gaps in outcomes.gaps.values()],
                },
            )
    for source in sorted(outcomes.drift):
        _store_drift(upload_id, outcomes.feed, source, outcomes.drift[source])


def _store_drift(upload_id: int, feed: str, source: str, drift: Mapping[str, list[Any]]) -> None:
    names = sorted(drift)
    with connection.cursor() as cursor:
        cursor.execute(
            _COUNT_DRIFT,
            {
                "upload": upload_id,
                "feed": feed,
                "source": source,
                "fields": [storable(name, 200) for name in names],
                "counts": [drift[name][0] for name in names],
                "lines": [drift[name][1] for name in names],
                "examples": [storable(drift[name][2], 200) for name in names],
            },
        )
