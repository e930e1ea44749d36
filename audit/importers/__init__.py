"""Operators' feeds: files cut into records, records turned into hands that name what they lack.

Pure decoding, without Django and without the store: bytes in, facts or a refusal out. To add a
feed, write its module and put its `FEED` here, and its page into docs/importers.

    FEEDS                                        by name
    cut(feed, data) -> CutFile                   a whole file; Refusal for a layout nobody knows
    read(feed, raw, facts, …) -> (Readable, drift)  one record, from its exact bytes; Refusal
    judge(feed, raw, facts, rulesets, …)         the same judged; never raises for what it holds
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import replay
from audit.importers import bbin, event_list, ky, lines, wm
from audit.importers.feed import DRIFT_FIELDS_MAX, Converted, CutFile, Facts, Feed, Piece
from audit.importers.force import Choose, by_force, named

__all__ = [
    "DRIFT_FIELDS_MAX",
    "FEEDS",
    "FILE_BYTES_MAX",
    "Choose",
    "Converted",
    "CutFile",
    "Facts",
    "Feed",
    "Piece",
    "cut",
    "judge",
    "named",
    "read",
]

# A file of a feed is cut as a whole, in memory: about a second and 70 MB for 50,000 rows.
FILE_BYTES_MAX = 8 * 1024 * 1024

FEEDS: Mapping[str, Feed] = {
    feed.name: feed for feed in (ky.FEED, bbin.FEED, wm.FEED, event_list.FEED, lines.FEED)
}


def cut(feed: str, data: bytes) -> CutFile:
    """Cut the unpacked bytes of a file into records. Raises: Refusal with the place."""
    return FEEDS[feed].cut(data)


def read(
    feed: str, raw: bytes, facts: Facts, *, choose: Choose | None = None
) -> tuple[replay.Readable, Mapping[str, str]]:
    """Read one record from its exact bytes and what stands for its file; and its unknown fields.

    `choose` says by which ruleset it is judged, where its feed names none.
    Raises: Refusal with the place.
    """
    known = FEEDS[feed]
    converted = known.convert(raw, facts)
    readable = replay.read_partial(converted.line)
    if choose is not None and not known.names_ruleset:
        readable = by_force(readable, choose)
    return readable, converted.drift


def judge(
    feed: str,
    raw: bytes,
    facts: Facts,
    rulesets: replay.Rulesets,
    *,
    file: str | None = None,
    number: int = 1,
    choose: Choose | None = None,
) -> tuple[replay.PartiallyAudited, Mapping[str, str]]:
    """Judge one record; and its unknown fields. What cannot be read is a refusal in the verdict."""
    try:
        readable, drift = read(feed, raw, facts, choose=choose)
        audited = replay.judge_partial(
            readable,
            rulesets,
            record_sha256=hashlib.sha256(raw).hexdigest(),
            file=file,
            number=number,
        )
    except replay.Refusal as refusal:
        return replay.reject_partial(raw, refusal, file=file, number=number), {}
    return audited, drift
