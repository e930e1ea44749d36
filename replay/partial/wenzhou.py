"""Wenzhou Pai Gow with gaps: the wagers of a round as a feed tells them (RULEBOOK 4.4).

No feed carries its tiles in a form that can be read. Where it says which doors won the whole
settlement is recomputed; else a wager's own payment says whether it won, and what can be checked is
that it is paid at the odds, and that wagers on one door agree.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay.findings import Finding, finding
from replay.money import MoneyError, Rate, format_minor
from replay.partial.gaps import GapName
from replay.partial.judged import Judged
from replay.partial.record import PartialHand, check_frame, check_gap
from replay.record import EVENTS_MAX, Money, Name, Refusal, is_set
from replay.record import read_money as money_of
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.payout import (
    Settlement,
    profit_of,
    render,
    settle,
    valid_bet_of,
)
from replay.wenzhou_pai_gow.record import DOORS, Door, Side, Wager
from replay.wenzhou_pai_gow.record import Facts as WholeFacts

GAME = "wenzhou-pai-gow"


class PartialWager(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One wager with its payment. `odds` are those that its ticket says; profit is without the
    stake."""

    bet: Name
    player: Name
    door: Door
    side: Side
    stake: Money
    profit: Money
    odds: str | UnsetType = UNSET
    valid_bet: Money | UnsetType = UNSET


class PartialPlayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The totals of one player's wagers; `valid_bet` after offsetting (WZ-27)."""

    player: Name
    profit: Money
    valid_bet: Money | UnsetType = UNSET


class PartialWenzhou(PartialHand, frozen=True, kw_only=True, tag_field="game", tag=GAME):
    """The wagers of one round that a feed tells; `outcomes` has all three doors or is not there."""

    wagers: Annotated[list[PartialWager], Meta(min_length=1, max_length=EVENTS_MAX)]
    players: list[PartialPlayer]
    outcomes: dict[Door, Literal["door", "bank"]] | UnsetType = UNSET


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The amounts in minor units, in the order of the wagers and by player."""

    gaps: frozenset[GapName]
    whole: WholeFacts
    profits: list[int]
    valid_bets: list[int | None]
    totals: dict[str, tuple[int, int | None]]


def check(hand: PartialWenzhou) -> Facts:
    """Read the amounts, and check that nothing is missing but what the gaps name.

    Raises: Refusal with the place.
    """
    gaps = check_frame(hand, GAME)
    digits = hand.minor_digits
    wagers, stakes, profits = [], [], []
    valid_bets: list[int | None] = []
    seen: set[str] = set()
    for index, one in enumerate(hand.wagers):
        place = f"$.wagers[{index}]"
        if one.bet in seen:
            raise Refusal(f"{place}.bet", f"the bet {one.bet} is there twice")
        seen.add(one.bet)
        wagers.append(
            Wager(bet=one.bet, player=one.player, door=one.door, side=one.side, stake=one.stake)
        )
        stakes.append(money_of(one.stake, digits, f"{place}.stake"))
        profits.append(money_of(one.profit, digits, f"{place}.profit"))
        valid_bets.append(_optional(one.valid_bet, digits, f"{place}.valid_bet"))
        if one.odds is not UNSET:
            _rate(one.odds, f"{place}.odds")
    if is_set(hand.outcomes) and len(hand.outcomes) != len(DOORS):  # type: ignore[arg-type]
        raise Refusal("$.outcomes", "all three doors, or none")
    facts = Facts(
        gaps=gaps,
        whole=WholeFacts(
            minor_digits=digits,
            min_minor=None,
            max_minor=None,
            wagers=wagers,
            stakes=stakes,
            bets=None,
            players=None,
        ),
        profits=profits,
        valid_bets=valid_bets,
        totals=_totals(hand, digits),
    )
    check_gap(gaps, "outcomes", "$.outcomes", is_whole=is_set(hand.outcomes))
    check_gap(gaps, "bet_valid_bets", "$.wagers", is_whole=all(v is not None for v in valid_bets))
    totals = facts.totals.values()
    check_gap(gaps, "valid_bet", "$.players", is_whole=all(v is not None for _, v in totals))
    return facts


def _totals(hand: PartialWenzhou, digits: int) -> dict[str, tuple[int, int | None]]:
    totals: dict[str, tuple[int, int | None]] = {}
    for index, one in enumerate(hand.players):
        place = f"$.players[{index}]"
        if one.player in totals:
            raise Refusal(f"{place}.player", f"{one.player} is there twice")
        totals[one.player] = (
            money_of(one.profit, digits, f"{place}.profit"),
            _optional(one.valid_bet, digits, f"{place}.valid_bet"),
        )
    if list(totals) != list(dict.fromkeys(one.player for one in hand.wagers)):
        raise Refusal("$.players", "not the players of the wagers, in their order")
    return totals


def _optional(text: str | UnsetType, digits: int, place: str) -> int | None:
    return None if text is UNSET else money_of(text, digits, place)


def _rate(text: str, place: str) -> Rate:
    try:
        return Rate.parse(text)
    except MoneyError as error:
        raise Refusal(place, f"{error}: {text[:40]}") from None


def judge(hand: PartialWenzhou, facts: Facts, rules: Rules) -> Judged:
    """Make every check that the gaps leave; a wager that the rules refuse does not end it, for each
    was paid by itself."""
    digits = hand.minor_digits
    findings = _wagers(hand, facts, rules)
    told = door_wins_of(hand)
    by_payment: dict[str, bool] = {}
    if told is None:
        by_payment, disagreements = _told_by_payments(hand, facts)
        findings += disagreements
        is_settled = not disagreements and all(one.door in by_payment for one in hand.wagers)
        shun, chu, dao = (by_payment.get(door, False) for door in DOORS)
        due = settle(facts.whole, (shun, chu, dao), rules)
        figures = _profits_by_payment(facts, by_payment, rules, digits)
    else:
        is_settled = True
        due = settle(facts.whole, told, rules)
        figures = _profits(facts, due.profits, digits)
    figures += _valid_bets(facts, rules, digits)
    if is_settled:
        figures += _totals_of(facts, due, digits)
    rendered = render(due, digits) if told is not None else None
    return Judged(findings=findings, figures=figures, settlement=rendered)


def door_wins_of(hand: PartialWenzhou) -> tuple[bool, bool, bool] | None:
    """Which doors won, where the record says so."""
    if hand.outcomes is UNSET:
        return None
    shun, chu, dao = (hand.outcomes[door] == "door" for door in DOORS)
    return shun, chu, dao


def _wagers(hand: PartialWenzhou, facts: Facts, rules: Rules) -> list[Finding]:
    """What is wrong with a wager itself. Rule: WZ-21, WZ-22, WZ-23."""
    found = []
    doors: dict[tuple[str, str], set[str]] = {}
    for one, stake in zip(hand.wagers, facts.whole.stakes, strict=True):
        if stake <= 0:
            logged = format_minor(stake, hand.minor_digits)
            found.append(finding("wager-illegal", subject=one.bet, logged=logged, rule="WZ-21"))
        mine = doors.setdefault((one.player, one.side), set())
        other = doors.get((one.player, "lose" if one.side == "win" else "win"), set())
        is_new = one.door not in mine
        mine.add(one.door)
        most = rules.max_win_doors if one.side == "win" else rules.max_lose_doors
        if is_new and len(mine) > most:
            found.append(
                finding(
                    "wager-illegal", subject=one.bet, logged=len(mine), expected=most, rule="WZ-21"
                )
            )
        if is_new and one.door in other:
            code = "wager-illegal" if rules.rejects_both_sides else "wager-hedged"
            found.append(finding(code, subject=one.bet, rule="WZ-22"))
        if one.odds is not UNSET:
            rate = rules.odds_win if one.side == "win" else rules.odds_lose
            odds = Rate.parse(one.odds)
            if odds.numerator * rate.denominator != rate.numerator * odds.denominator:
                found.append(
                    finding(
                        "wager-illegal",
                        subject=one.bet,
                        logged=one.odds,
                        expected=rate.text,
                        rule="WZ-23",
                    )
                )
    return found


def _told_by_payments(hand: PartialWenzhou, facts: Facts) -> tuple[dict[str, bool], list[Finding]]:
    """Which doors won by the first wager on each that won or lost, and those of which others say
    otherwise. Rule: WZ-24."""
    told: dict[str, bool] = {}
    against: dict[str, Finding] = {}
    for one, profit in zip(hand.wagers, facts.profits, strict=True):
        if profit == 0:
            continue
        wins = (profit > 0) == (one.side == "win")
        if told.setdefault(one.door, wins) != wins and one.door not in against:
            against[one.door] = finding(
                "outcome-mismatch",
                subject=one.door,
                logged="door" if wins else "bank",
                expected="bank" if wins else "door",
                rule="WZ-24",
            )
    return told, [against[door] for door in DOORS if door in against]


def _profits(facts: Facts, right: list[int], digits: int) -> list[Finding]:
    """What each wager is paid, where it is known which doors won. Rule: WZ-23, WZ-24."""
    return [
        _mismatch("profit", wager.bet, profit, due, digits, follows=False)
        for wager, profit, due in zip(facts.whole.wagers, facts.profits, right, strict=True)
        if profit != due
    ]


def _profits_by_payment(
    facts: Facts, told: dict[str, bool], rules: Rules, digits: int
) -> list[Finding]:
    """What each wager is paid, taken to have won or lost by its own sign. Rule: WZ-23.

    One that is paid nothing is compared with what others say of its door; where none says anything
    nothing is expected of it but that it is not nothing.
    """
    found = []
    for number, wager in enumerate(facts.whole.wagers):
        profit, stake = facts.profits[number], facts.whole.stakes[number]
        wins = told.get(wager.door)
        if profit != 0:
            wins = (profit > 0) == (wager.side == "win")
        right = None if wins is None else profit_of(wager.side, stake, wins, rules)
        if profit != right:
            found.append(_mismatch("profit", wager.bet, profit, right, digits, follows=False))
    return found


def _valid_bets(facts: Facts, rules: Rules, digits: int) -> list[Finding]:
    """The valid bet of each wager, by its profit as it stands in the record. Rule: WZ-27."""
    found = []
    for number, wager in enumerate(facts.whole.wagers):
        logged = facts.valid_bets[number]
        right = valid_bet_of(facts.whole.stakes[number], facts.profits[number], rules)
        if logged is not None and logged != right:
            found.append(_mismatch("valid-bet", wager.bet, logged, right, digits, follows=False))
    return found


def _totals_of(facts: Facts, due: Settlement, digits: int) -> list[Finding]:
    """What each player's wagers come to, where each of them is settled. Rule: WZ-23, WZ-27."""
    found = []
    for player, (profit, valid_bet) in facts.totals.items():
        book = due.books[player]
        logged = sum(facts.profits[number] for number in book.bets)
        if profit != book.profit:
            found.append(
                _mismatch("profit", player, profit, book.profit, digits, follows=profit == logged)
            )
        is_told = valid_bet is not None and "other_bets" not in facts.gaps
        if is_told and valid_bet != book.valid_bet:
            assert valid_bet is not None
            found.append(
                _mismatch("valid-bet", player, valid_bet, book.valid_bet, digits, follows=False)
            )
    return found


def _mismatch(
    figure: str, subject: str, logged: int, expected: int | None, digits: int, *, follows: bool
) -> Finding:
    return finding(
        f"{figure}-mismatch",
        subject=subject,
        logged=format_minor(logged, digits),
        expected=None if expected is None else format_minor(expected, digits),
        rule="WZ-23" if figure == "profit" else "WZ-27",
        follows=follows,
    )


def unchecked(
    hand: Any, facts: Any, rules: Any, name: str
) -> tuple[tuple[int, ...], frozenset[GapName]]:
    """No check of this game goes by seat."""
    raise AssertionError(name)
