"""Each figure of a hand with its way: the stages of the settlement with their numbers.

The amounts come from the functions of the audit (`payout`); here they are only put into words.
"""

from __future__ import annotations

from msgspec.structs import replace

from replay.glossary import PATTERNS, SEALS
from replay.money import format_minor
from replay.steps import Figure, Stage
from replay.telling import listed, say
from replay.tien_gow.compare import gross_rule
from replay.tien_gow.options import Rules
from replay.tien_gow.payout import Settled, settle, settle_void
from replay.tien_gow.play import replay
from replay.tien_gow.record import AnyHand, Facts, Logged, is_void
from replay.tien_gow.state import Moment, Replay
from replay.tien_gow.units_way import UnitsWay, logged_bonuses_of
from replay.tien_gow.words import NAMES, amount

NOBODY = "–"

_TITLES = {
    "tricks": say("Tricks 棟"),
    "units": say("Units 注"),
    "gross": say("Gross"),
    "rake": say("Rake"),
    "net": say("Net"),
    "valid_bet": say("Valid bet"),
    "carry_out": say("Carry-out"),
}
_AMOUNTS = ("gross", "rake", "net", "valid_bet", "carry_out")
_ROUNDINGS = {
    "floor": say("rounded down"),
    "half_up": say("rounded half up"),
    "min_one": say("rounded down, at least one minor unit"),
}


def derive(hand: AnyHand, facts: Facts, rules: Rules) -> tuple[Figure, ...]:
    """Winner, then the figures of each seat, then the next bank.

    The last stage of each is the recomputed figure. None where the replay could not reach the end.
    """
    moments: dict[int, Moment] = {}
    state = replay(hand, rules, moments.__setitem__)
    if is_void(hand):
        return _Way(hand, facts, rules, state, moments, settle_void(hand)).figures()
    if state.stopped:
        return ()
    settled = settle(hand, facts, state, rules)
    return _Way(hand, facts, rules, state, moments, settled).figures()


class _Way:
    """Writes the figures of one hand."""

    def __init__(
        self,
        hand: AnyHand,
        facts: Facts,
        rules: Rules,
        state: Replay,
        moments: dict[int, Moment],
        settled: Settled,
    ) -> None:
        self.hand = hand
        self.facts = facts
        self.rules = rules
        self.state = state
        self.settled = settled
        self.is_void = settled.winner is None
        self.taken = _taken(moments)
        self.units = UnitsWay(hand, rules, state, settled, logged_bonuses_of(hand, moments))

    def money(self, units: int) -> str:
        return format_minor(units, self.hand.minor_digits)

    def amount(self, units: int) -> str:
        return amount(units, self.hand.minor_digits)

    def figures(self) -> tuple[Figure, ...]:
        figures = [self._winner()]
        for seat in range(4):
            figures += self._of_seat(seat)
        figures.append(self._next())
        return tuple(figures)

    # -- figures of the hand

    def _winner(self) -> Figure:
        logged, winner = self.facts.logged, self.settled.winner
        if winner is None:
            formula, rule = say("a void hand has no winner"), None
        elif self.state.declared is not None:
            pattern = PATTERNS[self.state.declared.pattern][0]
            formula, rule = (
                say("{seal} wins by the deal with {pattern}", seal=SEALS[winner], pattern=pattern),
                "TG-86",
            )
        else:
            count, best = self.state.last_count, NAMES[self.state.last_play].hant
            formula = say(
                "{seal} takes the last trick, {count} 棟 with {best}",
                seal=SEALS[winner],
                count=count,
                best=best,
            )
            rule = "TG-30"
        return self._figure(
            "winner",
            say("Winner 結"),
            logged=None if logged is None or logged.winner is None else str(logged.winner),
            stages=[
                Stage(
                    name="winner",
                    title=say("Winner 結"),
                    formula=formula,
                    value=NOBODY if winner is None else str(winner),
                    rule=rule,
                )
            ],
        )

    def _next(self) -> Figure:
        logged, bank = self.facts.logged, self.hand.banker
        banker, streak = self.settled.next
        if self.is_void:
            formula, rule = say("the hand is void: the bank stays"), None
        elif banker == bank.seat:
            formula = say(
                "{seal} keeps the bank: n = {streak} + 1 = {streak_2}",
                seal=SEALS[banker],
                streak=bank.streak,
                streak_2=streak,
            )
            rule = "TG-6"
        else:
            formula = say(
                "{seal} takes the bank from {seal_2}: n = 1",
                seal=SEALS[banker],
                seal_2=SEALS[bank.seat],
            )
            rule = "TG-5"
        return self._figure(
            "next",
            say("Next bank"),
            logged=None if logged is None or logged.next is None else _bank(logged.next),
            stages=[
                Stage(
                    name="next",
                    title=say("Next bank"),
                    formula=formula,
                    value=_bank(self.settled.next),
                    rule=rule,
                )
            ],
        )

    # -- figures of a seat

    def _of_seat(self, seat: int) -> list[Figure]:
        ways = {name: [self._void(name, seat)] for name in _TITLES}
        if not self.is_void:
            # Each amount is shown from the units on, so that a way needs no other beside it.
            gross = self._gross(seat)
            rake = [*gross, self._rake(seat)]
            net = [*rake, self._net(seat)]
            ways = {
                "tricks": self._tricks(seat),
                "units": self.units.stages(seat),
                "gross": gross,
                "rake": rake,
                "net": net,
                "valid_bet": [*(net if self.rules.valid_of_net else gross), self._valid_bet(seat)],
                "carry_out": [*net, self._carry_out(seat)],
            }
        return [
            self._figure(
                name,
                _TITLES[name],
                seat=seat,
                logged=self._logged(name, seat),
                stages=[
                    replace(stage, logged=self._logged(stage.name, seat)) for stage in stages[:-1]
                ]
                + stages[-1:]
                if name in _AMOUNTS
                else stages,
            )
            for name, stages in ways.items()
        ]

    def _logged(self, name: str, seat: int) -> str | None:
        """What the log says of a figure; nothing of a stage that is no figure."""
        if name not in _TITLES:
            return None
        return _logged_text(self.facts.logged, name, seat, self.hand.minor_digits)

    def _void(self, name: str, seat: int) -> Stage:
        value, formula = self.money(0), say("the hand is void: nothing is owed")
        if name in ("tricks", "units"):
            value = "0"
        elif name == "carry_out":
            value = self.money(self.facts.carry_in[seat])
            formula = say("carried in {value}, and nothing is owed", value=value)
        return Stage(name=name, title=_TITLES[name], formula=formula, value=value)

    def _tricks(self, seat: int) -> list[Stage]:
        taken = [(number, count) for number, best, count in self.taken if best == seat]
        total = self.settled.tricks[seat]
        if self.state.declared is not None:
            formula = say("no trick was played")
        elif not taken:
            formula = say("takes no trick")
        elif len(taken) == 1:
            formula = say("{total} in trick {taken}", total=total, taken=taken[0][0])
        else:
            numbers = listed([str(number) for number, _ in taken])
            sums = " + ".join(str(count) for _, count in taken)
            formula = say(
                "tricks {numbers}: {sums} = {total}", numbers=numbers, sums=sums, total=total
            )
        return [
            Stage(
                name="tricks",
                title=_TITLES["tricks"],
                formula=formula,
                value=str(total),
                rule="TG-26",
            )
        ]

    def _gross(self, seat: int) -> list[Stage]:
        units, base = self.settled.units[seat], self.facts.base
        claim = units * base
        gross = self.settled.gross[seat]
        text = str(units).replace("-", "−")
        stages = [
            Stage(
                name="amount",
                title=say("Units in money"),
                formula=f"{text} × {self.amount(base)} = {self.amount(claim)}",
                value=self.money(claim),
                rule="TG-58",
            )
        ]
        if self.rules.net_pool:
            stages.append(
                Stage(
                    name="pool",
                    title=say("Net pool"),
                    formula=self._pool_formula(seat),
                    value=self.money(gross),
                    rule="TG-90",
                )
            )
        stages[-1] = replace(stages[-1], name="gross", title=_TITLES["gross"])
        assert stages[-1].rule == gross_rule(self.rules)
        return stages

    def _pool_formula(self, seat: int) -> str:
        """How the cap by what was carried in makes a seat's gross (TG-90)."""
        base, carry = self.facts.base, self.facts.carry_in
        amounts = [units * base for units in self.settled.units]
        sides: dict[bool, int] = {}
        for is_paid in (True, False):
            sides[is_paid] = sum(
                min(abs(claim), carry[place])
                for place, claim in enumerate(amounts)
                if claim and (claim > 0) is is_paid
            )
        claim = amounts[seat]
        if not claim:
            return say("nothing to pay or to receive")
        mine = min(abs(claim), carry[seat])
        limit = ""
        if mine != abs(claim):
            limit = say(", carried in {carry}", carry=self.amount(carry[seat]))
        own, other = sides[claim > 0], sides[claim < 0]
        formula = (
            say("receives at most {mine}{limit}", mine=self.amount(mine), limit=limit)
            if claim > 0
            else say("pays at most {mine}{limit}", mine=self.amount(mine), limit=limit)
        )
        if own <= other:
            return say("{formula}: in full", formula=formula)
        share = abs(self.settled.gross[seat])
        return say(
            "{formula}: of {other} in all its share {mine} of {own} is {share}",
            formula=formula,
            other=self.amount(other),
            mine=self.amount(mine),
            own=self.amount(own),
            share=self.amount(share),
        )

    def _rake(self, seat: int) -> Stage:
        gross, rate = self.settled.gross[seat], self.rules.rake_rate
        if not rate.numerator:
            formula = say("no rake at a rate of 0")
        elif gross <= 0:
            formula = say("no win, no rake: {gross}", gross=self.amount(gross))
        else:
            exact = rate.exact_text_of(gross, self.hand.minor_digits)
            how = _ROUNDINGS[self.rules.rake_round]
            rake = self.amount(self.settled.rake[seat])
            formula = say(
                "{rate} × {gross} = {exact}, {rounded}: {rake}",
                rate=rate.text,
                gross=self.amount(gross),
                exact=exact,
                rounded=how,
                rake=rake,
            )
        return self._stage("rake", formula, self.settled.rake[seat], "TG-91")

    def _net(self, seat: int) -> Stage:
        gross, rake, net = (
            self.amount(figures[seat])
            for figures in (self.settled.gross, self.settled.rake, self.settled.net)
        )
        return self._stage("net", f"{gross} − {rake} = {net}", self.settled.net[seat], "TG-91")

    def _valid_bet(self, seat: int) -> Stage:
        of_net = self.rules.valid_of_net
        source = (self.settled.net if of_net else self.settled.gross)[seat]
        valid_bet = self.settled.valid_bet[seat]
        shown = {"amount": self.amount(source), "valid_bet": self.amount(valid_bet)}
        formula = say("|gross {amount}| = {valid_bet}", **shown)
        if of_net:
            formula = say("|net {amount}| = {valid_bet}", **shown)
        return self._stage("valid_bet", formula, valid_bet, "TG-92")

    def _carry_out(self, seat: int) -> Stage:
        carry_in, net = self.facts.carry_in[seat], self.settled.net[seat]
        out = carry_in + net
        sign = "−" if net < 0 else "+"
        formula = f"{self.amount(carry_in)} {sign} {self.amount(abs(net))} = {self.amount(out)}"
        return self._stage("carry_out", formula, out, None)

    # -- shapes

    def _stage(self, name: str, formula: str, units: int, rule: str | None) -> Stage:
        return Stage(
            name=name, title=_TITLES[name], formula=formula, value=self.money(units), rule=rule
        )

    def _figure(
        self,
        name: str,
        title: str,
        *,
        logged: str | None,
        stages: list[Stage],
        seat: int | None = None,
    ) -> Figure:
        owner, owner_title = "hand", say("Hand")
        if seat is not None:
            player = next(entry.player for entry in self.hand.seats if entry.seat == seat)
            owner, owner_title = (
                f"seat-{seat}",
                say("{seal} {player}", seal=SEALS[seat], player=player),
            )
        return Figure(
            name=name,
            title=title,
            owner=owner,
            owner_title=owner_title,
            seat=seat,
            logged=logged,
            recomputed=stages[-1].value,
            stages=(*stages[:-1], replace(stages[-1], logged=logged)),
        )


def _bank(bank: tuple[int, int]) -> str:
    return f"{bank[0]}/{bank[1]}"


def _taken(moments: dict[int, Moment]) -> list[tuple[int, int, int]]:
    """The finished tricks: number, who took it, how many 棟."""
    tricks = {
        moment.number: (moment.number, moment.best, moment.count)
        for moment in moments.values()
        if moment.number and moment.position == 4
    }
    return list(tricks.values())


def _logged_text(logged: Logged | None, name: str, seat: int, digits: int) -> str | None:
    if logged is None:
        return None
    figures = getattr(logged, name)
    figure = None if figures is None else figures[seat]
    if figure is None:
        return None
    return str(figure) if name in ("tricks", "units") else format_minor(figure, digits)
