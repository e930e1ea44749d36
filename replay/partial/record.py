"""hand-log/1-partial: what every record with gaps has, and the strict reading of one line.

What a record does not name as a gap must be there. A gap may leave a part of the facts: what is
there is shown, and nothing that needs all of them is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay import money
from replay.partial.gaps import ALWAYS, GapName, possible_gaps
from replay.record import Name, Refusal, is_set, strict_scan
from replay.times import parse_time

FORMAT = "hand-log/1-partial"
ASSUMPTIONS_MAX = 16
TEXT_MAX = 500

_LOCAL_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?")


class Assumption(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What whoever wrote the record took a field of its feed to mean, and why."""

    name: Name
    text: Annotated[str, Meta(min_length=1, max_length=TEXT_MAX)]


class PartialHand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of every record with gaps. A game's record adds what it carries.

    `feed` says whose form the facts came in. Times have no offset where `time_zone` is a gap.
    """

    format: Literal["hand-log/1-partial"]
    feed: Name
    source: Name
    hand_id: Name
    ruleset: Name
    table: Name
    started_at: str
    minor_digits: Annotated[int, Meta(ge=0, le=money.MINOR_DIGITS_MAX)]
    gaps: Annotated[list[GapName], Meta(min_length=1)]
    assumptions: Annotated[list[Assumption], Meta(max_length=ASSUMPTIONS_MAX)] = []
    ended_at: str | UnsetType = UNSET
    currency: Name | UnsetType = UNSET


def is_local_time(text: str) -> bool:
    """Tell whether a text is a time without an offset: 2024-05-17T21:14:06."""
    match = _LOCAL_TIME.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def check_gap(gaps: frozenset[GapName], name: GapName, place: str, *, is_whole: bool) -> None:
    """Raises: Refusal when facts are missing that no gap names, or a gap is named that is none."""
    if not is_whole and name not in gaps:
        raise Refusal(place, f"missing, and “{name}” is not named as a gap")
    if is_whole and name in gaps:
        raise Refusal("$.gaps", f"“{name}” is named, but nothing is missing")


def check_frame(hand: PartialHand, game: str) -> frozenset[GapName]:
    """Check what every record with gaps must keep; gives its gaps.

    Raises: Refusal with the place.
    """
    gaps = frozenset(hand.gaps)
    if len(gaps) != len(hand.gaps):
        raise Refusal("$.gaps", "a gap is there twice")
    for name in hand.gaps:
        if name not in possible_gaps(game):
            raise Refusal("$.gaps", f"no check of {game} needs “{name}”")
    for name in sorted(ALWAYS[game] - gaps):
        raise Refusal("$.gaps", f"“{name}” is missing: this format has no field for it")
    check_gap(gaps, "currency", "$.currency", is_whole=is_set(hand.currency))
    _check_times(hand, has_zone="time_zone" not in gaps)
    return gaps


def _check_times(hand: PartialHand, *, has_zone: bool) -> None:
    times: list[Any] = []
    for name in ("started_at", "ended_at"):
        text = getattr(hand, name)
        if text is UNSET:
            continue
        if has_zone:
            try:
                times.append(parse_time(text))
            except ValueError as error:
                raise Refusal(f"$.{name}", f"{error}: {text[:40]}") from None
        elif is_local_time(text):
            times.append(text)
        else:
            raise Refusal(f"$.{name}", f"not a time without an offset: {text[:40]}")
    if len(times) == 2 and times[1] < times[0]:
        raise Refusal("$.ended_at", "before started_at")


def decoder_of(types: tuple[type[PartialHand], ...]) -> Callable[[bytes], Any]:
    """A strict decoder of the games' records."""
    # Made at run time, so that it cannot be written with bars.
    return msgspec.json.Decoder(Union[types]).decode  # noqa: UP007


def decode(line: bytes, decoder: Callable[[bytes], Any]) -> Any:
    """Read one line as a record with gaps. Raises: Refusal with the place and the reason."""
    try:
        hand = decoder(line)
    except msgspec.ValidationError as error:
        reason, found, place = str(error).rpartition(" - at `")
        raise Refusal(place.rstrip("`") if found else "$", reason if found else place) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Refusal("$", str(error)) from None
    strict_scan(line)
    return hand
