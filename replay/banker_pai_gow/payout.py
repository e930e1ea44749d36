"""Settlement (RULEBOOK 2.4) and its comparison with the log (FORMAT 6.4), in minor units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from replay.banker_pai_gow.options import BankerValid, RakeBasis, Rules, ValidBet
from replay.banker_pai_gow.play import Play, replay
from replay.banker_pai_gow.record import Facts, Logged, PaiGowHand
from replay.findings import Finding, finding
from replay.game import Judgement
from replay.money import TEXT_OF, format_minor
from replay.record import Void
from replay.steps import Observer

# The players in turn order from the banker's next seat: the order in which spare units go.
_TURN_ORDER = ((1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 1, 2))


class Cap(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the banker's carry-in makes of the players' clipped claims (2.4.1).

    `players` are the seats in turn order, `clipped` and `shares` their signed amounts after the
    clip and after the cap. `won` and `lost` are the sums of claims and debts, `received` and
    `paid` what the winners get and the losers pay in all.
    """

    players: tuple[int, int, int]
    clipped: list[int]
    won: int
    lost: int
    received: int
    paid: int
    shares: list[int]


class Settlement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Every figure of a hand by seat 0 to 3. `banker` and `cap` are None in a void hand."""

    banker: int | None
    cap: Cap | None
    theoretical: list[int]
    gross: list[int]
    rake: list[int]
    net: list[int]
    valid_bet: list[int]
    carry_out: list[int]


def turn_order(banker: int) -> tuple[int, int, int]:
    """The three players from the banker's next seat on."""
    return _TURN_ORDER[banker]


def cap_claims(claims: Sequence[int], banker: int, facts: Facts, rules: Rules) -> Cap:
    """Clip and cap the players' signed theoretical results, which stand in turn order.

    Rule: PG-32, steps 2 to 5 of 2.4.1; ruling 3.
    """
    players = _TURN_ORDER[banker]
    carry_in = facts.carry_in
    clip = rules.clip
    clipped = [clip(claim, carry_in[seat]) for claim, seat in zip(claims, players, strict=True)]
    won = lost = 0
    for amount in clipped:
        if amount > 0:
            won += amount
        else:
            lost -= amount
    received, paid = rules.cap(won, lost, carry_in[banker])
    shares = clipped
    # A side that the cap leaves alone is paid as claimed: its shares are the claims.
    if received != won:
        parts = rules.split(received, [max(amount, 0) for amount in clipped])
        shares = [part if was > 0 else was for part, was in zip(parts, shares, strict=True)]
    if paid != lost:
        parts = rules.split(paid, [max(-amount, 0) for amount in clipped])
        shares = [-part if was < 0 else was for part, was in zip(parts, shares, strict=True)]
    return Cap(
        players=players,
        clipped=clipped,
        won=won,
        lost=lost,
        received=received,
        paid=paid,
        shares=shares,
    )


def by_seat(players: tuple[int, int, int], amounts: Sequence[int], banker: int) -> list[int]:
    """The players' amounts by seat; the banker's is minus their sum (PG-36)."""
    seats = [0, 0, 0, 0]
    total = 0
    for seat, amount in zip(players, amounts, strict=True):
        seats[seat] = amount
        total += amount
    seats[banker] = -total
    return seats


def rakes(gross: Sequence[int], banker: int, rules: Rules) -> list[int]:
    """The rake of each seat, from the gross of all seats. Rule: PG-31, PG-34, PG-35, ruling 4."""
    rake = rules.rake
    fees = [rake(amount) if amount > 0 else 0 for amount in gross]
    if rules.rake_basis is RakeBasis.PER_PAIR:
        # A pair that the banker won is worth what its loser pays after all caps.
        fees[banker] = sum(rake(-gross[seat]) for seat in _TURN_ORDER[banker])
    return fees


def valid_bets(gross: Sequence[int], net: Sequence[int], banker: int, rules: Rules) -> list[int]:
    """The bet volume of each seat. Rule: PG-38."""
    base = gross if rules.valid_bet is ValidBet.ABS_GROSS_NET else net
    volumes = [abs(amount) for amount in base]
    if rules.banker_valid is BankerValid.SUM_PLAYERS:
        volumes[banker] = sum(volumes) - volumes[banker]
    return volumes


def settle(
    banker: int,
    multiple: int,
    bets: Sequence[int | None],
    outcomes: Sequence[int],
    facts: Facts,
    rules: Rules,
) -> Settlement:
    """Settle a finished hand.

    `multiple` is X, `bets` are Y and `outcomes` +1, -1 or 0 by seat; the banker's own count for
    nothing.
    Rule: PG-30 to PG-38.
    """
    players = _TURN_ORDER[banker]
    stake = facts.base * multiple
    claims = [outcomes[seat] * stake * (bets[seat] or 0) for seat in players]
    cap = cap_claims(claims, banker, facts, rules)
    gross = by_seat(players, cap.shares, banker)
    rake = rakes(gross, banker, rules)
    net = [amount - fee for amount, fee in zip(gross, rake, strict=True)]
    return Settlement(
        banker=banker,
        cap=cap,
        theoretical=by_seat(players, claims, banker),
        gross=gross,
        rake=rake,
        net=net,
        valid_bet=valid_bets(gross, net, banker, rules),
        carry_out=[had + won for had, won in zip(facts.carry_in, net, strict=True)],
    )


def void_settlement(facts: Facts) -> Settlement:
    """Nothing is owed, all stakes go back (FORMAT 6.3, 23)."""
    zeros = [0, 0, 0, 0]
    return Settlement(
        banker=None,
        cap=None,
        theoretical=zeros,
        gross=zeros,
        rake=zeros,
        net=zeros,
        valid_bet=zeros,
        carry_out=facts.carry_in,
    )


def settlement_of(play: Play, facts: Facts) -> Settlement | None:
    """The settlement of a replayed hand; None when the replay stopped short of the end."""
    events = play.hand.events
    if events and type(events[-1]) is Void:
        return void_settlement(facts)
    if play.refusal is not None:
        return None
    return settle(play.banker, play.multiple, play.bets, play.outcomes, facts, play.rules)


def judge(
    hand: PaiGowHand, facts: Facts, rules: Rules, observer: Observer | None = None
) -> Judgement:
    """Replay, settle and compare one hand."""
    play = replay(hand, facts, rules, observer)
    settlement = settlement_of(play, facts)
    logged = facts.logged
    figures: list[Finding] = []
    is_void = settlement is not None and settlement.banker is None
    if settlement is not None:
        if logged is not None:
            if not agrees(logged, settlement):
                figures = compare(logged, settlement, facts, rules, hand.minor_digits)
        elif not is_void:
            figures = [finding("result-missing")]
    return Judgement(
        findings=play.findings,
        figures=figures,
        stopped=play.refusal is not None,
        void=is_void,
        settlement=settlement,
    )


def agrees(logged: Logged, due: Settlement) -> bool:
    """Tell whether every logged figure is right. What agrees also balances (PG-36)."""
    return (
        logged.gross == due.gross
        and logged.rake == due.rake
        and logged.net == due.net
        and logged.valid_bet == due.valid_bet
        and _agrees_where_logged(logged.theoretical, due.theoretical)
        and _agrees_where_logged(logged.carry_out, due.carry_out)
    )


def _agrees_where_logged(logged: list[int | None], due: list[int]) -> bool:
    if logged == due:
        return True
    return all(was is None or was == is_ for was, is_ in zip(logged, due, strict=True))


def compare(
    logged: Logged, due: Settlement, facts: Facts, rules: Rules, digits: int
) -> list[Finding]:
    """A finding for each figure that differs, in the order of FORMAT 6.4, 27."""
    follow = _Followed(logged, due, facts, rules)
    found: list[Finding] = []
    for code, rule, was, is_, computed in (
        ("theoretical-mismatch", "PG-30", logged.theoretical, due.theoretical, None),
        ("gross-mismatch", "PG-32", logged.gross, due.gross, follow.gross),
        ("rake-mismatch", "PG-31", logged.rake, due.rake, follow.rake),
        ("net-mismatch", "PG-30", logged.net, due.net, follow.net),
        ("valid-bet-mismatch", "PG-38", logged.valid_bet, due.valid_bet, follow.valid_bet),
        ("carry-out-mismatch", "PG-37", logged.carry_out, due.carry_out, follow.carry_out),
    ):
        for seat in range(4):
            amount = was[seat]
            if amount is not None and amount != is_[seat]:
                found.append(
                    finding(
                        code,
                        seat=seat,
                        logged=format_minor(amount, digits),
                        expected=format_minor(is_[seat], digits),
                        rule=rule,
                        follows=computed is not None and computed[seat] == amount,
                    )
                )
    found += _imbalances(logged, digits)
    return found


class _Followed:
    """Each figure computed again from logged earlier ones (FORMAT 6.4, 29).

    By seat; None where a figure does not follow, as nothing does in a void hand.
    """

    __slots__ = ("carry_out", "gross", "net", "rake", "valid_bet")

    def __init__(self, logged: Logged, due: Settlement, facts: Facts, rules: Rules) -> None:
        self.gross: list[int] | None = None
        self.rake: list[int] | None = None
        self.net: list[int] | None = None
        self.valid_bet: list[int] | None = None
        self.carry_out: list[int] | None = None
        banker = due.banker
        if banker is None:
            return
        players = _TURN_ORDER[banker]
        claims = [amount for seat in players if (amount := logged.theoretical[seat]) is not None]
        if len(claims) == len(players):
            cap = cap_claims(claims, banker, facts, rules)
            self.gross = by_seat(players, cap.shares, banker)
        self.rake = rakes(logged.gross, banker, rules)
        self.net = [amount - fee for amount, fee in zip(logged.gross, logged.rake, strict=True)]
        self.valid_bet = valid_bets(logged.gross, logged.net, banker, rules)
        if rules.banker_valid is BankerValid.SUM_PLAYERS:
            self.valid_bet[banker] = sum(logged.valid_bet[seat] for seat in players)
        self.carry_out = [had + won for had, won in zip(facts.carry_in, logged.net, strict=True)]


def _imbalances(logged: Logged, digits: int) -> list[Finding]:
    """Logged gross sums to zero, logged net to minus the logged rake (PG-36).

    Always follows: where every figure is right the sums are too.
    """
    found = []
    for subject, total, right in (
        ("gross", sum(logged.gross), 0),
        ("net", sum(logged.net), -sum(logged.rake)),
    ):
        if total != right:
            found.append(
                finding(
                    "not-conserved",
                    subject=subject,
                    logged=format_minor(total, digits),
                    expected=format_minor(right, digits),
                    rule="PG-36",
                    follows=True,
                )
            )
    return found


def render(settlement: Settlement, digits: int) -> dict[str, Any]:
    """The settlement in the shape of FORMAT 6.4, 32."""
    text_of = TEXT_OF[digits]
    gross, rake = settlement.gross, settlement.rake
    net, valid_bet = settlement.net, settlement.valid_bet
    return {
        "seats": [
            {
                "seat": seat,
                "gross": text_of[gross[seat]],
                "rake": text_of[rake[seat]],
                "net": text_of[net[seat]],
                "valid_bet": text_of[valid_bet[seat]],
            }
            for seat in (0, 1, 2, 3)
        ]
    }
