"""What an importer is, and the words that all of them share.

An importer cuts a file into records, one a hand, whose bytes are kept as they came; and it turns
the bytes of one record into a hand that names what it lacks. Both are pure, and the second is
repeated from the stored bytes whenever a hand is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import replay

# What stands for the whole of a file: its source, what its importer found about it.
Facts = Mapping[str, Any]

FIELD_MAX = 200
EXAMPLE_MAX = 200
DRIFT_FIELDS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One record cut out of a file.

    `number` counts from 1, `offset` is the byte of the unpacked file at which its first part
    starts. `restates`: its feed says that it settles anew what was settled before.
    """

    number: int
    offset: int
    data: bytes
    restates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutFile:
    """A file as its importer cut it; `drift` are unknown fields around the records, each with its
    value."""

    pieces: tuple[Piece, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    drift: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A record as hand-log/1-partial; `drift` are its fields that nobody knows, with a value."""

    line: bytes
    drift: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """One feed. `needs_source`: its records do not say whose they are, so the sender must.

    `cut` takes the unpacked bytes of a file, `convert` those of one record; both raise Refusal with
    the place. `ruleset` is the one that its hands are judged by while their source has not said
    which one is in force, "" where the records name theirs. `keeps_all`: a file that cannot be
    cut may be kept as it came, for no field of it is to be dropped. `any_order`: the order of the
    rows of a record says nothing, so that a pull that lists them otherwise says the same.
    """

    name: str
    title: str
    game: str
    ruleset: str
    needs_source: bool
    keeps_all: bool = True
    any_order: bool = False
    cut: Callable[[bytes], CutFile]
    convert: Callable[[bytes, Facts], Converted]

    @property
    def names_ruleset(self) -> bool:
        """Whether its records name the ruleset that they are judged by."""
        return not self.ruleset


def refuse(place: str, reason: str) -> replay.Refusal:
    """A refusal to raise."""
    return replay.Refusal(place, reason)
