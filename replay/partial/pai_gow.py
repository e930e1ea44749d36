"""Banker-bidding Pai Gow with gaps: what can be checked of it, and nothing else (RULEBOOK 2).

The seats are facts without an order of events. Where base, multiples, tiles and carry-in of all
seats are there the whole settlement is recomputed, by the same stages as for a complete hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from replay.banker_pai_gow.options import BankerValid, RakeBasis, Rules, TieRule, ValidBet
from replay.banker_pai_gow.payout import Settlement, settle
from replay.banker_pai_gow.play import WINNERS
from replay.banker_pai_gow.ranking import NINE_POINTS_RANK, RANKS, TIE_MARGIN
from replay.banker_pai_gow.record import Facts as WholeFacts
from replay.findings import Finding, finding, joined
from replay.money import TEXT_OF, format_minor
from replay.partial.gaps import GapName
from replay.partial.judged import Judged
from replay.partial.pai_gow_record import FIGURES, Facts, PartialPaiGow, PartialSeat
from replay.tiles import COPIES, INDEX, KIND_COUNT

_RULE_OF = {"gross": "PG-32", "rake": "PG-31", "net": "PG-30", "valid_bet": "PG-38"}


def judge(hand: PartialPaiGow, facts: Facts, rules: Rules) -> Judged:
    """Make every check that the gaps leave.

    A tile too many ends it, as in a complete hand: nothing is said of money that rests on tiles
    which cannot be.
    """
    excess = _excess(hand)
    if excess is not None:
        return Judged(findings=[excess], figures=[], settlement=None)
    findings = _bank(hand, facts)
    findings += _ranks(hand, rules)
    outcomes = outcomes_of(hand, facts, rules)
    due = _settlement(hand, facts, rules, outcomes)
    digits = hand.minor_digits
    if due is None:
        figures = _signs(hand, facts, outcomes)
        figures += _figures_alone(hand, facts, rules)
        rendered = None
    else:
        figures = _figures(hand, facts, rules, due)
        rendered = _rendered(facts, due, digits)
    figures += _imbalances(facts, digits, follows=due is not None)
    return Judged(findings=findings, figures=figures, settlement=rendered)


def _excess(hand: PartialPaiGow) -> Finding | None:
    """The first tile of which the seats hold more than the set has. Rule: PG-1."""
    dealt = [0] * KIND_COUNT
    for entry in sorted(hand.seats, key=lambda one: one.seat):
        for code in entry.tiles:
            kind = INDEX[code]
            dealt[kind] += 1
            if dealt[kind] > COPIES[kind]:
                return finding(
                    "tile-excess",
                    seat=entry.seat,
                    subject=code,
                    logged=dealt[kind],
                    expected=COPIES[kind],
                    rule="PG-1",
                )
    return None


def _bank(hand: PartialPaiGow, facts: Facts) -> list[Finding]:
    """Who may be banker, and at which multiple. Rule: PG-4, PG-6."""
    if "bids" in facts.gaps:
        return []
    bids = {seat: facts.entries[seat].bid for seat in facts.taken}
    highest = max(bid for bid in bids.values() if isinstance(bid, int))
    banker, multiple = hand.banker.seat, hand.banker.multiple
    legal = [seat for seat in facts.taken if bids[seat] == highest]
    found = []
    if banker not in legal:
        found.append(
            finding("banker-wrong", seat=banker, logged=banker, expected=joined(legal), rule="PG-4")
        )
    right = highest if highest > 0 else 1
    if multiple is not UNSET and multiple != right:
        rule = "PG-4" if highest > 0 else "PG-6"
        found.append(
            finding("banker-multiple", seat=banker, logged=multiple, expected=right, rule=rule)
        )
    return found


def _ranks(hand: PartialPaiGow, rules: Rules) -> list[Finding]:
    """Names of holdings that differ. Rule: PG-19, PG-20."""
    found = []
    for entry in sorted(hand.seats, key=lambda one: one.seat):
        if entry.rank is UNSET:
            continue
        rank = RANKS[rules.ladder.ranks[_holding(entry)] - 1]
        if rank.code != entry.rank:
            found.append(
                finding(
                    "rank-mismatch",
                    seat=entry.seat,
                    logged=entry.rank,
                    expected=rank.code,
                    rule="PG-20" if rank.number >= NINE_POINTS_RANK else "PG-19",
                )
            )
    return found


def _holding(entry: PartialSeat) -> int:
    first, second = entry.tiles
    return INDEX[first] * KIND_COUNT + INDEX[second]


def outcomes_of(hand: PartialPaiGow, facts: Facts, rules: Rules) -> list[int]:
    """By seat: 1 where a player beats the banker, -1 where the banker does, 0 for a push and for
    the banker and empty seats. Rule: PG-12."""
    strengths = rules.ladder.strengths
    bank = strengths[_holding(facts.entries[hand.banker.seat])]
    tied = -1 if rules.tie_rule is TieRule.BANKER_WINS or bank == rules.ladder.zero_strength else 0
    outcomes = [0, 0, 0, 0]
    for seat in facts.players:
        margin = strengths[_holding(facts.entries[seat])] - bank
        outcomes[seat] = 1 if margin > TIE_MARGIN else -1 if margin < -TIE_MARGIN else tied
    return outcomes


def _settlement(
    hand: PartialPaiGow, facts: Facts, rules: Rules, outcomes: Sequence[int]
) -> Settlement | None:
    """The settlement, where everything that it rests on is there; an empty seat has no stake."""
    multiple = hand.banker.multiple
    if facts.base is None or multiple is UNSET or {"bets", "carry_in"} & facts.gaps:
        return None
    bets = [0, 0, 0, 0]
    for seat in facts.players:
        bet = facts.entries[seat].bet
        assert isinstance(bet, int)
        bets[seat] = bet
    whole = WholeFacts(
        base=facts.base, carry_in=[amount or 0 for amount in facts.carry_in], logged=None
    )
    return settle(hand.banker.seat, multiple, bets, outcomes, whole, rules)


# -- money, where the settlement could be recomputed ------------------------------------------


def _figures(hand: PartialPaiGow, facts: Facts, rules: Rules, due: Settlement) -> list[Finding]:
    """Each figure that is there and differs, stage by stage (FORMAT 6.4, 27)."""
    found = []
    followed = _followed(hand, facts, rules)
    for name in FIGURES:
        is_ = getattr(due, name)
        for seat in facts.taken:
            amount = facts.money[name][seat]
            if amount is not None and amount != is_[seat]:
                found.append(
                    _mismatch(
                        name,
                        seat,
                        amount,
                        is_[seat],
                        hand.minor_digits,
                        follows=followed[name][seat] == amount,
                    )
                )
    return found


def _followed(hand: PartialPaiGow, facts: Facts, rules: Rules) -> dict[str, list[int | None]]:
    """Each figure computed from earlier ones as they stand in the record; None where it cannot."""
    gross, rake = facts.money["gross"], facts.money["rake"]
    return {
        "gross": [None] * 4,
        "rake": _rakes(hand, facts, rules),
        "net": [
            None if won is None or fee is None else won - fee
            for won, fee in zip(gross, rake, strict=True)
        ],
        "valid_bet": _valid_bets(hand, facts, rules),
    }


def _rendered(facts: Facts, due: Settlement, digits: int) -> dict[str, Any]:
    text_of = TEXT_OF[digits]
    return {
        "seats": [
            {"seat": seat, **{name: text_of[getattr(due, name)[seat]] for name in FIGURES}}
            for seat in facts.taken
        ]
    }


# -- money, where only single figures can be checked ------------------------------------------


def _signs(hand: PartialPaiGow, facts: Facts, outcomes: Sequence[int]) -> list[Finding]:
    """Who has the better tiles does not pay, and who has the worse does not receive. Rule: PG-12.

    Nothing at all proves nothing: a cap may leave a winner with it. The banker is judged only where
    all players won or all lost.
    """
    found = []
    against = {outcomes[seat] for seat in facts.players}
    for seat in facts.taken:
        won = facts.money["gross"][seat]
        if not won:
            continue
        if seat == hand.banker.seat:
            if len(against) > 1:
                continue
            right = -against.copy().pop()
        else:
            right = outcomes[seat]
        sign = 1 if won > 0 else -1
        if sign != right:
            side = 1 if seat != hand.banker.seat else -1
            found.append(
                finding(
                    "compare-mismatch",
                    seat=seat,
                    logged=WINNERS[sign * side],
                    expected=WINNERS[right * side],
                    rule="PG-12",
                )
            )
    return found


def _figures_alone(hand: PartialPaiGow, facts: Facts, rules: Rules) -> list[Finding]:
    """Rake, net and valid bet of each seat whose money is there, from the figure before."""
    followed = _followed(hand, facts, rules)
    found = []
    for name in FIGURES[1:]:
        if name == "net" and "gross" in facts.gaps:
            continue
        for seat in facts.taken:
            amount, right = facts.money[name][seat], followed[name][seat]
            if amount is not None and right is not None and amount != right:
                found.append(_mismatch(name, seat, amount, right, hand.minor_digits, follows=False))
    return found


def _rakes(hand: PartialPaiGow, facts: Facts, rules: Rules) -> list[int | None]:
    """The rake on the gross as it stands in the record. Rule: PG-31, PG-35."""
    gross, banker = facts.money["gross"], hand.banker.seat
    fees: list[int | None] = [
        None if won is None else rules.rake(won) if won > 0 else 0 for won in gross
    ]
    if rules.rake_basis is RakeBasis.PER_PAIR:
        lost = [gross[seat] for seat in facts.players]
        known = [amount for amount in lost if amount is not None]
        fees[banker] = None
        if gross[banker] is not None and len(known) == len(lost):
            fees[banker] = sum(rules.rake(-amount) for amount in known if amount < 0)
    return fees


def _valid_bets(hand: PartialPaiGow, facts: Facts, rules: Rules) -> list[int | None]:
    """The valid bet from gross or net as they stand in the record. Rule: PG-38."""
    name = "gross" if rules.valid_bet is ValidBet.ABS_GROSS_NET else "net"
    volumes = [None if amount is None else abs(amount) for amount in facts.money[name]]
    if rules.banker_valid is BankerValid.SUM_PLAYERS:
        parts = [facts.money["valid_bet"][seat] for seat in facts.players]
        known = [part for part in parts if part is not None]
        volumes[hand.banker.seat] = sum(known) if len(known) == len(parts) else None
    return volumes


def unchecked(
    hand: PartialPaiGow, facts: Facts, rules: Rules, name: str
) -> tuple[tuple[int, ...], frozenset[GapName]]:
    """The seats for which a check that goes by seat cannot be made, and the gaps that prevent it.

    Beside those without money: the banker, whose result is a sum that hangs on the multiples as
    soon as some players won and others lost, and whose valid bet may be the sum of the players'.
    """
    seats = {seat for seat in facts.taken if facts.money["net"][seat] is None}
    gaps: set[GapName] = {"other_seats_money"} if seats else set()
    banker = hand.banker.seat
    if banker not in seats:
        if name == "outcome":
            outcomes = outcomes_of(hand, facts, rules)
            stakes = facts.gaps & {"base", "banker_multiple", "bets", "carry_in"}
            if stakes and len({outcomes[seat] for seat in facts.players}) > 1:
                seats.add(banker)
                gaps |= stakes
        elif name in ("rake", "valid-bet"):
            right = (_rakes if name == "rake" else _valid_bets)(hand, facts, rules)[banker]
            if right is None:
                seats.add(banker)
    return tuple(sorted(seats)), frozenset(gaps)


def _imbalances(facts: Facts, digits: int, *, follows: bool) -> list[Finding]:
    """What all seats won sums to zero, and net to minus the rake. Rule: PG-36.

    `follows`: where each figure was recomputed a wrong sum says nothing new.
    """
    if "other_seats_money" in facts.gaps:
        return []
    total = {
        name: sum(facts.money[name][seat] or 0 for seat in facts.taken) for name in FIGURES[:3]
    }
    found = []
    for name, right in (("gross", 0), ("net", -total["rake"])):
        if total[name] != right:
            found.append(
                finding(
                    "not-conserved",
                    subject=name,
                    logged=format_minor(total[name], digits),
                    expected=format_minor(right, digits),
                    rule="PG-36",
                    follows=follows,
                )
            )
    # Where gross is taken as net and rake together, both say the same.
    return found[:1] if "gross" in facts.gaps else found


def _mismatch(
    name: str, seat: int, logged: int, expected: int, digits: int, *, follows: bool
) -> Finding:
    return finding(
        f"{name.replace('_', '-')}-mismatch",
        seat=seat,
        logged=format_minor(logged, digits),
        expected=format_minor(expected, digits),
        rule=_RULE_OF[name],
        follows=follows,
    )
