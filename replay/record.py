"""hand-log/1: the types that every game's record shares, and the strict reading of one line.

A line either becomes a typed hand or a `Refusal` that names the place and the reason. Nothing is
repaired, guessed or skipped (FORMAT 1, 2, 6.2). Which games there are is the business of
`replay.games`; this module knows none.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, Never

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay import money
from replay.times import is_later_as_text, parse_time

LINE_BYTES_MAX = 1_048_576
EVENTS_MAX = 4_096
DEPTH_MAX = 8
INTEGER_MAX = 2**53 - 1

Name = Annotated[str, Meta(min_length=1, max_length=128)]
Seat = Annotated[int, Meta(ge=0, le=3)]
Die = Annotated[int, Meta(ge=1, le=6)]
Whole = Annotated[int, Meta(ge=-INTEGER_MAX, le=INTEGER_MAX)]
Count = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
Money = str
Dice = tuple[Die, Die]


class Refusal(Exception):
    """A line that cannot be read as a hand: `place` is a path such as `$.seats[0].carry_in`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What every event may carry beside its own fields."""

    ms: Count | UnsetType = UNSET
    auto: bool | UnsetType = UNSET


class Void(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="void"):
    """The hand is void from here: nothing is owed, all stakes go back."""

    reason: Name


class SeatEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Who sits where, and what was brought into this hand."""

    seat: Seat
    player: Name
    carry_in: Money


class Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Two hands from one shuffle (PG-1, WZ-1)."""

    id: Name
    hand: Literal[1, 2]


class Hand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of every hand (FORMAT 2). A game's hand adds stakes, events and result."""

    format: Literal["hand-log/1"]
    source: Name
    hand_id: Name
    ruleset: Name
    table: Name
    started_at: str
    ended_at: str
    currency: Name
    minor_digits: Annotated[int, Meta(ge=0, le=money.MINOR_DIGITS_MAX)]
    round: Round | UnsetType = UNSET
    # Kept as it is: inside it no number and no escape is ever interpreted.
    ext: msgspec.Raw | UnsetType = UNSET


def is_set(value: object) -> bool:
    """Tell whether an optional field is there at all."""
    return value is not UNSET


def refuse(place: str, reason: str) -> Never:
    """Refuse the line."""
    raise Refusal(place, reason)


# -- money, time and seats of a decoded hand ------------------------------------------------


def read_money(text: str, digits: int, place: str, *positions: int) -> int:
    """Minor units of an amount.

    `place` has a `{}` for each position, so that it is only written out for a fault.
    Raises: Refusal with the place.
    """
    try:
        return money.UNITS_OF[digits][text]
    except money.MoneyError as error:
        raise Refusal(place.format(*positions), f"{error}: {_shown(text)}") from None


def read_amount(text: str, digits: int, place: str, *positions: int) -> int:
    """Minor units of an amount of zero or more. Raises: Refusal with the place."""
    units = read_money(text, digits, place, *positions)
    if units < 0:
        raise Refusal(place.format(*positions), f"below zero: {_shown(text)}")
    return units


def read_base(text: str, digits: int, place: str) -> int:
    """Minor units of a base stake, which is above zero. Raises: Refusal with the place."""
    units = read_money(text, digits, place)
    if units <= 0:
        raise Refusal(place, f"not above zero: {_shown(text)}")
    return units


def read_seats(seats: tuple[SeatEntry, SeatEntry, SeatEntry, SeatEntry], digits: int) -> list[int]:
    """Carry-in of the seats 0 to 3 in minor units.

    Raises: Refusal when a seat or a player is not there exactly once, or an amount is not one.
    """
    first, second, third, fourth = seats
    units_of = money.UNITS_OF[digits]
    if first.seat == 0 and second.seat == 1 and third.seat == 2 and fourth.seat == 3:
        try:
            carry_in = [
                units_of[first.carry_in],
                units_of[second.carry_in],
                units_of[third.carry_in],
                units_of[fourth.carry_in],
            ]
        except money.MoneyError:
            return _read_seats_singly(seats, digits)
        players = {first.player, second.player, third.player, fourth.player}
        if len(players) == 4 and min(carry_in) >= 0:
            return carry_in
    return _read_seats_singly(seats, digits)


def _read_seats_singly(
    seats: tuple[SeatEntry, SeatEntry, SeatEntry, SeatEntry], digits: int
) -> list[int]:
    """The same for seats in any order, and with the place of a fault."""
    carry: list[int | None] = [None, None, None, None]
    players = set()
    for position, entry in enumerate(seats):
        if carry[entry.seat] is not None:
            raise Refusal(f"$.seats[{position}].seat", f"seat {entry.seat} is there twice")
        carry[entry.seat] = read_amount(entry.carry_in, digits, "$.seats[{}].carry_in", position)
        players.add(entry.player)
    if len(players) != 4:
        raise Refusal("$.seats", "a player is there twice")
    return [units for units in carry if units is not None]


def check_times(started_at: str, ended_at: str) -> None:
    """Raises: Refusal when a time is not one, or the hand ends before it starts."""
    if is_later_as_text(started_at, ended_at):
        return
    try:
        start = parse_time(started_at)
    except ValueError as error:
        raise Refusal("$.started_at", f"{error}: {_shown(started_at)}") from None
    try:
        end = parse_time(ended_at)
    except ValueError as error:
        raise Refusal("$.ended_at", f"{error}: {_shown(ended_at)}") from None
    if end < start:
        raise Refusal("$.ended_at", "before started_at")


def check_multiples(values: list[int], place: str, *, least: int) -> None:
    """A list of multiples on offer: strictly ascending, not empty, from `least` (FORMAT 6.2, 17).

    Raises: Refusal with the place.
    """
    if not values:
        raise Refusal(place, "empty")
    if values[0] < least:
        raise Refusal(f"{place}[0]", f"below {least}")
    for position in range(1, len(values)):
        if values[position] <= values[position - 1]:
            raise Refusal(f"{place}[{position}]", "not ascending")


def _shown(text: str) -> str:
    return json.dumps(text if len(text) <= 40 else text[:37] + "…", ensure_ascii=False)


# -- what a typed decoder does not see ------------------------------------------------------

_ENCODE = msgspec.json.Encoder().encode


def needs_strict_scan(line: bytes, hand: Hand) -> bool:
    """Tell whether a decoded line could still hide what FORMAT refuses.

    msgspec keeps the last of two equal keys and lets control characters of Unicode pass. A control
    character beyond ASCII begins with the byte C2. Where a line has no backslash, the hand written
    out again spells each key and value that was kept in the fewest bytes there are: when it is as
    long as the line, nothing was dropped. In a line that is longer, for its blanks, quotes only
    delimit keys and strings: a repeated key makes their numbers differ. Anything unusual is
    scanned in full, so the short way only ever saves time.
    """
    if 0x5C in line or 0x7F in line or 0xC2 in line or hand.ext is not UNSET:
        return True
    written = _ENCODE(hand)
    return len(written) != len(line) and written.count(b'"') != line.count(b'"')


def strict_scan(line: bytes) -> dict[str, Any]:
    """Read a line with the standard library and check what holds for every JSON part of it.

    Repeated keys (also through an escape), depth, control characters in names, unpaired
    surrogates and the words NaN and Infinity are refused. Numbers are left as text.
    Raises: Refusal.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal("$", f"not UTF-8 (byte {error.start})") from None
    check_depth(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique_pairs,
            parse_float=str,
            parse_int=str,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise Refusal("$", f"not JSON: {error.msg} (character {error.pos})") from None
    if not isinstance(value, dict):
        raise Refusal("$", "not a JSON object")
    if not isinstance(value.get("ext", {}), dict):
        raise Refusal("$.ext", "not an object")
    for key, part in value.items():
        _check_strings(part, f"$.{key}", free=key == "ext")
    return value


def check_depth(text: str) -> None:
    """Raises: Refusal when the JSON parts nest deeper than DEPTH_MAX; strings are passed over."""
    depth = 0
    for match in _STRUCTURE.finditer(text):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > DEPTH_MAX:
                raise Refusal("$", f"deeper than {DEPTH_MAX} (character {match.start()})")
        elif mark in "]}":
            depth -= 1


_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parts = dict(pairs)
    if len(parts) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Refusal("$", f"the key {_shown(key)} is there twice in one object")
            seen.add(key)
    for key in parts:
        if not key.isascii() and _has_surrogate(key):
            raise Refusal("$", "an unpaired surrogate in a key")
    return parts


def _refuse_constant(word: str) -> Never:
    raise Refusal("$", f"{word} is not JSON")


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _check_strings(value: object, place: str, *, free: bool) -> None:
    """Names hold no control characters; nothing holds a surrogate, `ext` (`free`) included."""
    if isinstance(value, str):
        if not free and _CONTROL.search(value):
            raise Refusal(place, "a control character")
        if not value.isascii() and _has_surrogate(value):
            raise Refusal(place, "an unpaired surrogate")
    elif isinstance(value, dict):
        for key, part in value.items():
            _check_strings(part, f"{place}.{key}", free=free)
    elif isinstance(value, list):
        for position, part in enumerate(value):
            _check_strings(part, f"{place}[{position}]", free=free)


def salvage(line: bytes) -> dict[str, str | None]:
    """What can be told of a refused line (FORMAT 6.2, 18): its four names, or None for each.

    A name is given when the line is a JSON object without repeated keys and it is well-formed.
    """
    names: dict[str, str | None] = dict.fromkeys(("source", "hand_id", "game", "ruleset"))
    try:
        value = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_unique_pairs,
            parse_float=str,
            parse_int=_Number,
            parse_constant=_refuse_constant,
        )
    except (Refusal, ValueError, RecursionError):
        return names
    if isinstance(value, dict):
        for key in names:
            text = value.get(key)
            if type(text) is str and _is_name(text):
                names[key] = text
    return names


def _is_name(text: str) -> bool:
    return 1 <= len(text) <= 128 and not _CONTROL.search(text) and not _has_surrogate(text)


class _Number(str):
    """A number's text, told apart from a string by its type."""

    __slots__ = ()
