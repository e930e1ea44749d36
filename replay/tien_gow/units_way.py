"""How a seat's units come about: immediate payments, then the ending, with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replay.glossary import BONUSES, ENDINGS, SEALS
from replay.steps import Stage
from replay.telling import say, series
from replay.tien_gow.immediate import RULE_OF_KIND, Earned, multiples_of
from replay.tien_gow.options import Rules
from replay.tien_gow.payout import ORDINARY, Payment, Settled, payments_of
from replay.tien_gow.record import AnyHand, Bonus
from replay.tien_gow.state import Moment, Replay
from replay.tien_gow.words import NAMES, signed


class Line(NamedTuple):
    """A line of the way: what it gives the seat in units, and the rule that it rests on."""

    title: str
    formula: str
    units: int
    rule: str


class UnitsWay:
    """Writes the stages of `units`; each stage's value is the running total of the seat."""

    def __init__(
        self,
        hand: AnyHand,
        rules: Rules,
        state: Replay,
        settled: Settled,
        logged_bonuses: dict[int, Bonus],
    ) -> None:
        self.rules = rules
        self.state = state
        self.settled = settled
        self.logged_bonuses = logged_bonuses
        self.banker = hand.banker.seat
        self.streak = hand.banker.streak
        self.multiple = rules.multiple_of(self.streak)
        self.payments: list[Payment] = []
        if settled.winner is not None:
            self.payments = payments_of(
                settled.ending,
                settled.winner,
                settled.tricks,
                banker=self.banker,
                multiple=self.multiple,
                rules=rules,
            )

    def stages(self, seat: int) -> list[Stage]:
        """The stages of one seat; the last is its units."""
        stages: list[Stage] = []
        total = 0
        for number, earned in self.state.bonuses:
            total += earned.units[seat]
            stages.append(self._bonus(number, earned, seat, total))
        for line in self._ending(seat):
            total += line.units
            stages.append(
                Stage(
                    name=f"ending-{len(stages) + 1}",
                    title=line.title,
                    formula=line.formula,
                    value=str(total),
                    rule=line.rule,
                )
            )
        assert total == self.settled.units[seat], "the way must lead to the figure"
        # The last stage cites the rule that a finding on the units cites.
        if len(stages) > 1 or stages[-1].rule != self.settled.ending.rule:
            stages.append(self._sum(stages, total))
        return stages

    def _sum(self, stages: Sequence[Stage], total: int) -> Stage:
        running, terms = 0, []
        for stage in stages:
            if term := int(stage.value) - running:
                terms.append(term)
            running = int(stage.value)
        formula: str = say("nothing to pay or to receive")
        if len(terms) == 1:
            formula = say("in all {total}", total=signed(total))
        elif terms:
            formula = signed(terms[0]) + "".join(
                f" {'−' if term < 0 else '+'} {abs(term)}" for term in terms[1:]
            )
            formula += f" = {signed(total)}"
        return Stage(
            name="units",
            title=say("Units 注"),
            formula=formula,
            value=str(total),
            rule=self.settled.ending.rule,
        )

    # -- immediate payments

    def _bonus(self, number: int, earned: Earned, seat: int, total: int) -> Stage:
        title = say("{bonus} in trick {number}", bonus=BONUSES[earned.kind], number=number)
        multiples = multiples_of(earned.collector, self.banker, self.multiple, self.rules)
        if seat == earned.collector:
            parts = [
                self._times(str(earned.base), multiples[other])
                for other in range(4)
                if other != seat
            ]
            formula = say(
                "{products} = {units}",
                products=series(parts, " + "),
                units=signed(earned.units[seat]),
            )
        else:
            product = self._times(str(earned.base), multiples[seat])
            formula = say(
                "pays {product} to {seal} = {earned_units}",
                product=product,
                seal=SEALS[earned.collector],
                earned_units=signed(earned.units[seat]),
            )
        logged = self.logged_bonuses.get(number)
        return Stage(
            name=f"bonus-{number}",
            title=title,
            formula=formula,
            value=str(total),
            # The value is a running total, and so is what the log says.
            logged=None if logged is None else str(total - earned.units[seat] + logged.units[seat]),
            rule=RULE_OF_KIND[earned.kind],
        )

    def _times(self, product: str, multiple: int) -> str:
        """A product with the bank's multiple, where there is one."""
        if multiple == 1:
            return product
        return say(
            "{product} × {multiple} ({bank})",
            product=product,
            multiple=multiple,
            bank=self._bank_word(),
        )

    def _bank_word(self) -> str:
        if self.rules.is_global:
            return say("every payment, n = {streak}", streak=self.streak)
        return say("bank, n = {streak}", streak=self.streak)

    # -- the ending

    def _ending(self, seat: int) -> list[Line]:
        """What the ending gives a seat: how the hand ended, then one line a payment."""
        ending = self.settled.ending
        own = next((payment for payment in self.payments if payment.seat == seat), None)
        lines = []
        is_party = seat in (self.settled.winner, ending.victim)
        if ending.kind != ORDINARY.kind and (is_party or (own is not None and own.base < 0)):
            lines.append(Line(say("Ending 結"), self._how_it_ended(), 0, ending.rule))
        if seat == self.settled.winner:
            return lines + [self._with_winner(other) for other in range(4) if other != seat]
        lines.append(self._own(seat, own))
        if seat == ending.victim:
            lines += [
                Line(
                    say("For {seal}", seal=SEALS[debt.seat]),
                    self._payment(debt),
                    -debt.units,
                    ending.rule,
                )
                for debt in self.payments
                if debt.base < 0 and debt is not own
            ]
        return lines

    def _how_it_ended(self) -> str:
        """A special ending with its factor: "包尊: 東 leads 至尊 to the last trick …: × 2"."""
        state, ending = self.state, self.settled.ending
        name, winner = ENDINGS[ending.kind], SEALS[self.settled.winner or 0]
        lead, play = NAMES.get(state.last_lead), NAMES.get(state.last_play)
        if lead is None or play is None:
            how = say("the winning deal of {winner} counts as {name}", winner=winner, name=name)
        elif ending.rule == "TG-70":
            how = say(
                "{name}: {winner} takes every 棟, the last with {play_hant}",
                name=name,
                winner=winner,
                play_hant=play.hant,
            )
        elif ending.victim is not None:
            how = say(
                "擒: {seal} leads {lead_hant} to the last trick, {winner} captures it with"
                " {play_hant}; {seal} pays for all below par",
                seal=SEALS[ending.victim],
                lead_hant=lead.hant,
                winner=winner,
                play_hant=play.hant,
            )
        else:
            how = say(
                "{name}: {winner} takes the last trick with {play_hant}",
                name=name,
                winner=winner,
                play_hant=play.hant,
            )
        return say("{how}: × {factor}", how=how, factor=ending.factor)

    def _own(self, seat: int, own: Payment | None) -> Line:
        """What a seat other than the winner pays or gets for its own 棟."""
        ending, title = self.settled.ending, say("Ending 結")
        if own is None:
            return Line(title, say("{standing}: 0", standing=self._standing(seat)), 0, "TG-50")
        if own.base < 0 and own.payer != seat:
            formula = say(
                "{standing}, but {seal} was captured and pays: 0",
                standing=self._standing(seat),
                seal=SEALS[own.payer],
            )
            return Line(title, formula, 0, ending.rule)
        units = own.units if own.payee == seat else -own.units
        return Line(title, self._payment(own, units), units, self._rule_of(own))

    def _with_winner(self, other: int) -> Line:
        """What another seat's 棟 earn or cost the winner (TG-51)."""
        payment = next((payment for payment in self.payments if payment.seat == other), None)
        if payment is None:
            return Line(
                say("From {seal}", seal=SEALS[other]),
                say("{standing}: 0", standing=self._standing(other)),
                0,
                "TG-50",
            )
        if payment.base > 0:
            formula = self._payment(payment, -payment.units)
            return Line(
                say("To {seal}", seal=SEALS[other]), formula, -payment.units, self._rule_of(payment)
            )
        title = say("From {seal}", seal=SEALS[payment.payer])
        if payment.payer != other:
            title = say("From {seal} for {debtor}", seal=SEALS[payment.payer], debtor=SEALS[other])
        formula = self._payment(payment, payment.units)
        return Line(title, formula, payment.units, self._rule_of(payment))

    def _payment(self, payment: Payment, units: int | None = None) -> str:
        """A payment with its numbers: "2 棟, 2 below par 4: 2 × 2 (包尊) × 3 (bank, n = 2) = −12".

        `units` is the amount with the sign of the seat that is told; a debt that is paid for
        another seat is negative.
        """
        units = -payment.units if units is None else units
        product = str(abs(payment.base))
        if payment.base < 0 and payment.factor != 1:
            product = say(
                "{product} × {factor} ({ending})",
                product=product,
                factor=payment.factor,
                ending=ENDINGS[self.settled.ending.kind],
            )
        product = self._times(product, payment.multiple)
        worked = (
            signed(units)
            if product.isdigit()
            else say("{products} = {units}", products=product, units=signed(units))
        )
        return say("{standing}: {worked}", standing=self._standing(payment.seat), worked=worked)

    def _rule_of(self, payment: Payment) -> str:
        """The rule of a payment: a special ending's own, else by who holds the bank."""
        if payment.base > 0:
            return "TG-55" if self.settled.winner == self.banker else "TG-54"
        if self.settled.ending.rule != ORDINARY.rule:
            return self.settled.ending.rule
        if payment.seat == self.banker:
            return "TG-52"
        return "TG-53" if self.settled.winner == self.banker else "TG-50"

    def _standing(self, seat: int) -> str:
        """Where a seat stands against par: "1 棟, 3 below par 4"."""
        par, tricks = self.rules.par, self.settled.tricks[seat]
        if self.state.declared is not None:
            return say(
                "paid as by an empty seat, par {par} + {empty}",
                par=par,
                empty=-self.rules.empty - par,
            )
        if not tricks:
            return say("no 棟, empty, par {par} + {empty}", par=par, empty=-self.rules.empty - par)
        if tricks == par:
            return say("{tricks} 棟, at par {par}", tricks=tricks, par=par)
        if tricks < par:
            return say(
                "{tricks} 棟, {off} below par {par}", tricks=tricks, off=par - tricks, par=par
            )
        return say("{tricks} 棟, {off} above par {par}", tricks=tricks, off=tricks - par, par=par)


def logged_bonuses_of(hand: AnyHand, moments: dict[int, Moment]) -> dict[int, Bonus]:
    """The logged immediate payments by the number of their trick."""
    bonuses = {}
    for index, event in enumerate(hand.events):
        if type(event) is Bonus and index in moments:
            bonuses[moments[index].number] = event
    return bonuses
