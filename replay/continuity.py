"""Checks across the hands of one table (FORMAT 6.6).

Each readable hand is compared with the one before it of the same source and table. What is kept
of a table is one small summary, so a long log costs no more memory than its tables do.

`Continuity` does this for a log in its order. Whoever keeps hands in an order of his own calls
`summarise` and `compare`: neither judges a hand again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replay.audit import Audited, game_of, with_findings, worded
from replay.findings import Finding, finding
from replay.money import format_minor, parse_minor
from replay.record import Hand, is_set
from replay.ruleset import Rulesets
from replay.tiles import COPIES, INDEX
from replay.verdict import Verdict

BANKER_PAI_GOW = "banker-pai-gow"
WENZHOU_PAI_GOW = "wenzhou-pai-gow"
# Games in which two hands come from one shuffle, with the rule that says so.
_ROUND_RULE = {BANKER_PAI_GOW: "PG-2", WENZHOU_PAI_GOW: "WZ-1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the next hand of the table is compared with."""

    game: str
    round_id: str | None
    round_hand: int | None
    dealt: Counter[str]
    currency: str
    minor_digits: int
    # Carry-out by player, None where the log carries neither figure.
    carry_out: dict[str, int | None]
    may_end_early: bool
    next_bank: tuple[int, int] | None


class Continuity:
    """The last hand of each table, in the order in which hands come in."""

    def __init__(self, rulesets: Rulesets) -> None:
        self._rulesets = rulesets
        self._last: dict[tuple[str, str], Summary] = {}

    def judge(self, audited: Audited) -> Verdict:
        """The verdict with the findings against the hand before; a rejected line is passed over."""
        hand, verdict = audited.hand, audited.verdict
        if hand is None:
            return verdict
        place = (hand.source, hand.table)
        earlier = self._last.get(place)
        self._last[place] = summarise(hand, verdict.settlement, self._rulesets)
        if earlier is None:
            return verdict
        return with_findings(verdict, compare(earlier, hand))


def summarise(hand: Hand, settlement: Mapping[str, Any] | None, rulesets: Rulesets) -> Summary:
    """What of a hand the next one is compared with.

    `settlement` is the recomputed one, as its verdict has it; the ruleset of the hand must be
    known.
    """
    game = game_of(hand).name
    round_ = hand.round if is_set(hand.round) else None
    carry_out = _carry_out(hand)
    return Summary(
        game=game,
        round_id=getattr(round_, "id", None),
        round_hand=getattr(round_, "hand", None),
        dealt=Counter(_dealt(hand)),
        currency=hand.currency,
        minor_digits=hand.minor_digits,
        carry_out=carry_out,
        may_end_early=_may_end_early(hand, game, carry_out, rulesets),
        next_bank=_next_bank(settlement),
    )


def _may_end_early(
    hand: Any, game: str, carry_out: dict[str, int | None], rulesets: Rulesets
) -> bool:
    """Whether a missing second hand is legal: some seat fell below the entry (PG-1, 2.5)."""
    if game != BANKER_PAI_GOW or not is_set(hand.stakes.entry):
        return False
    ruleset = rulesets.get(hand.ruleset)
    assert ruleset is not None
    if ruleset.options["early_exit"] != "below_entry":
        return False
    entry = parse_minor(hand.stakes.entry, hand.minor_digits)
    return any(units is not None and units < entry for units in carry_out.values())


def compare(earlier: Summary, later: Hand) -> tuple[Finding, ...]:
    """The findings of a hand against the one before it, in the order of FORMAT 6.6, 33."""
    hand: Any = later
    kind = game_of(later)
    game = kind.name
    found = _reused_tiles(earlier, hand, game)
    round_ = hand.round if is_set(hand.round) else None
    if game == earlier.game == BANKER_PAI_GOW and earlier.round_hand == 1:
        is_second = round_ is not None and (round_.id, round_.hand) == (earlier.round_id, 2)
        if not is_second and not earlier.may_end_early:
            found.append(finding("round-incomplete", subject=earlier.round_id, rule="PG-1"))
    found += _carry_gaps(earlier, hand, game)
    if game == earlier.game and earlier.next_bank is not None:
        found += _bank(earlier.next_bank, hand)
    return tuple(worded(one, kind) for one in found)


def _dealt(hand: Any) -> list[str]:
    """The tiles of all `deal` events in their order."""
    return [
        tile
        for event in hand.events
        if event.__struct_config__.tag == "deal"
        for tile in event.tiles
    ]


def _reused_tiles(earlier: Summary, hand: Any, game: str) -> list[Finding]:
    rule = _ROUND_RULE.get(game)
    if rule is None or earlier.game not in _ROUND_RULE or not is_set(hand.round):
        return []
    if hand.round.id != earlier.round_id:
        return []
    here = Counter(_dealt(hand))
    found = []
    for tile, count in here.items():
        before = earlier.dealt[tile]
        copies = COPIES[INDEX[tile]]
        if before and before + count > copies:
            found.append(
                finding(
                    "round-tile-reused",
                    subject=tile,
                    logged=before + count,
                    expected=copies,
                    rule=rule,
                )
            )
    return found


def _carry_out(hand: Any) -> dict[str, int | None]:
    """By player: the logged carry_out, else carry_in and the logged net; void: carry_in."""
    seats = getattr(hand, "seats", None)
    if seats is None:
        return {}
    digits = hand.minor_digits
    is_void = bool(hand.events) and hand.events[-1].__struct_config__.tag == "void"
    logged = {} if hand.result is None else {entry.seat: entry for entry in hand.result.seats}
    carried: dict[str, int | None] = {}
    for entry in seats:
        carry_in = parse_minor(entry.carry_in, digits)
        figures = logged.get(entry.seat)
        if figures is None:
            carried[entry.player] = carry_in if is_void else None
        elif is_set(figures.carry_out):
            carried[entry.player] = parse_minor(figures.carry_out, digits)
        else:
            carried[entry.player] = carry_in + parse_minor(figures.net, digits)
    return carried


def _carry_gaps(earlier: Summary, hand: Any, game: str) -> list[Finding]:
    seats = getattr(hand, "seats", None)
    if seats is None or not earlier.carry_out:
        return []
    if (hand.currency, hand.minor_digits) != (earlier.currency, earlier.minor_digits):
        return []
    digits = hand.minor_digits
    found = []
    for entry in sorted(seats, key=lambda entry: entry.seat):
        expected = earlier.carry_out.get(entry.player)
        carry_in = parse_minor(entry.carry_in, digits)
        if expected is not None and carry_in != expected:
            found.append(
                finding(
                    "carry-discontinuity",
                    seat=entry.seat,
                    subject=entry.player if game == BANKER_PAI_GOW else None,
                    logged=format_minor(carry_in, digits),
                    expected=format_minor(expected, digits),
                    rule="PG-37" if game == BANKER_PAI_GOW else None,
                )
            )
    return found


def _next_bank(settlement: Mapping[str, Any] | None) -> tuple[int, int] | None:
    if settlement is None or "next" not in settlement:
        return None
    bank = settlement["next"]
    return bank["banker"], bank["streak"]


def _bank(expected: tuple[int, int], hand: Any) -> list[Finding]:
    seat, streak = expected
    if hand.banker.seat != seat:
        return [finding("banker-succession", logged=hand.banker.seat, expected=seat, rule="TG-5")]
    if hand.banker.streak != streak:
        return [finding("streak-mismatch", logged=hand.banker.streak, expected=streak, rule="TG-6")]
    return []
