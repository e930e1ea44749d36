"""Logged figures against recomputed ones (FORMAT 6.4, 6.5), and the judgement of a hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add
from typing import Any

from replay.findings import Finding, finding
from replay.game import Judgement
from replay.money import TEXT_OF, format_minor
from replay.steps import Observer
from replay.tien_gow.options import Rules
from replay.tien_gow.payout import (
    ORDINARY,
    Settled,
    gross_of,
    immediate_units,
    next_bank,
    payments_of,
    rake_on,
    settle,
    settle_void,
    total_units,
)
from replay.tien_gow.play import replay
from replay.tien_gow.record import AnyHand, Facts, Logged, is_void
from replay.tien_gow.state import Replay


def judge(hand: AnyHand, facts: Facts, rules: Rules, observer: Observer | None = None) -> Judgement:
    """Replay, settle and compare one hand."""
    state = replay(hand, rules, observer)
    if is_void(hand):
        return Judgement(
            findings=state.findings,
            figures=_compare_void(hand, facts, rules),
            stopped=state.stopped,
            void=True,
            settlement=settle_void(hand),
        )
    if state.stopped:
        return Judgement(
            findings=state.findings, figures=[], stopped=True, void=False, settlement=None
        )
    settled = settle(hand, facts, state, rules)
    return Judgement(
        findings=state.findings,
        figures=compare(hand, facts, rules, state, settled),
        stopped=False,
        void=False,
        settlement=settled,
    )


def compare(
    hand: AnyHand, facts: Facts, rules: Rules, state: Replay, settled: Settled
) -> list[Finding]:
    """The findings on `result`; most hands have none and leave at once."""
    logged = facts.logged
    if logged is None:
        return [finding("result-missing")]
    if (
        logged.winner == settled.winner
        and logged.units == settled.units
        and logged.tricks == settled.tricks
        and logged.gross == settled.gross
        and logged.rake == settled.rake
        and logged.net == settled.net
        and logged.valid_bet == settled.valid_bet
        and (logged.next is None or logged.next == settled.next)
        and (logged.carry_out is None or _are_carried(logged, facts.carry_in, settled.net))
    ):
        return []
    assert logged.winner is not None, "only a void hand may have no winner"
    found = _hand_findings(hand, rules, state, settled, logged, logged.winner)
    found += _money_findings(hand, facts, rules, settled, logged, logged.winner)
    return found + _conservation(logged, hand.minor_digits)


def _are_carried(logged: Logged, carry_in: Sequence[int], net: Sequence[int]) -> bool:
    due = list(map(add, carry_in, net))
    if logged.carry_out == due:
        return True
    # Seats without the figure are not compared.
    return all(
        carried is None or carried == expected
        for carried, expected in zip(logged.carry_out or due, due, strict=True)
    )


def _hand_findings(
    hand: AnyHand, rules: Rules, state: Replay, settled: Settled, logged: Logged, winner: int
) -> list[Finding]:
    """Winner, tricks, units, next, each with what follows from earlier logged figures."""
    found = []
    if winner != settled.winner:
        found.append(
            finding(
                "winner-mismatch",
                logged=winner,
                expected=settled.winner,
                rule="TG-30" if state.declared is None else "TG-86",
                follows=winner == state.winner_claim,
            )
        )
    claims = state.trick_claims or [0, 0, 0, 0]
    found += _per_seat(
        "tricks-mismatch",
        "TG-26",
        logged.tricks,
        settled.tricks,
        lambda seat: settled.tricks[seat] + claims[seat],
        str,
    )
    due = _units_from_logged(hand, rules, state, settled, logged, winner)
    found += _per_seat(
        "units-mismatch", settled.ending.rule, logged.units, settled.units, due.__getitem__, str
    )
    if logged.next is not None and logged.next != settled.next:
        from_logged = next_bank(winner, hand.banker.seat, hand.banker.streak)
        found.append(
            finding(
                "next-mismatch",
                logged="{}/{}".format(*logged.next),
                expected="{}/{}".format(*settled.next),
                rule="TG-5" if logged.next[0] != settled.next[0] else "TG-6",
                follows=logged.next == from_logged,
            )
        )
    return found


def _units_from_logged(
    hand: AnyHand, rules: Rules, state: Replay, settled: Settled, logged: Logged, winner: int
) -> list[int]:
    """The units that logged winner, tricks and `bonus` events give (FORMAT 6.4, 29)."""
    payments = payments_of(
        settled.ending if winner == settled.winner else ORDINARY,
        winner,
        logged.tricks,
        banker=hand.banker.seat,
        multiple=rules.multiple_of(hand.banker.streak),
        rules=rules,
    )
    claims = state.bonus_claims or [0, 0, 0, 0]
    earned = immediate_units(state)
    return total_units(payments, [earned[seat] + claims[seat] for seat in range(4)])


def _money_findings(
    hand: AnyHand, facts: Facts, rules: Rules, settled: Settled, logged: Logged, winner: int
) -> list[Finding]:
    """Gross, rake, net, valid bet, carry-out, each with what follows from earlier figures."""
    digits = hand.minor_digits

    def text(amount: int) -> str:
        return format_minor(amount, digits)

    gross = gross_of(logged.units, facts.base, facts.carry_in, winner, rules)
    valid_source = logged.net if rules.valid_of_net else logged.gross
    expected_out = [facts.carry_in[seat] + settled.net[seat] for seat in range(4)]
    return [
        *_per_seat(
            "gross-mismatch",
            gross_rule(rules),
            logged.gross,
            settled.gross,
            gross.__getitem__,
            text,
        ),
        *_per_seat(
            "rake-mismatch",
            "TG-91",
            logged.rake,
            settled.rake,
            lambda seat: rake_on(logged.gross[seat], rules),
            text,
        ),
        *_per_seat(
            "net-mismatch",
            "TG-91",
            logged.net,
            settled.net,
            lambda seat: logged.gross[seat] - logged.rake[seat],
            text,
        ),
        *_per_seat(
            "valid-bet-mismatch",
            "TG-92",
            logged.valid_bet,
            settled.valid_bet,
            lambda seat: abs(valid_source[seat]),
            text,
        ),
        *_per_seat(
            "carry-out-mismatch",
            None,
            logged.carry_out or [None] * 4,
            expected_out,
            lambda seat: facts.carry_in[seat] + logged.net[seat],
            text,
        ),
    ]


def gross_rule(rules: Rules) -> str:
    """The rule that a gross result rests on."""
    return "TG-90" if rules.net_pool else "TG-58"


def _per_seat(
    code: str,
    rule: str | None,
    logged: Sequence[int | None],
    expected: Sequence[int],
    from_logged: Callable[[int], int] | None,
    text: Callable[[int], str],
) -> list[Finding]:
    """A finding for each seat whose logged figure differs; one that is not logged is none.

    `from_logged` computes a seat's figure from earlier logged ones; None: nothing follows.
    """
    found = []
    for seat in range(4):
        figure = logged[seat]
        if figure is not None and figure != expected[seat]:
            found.append(
                finding(
                    code,
                    seat=seat,
                    logged=text(figure),
                    expected=text(expected[seat]),
                    rule=rule,
                    follows=from_logged is not None and from_logged(seat) == figure,
                )
            )
    return found


def _conservation(logged: Logged, digits: int) -> list[Finding]:
    """Logged gross sums to zero, logged net to minus the logged rake; always follows (29)."""
    found = []
    for subject, amounts, due in (
        ("gross", logged.gross, 0),
        ("net", logged.net, -sum(logged.rake)),
    ):
        total = sum(amounts)
        if total != due:
            found.append(
                finding(
                    "not-conserved",
                    subject=subject,
                    logged=format_minor(total, digits),
                    expected=format_minor(due, digits),
                    follows=True,
                )
            )
    return found


def _compare_void(hand: AnyHand, facts: Facts, rules: Rules) -> list[Finding]:
    """The result of a void hand, if there is one: zeros, and what was carried in stays."""
    logged = facts.logged
    if logged is None:
        return []
    digits = hand.minor_digits

    def text(amount: int) -> str:
        return format_minor(amount, digits)

    zeros = [0, 0, 0, 0]
    found = []
    stages: tuple[tuple[str, str | None, Sequence[int | None], Sequence[int], Any], ...] = (
        ("tricks-mismatch", "TG-26", logged.tricks, zeros, str),
        ("units-mismatch", "TG-50", logged.units, zeros, str),
        ("gross-mismatch", gross_rule(rules), logged.gross, zeros, text),
        ("rake-mismatch", "TG-91", logged.rake, zeros, text),
        ("net-mismatch", "TG-91", logged.net, zeros, text),
        ("valid-bet-mismatch", "TG-92", logged.valid_bet, zeros, text),
        ("carry-out-mismatch", None, logged.carry_out or [None] * 4, facts.carry_in, text),
    )
    for code, rule, figures, expected, write in stages:
        found += _per_seat(code, rule, figures, expected, None, write)
    return found + _conservation(logged, digits)


def render(settled: Settled, digits: int) -> dict[str, Any]:
    """A settlement in the shape of `result` (FORMAT 6.4, 32)."""
    banker, streak = settled.next
    text_of = TEXT_OF[digits]
    gross = [text_of[amount] for amount in settled.gross]
    valid_bet = [text_of[amount] for amount in settled.valid_bet]
    # Without a rake the net amounts are the very gross amounts.
    net = gross
    if settled.net is not settled.gross:
        net = [text_of[amount] for amount in settled.net]
    rake = [text_of[amount] for amount in settled.rake]
    tricks, units = settled.tricks, settled.units
    return {
        "winner": settled.winner,
        "seats": [
            {
                "seat": seat,
                "tricks": tricks[seat],
                "units": units[seat],
                "gross": gross[seat],
                "rake": rake[seat],
                "net": net[seat],
                "valid_bet": valid_bet[seat],
            }
            for seat in (0, 1, 2, 3)
        ],
        "next": {"banker": banker, "streak": streak},
    }
