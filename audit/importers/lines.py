"""hand-log/1-partial itself, for whoever writes an exporter that lacks facts (docs/format.md)."""

from __future__ import annotations

from audit.importers.feed import Converted, CutFile, Facts, Feed, Piece
from replay import say

NAME = "partial"


def cut(data: bytes) -> CutFile:
    """A record a line."""
    pieces: list[Piece] = []
    at = 0
    for raw in data.split(b"\n"):
        line = raw.removesuffix(b"\r")
        start = at
        if at == 0 and line.startswith(b"\xef\xbb\xbf"):
            line, start = line[3:], 3
        if line.strip(b" \t\r"):
            pieces.append(Piece(number=len(pieces) + 1, offset=start, data=line))
        at += len(raw) + 1
    return CutFile(pieces=tuple(pieces))


def convert(data: bytes, facts: Facts) -> Converted:
    """A line as it is."""
    return Converted(line=data, drift={})


FEED = Feed(
    name=NAME,
    title=say("Records with gaps (hand-log/1-partial)"),
    game="",
    ruleset="",
    needs_source=False,
    cut=cut,
    convert=convert,
)
