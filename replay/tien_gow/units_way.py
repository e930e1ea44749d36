"""How a seat's units come about: immediate payments, then the ending, with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replay.steps import Stage
from replay.tien_gow.immediate import RULE_OF_KIND, Earned, multiples_of
from replay.tien_gow.options import Rules
from replay.tien_gow.payout import ORDINARY, Payment, Settled, payments_of
from replay.tien_gow.record import AnyHand, Bonus
from replay.tien_gow.state import Replay
from replay.tien_gow.words import BONUSES, ENDINGS, NAMES, SEALS, signed


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
        formula = "nothing to pay or to receive"
        if len(terms) == 1:
            formula = f"in all {signed(total)}"
        elif terms:
            formula = signed(terms[0]) + "".join(
                f" {'−' if term < 0 else '+'} {abs(term)}" for term in terms[1:]
            )
            formula += f" = {signed(total)}"
        return Stage(
            name="units",
            title="Units 注",
            formula=formula,
            value=str(total),
            rule=self.settled.ending.rule,
        )

    # -- immediate payments

    def _bonus(self, number: int, earned: Earned, seat: int, total: int) -> Stage:
        title = f"{BONUSES[earned.kind]} in trick {number}"
        multiples = multiples_of(earned.collector, self.banker, self.multiple, self.rules)
        if seat == earned.collector:
            parts = [
                self._times(str(earned.base), multiples[other])
                for other in range(4)
                if other != seat
            ]
            formula = f"{' + '.join(parts)} = {signed(earned.units[seat])}"
        else:
            product = self._times(str(earned.base), multiples[seat])
            formula = f"pays {product} to {SEALS[earned.collector]} = {signed(earned.units[seat])}"
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
        return f"{product} × {multiple} ({self._bank_word()})"

    def _bank_word(self) -> str:
        scope = "every payment" if self.rules.is_global else "bank"
        return f"{scope}, n = {self.streak}"

    # -- the ending

    def _ending(self, seat: int) -> list[Line]:
        """What the ending gives a seat: how the hand ended, then one line a payment."""
        ending = self.settled.ending
        own = next((payment for payment in self.payments if payment.seat == seat), None)
        lines = []
        is_party = seat in (self.settled.winner, ending.victim)
        if ending.kind != ORDINARY.kind and (is_party or (own is not None and own.base < 0)):
            lines.append(Line("Ending 結", self._how_it_ended(), 0, ending.rule))
        if seat == self.settled.winner:
            return lines + [self._with_winner(other) for other in range(4) if other != seat]
        lines.append(self._own(seat, own))
        if seat == ending.victim:
            lines += [
                Line(f"For {SEALS[debt.seat]}", self._payment(debt), -debt.units, ending.rule)
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
            how = f"the winning deal of {winner} counts as {name}"
        elif ending.rule == "TG-70":
            how = f"{name}: {winner} takes every 棟, the last with {play.hant}"
        elif ending.victim is not None:
            how = (
                f"擒: {SEALS[ending.victim]} leads {lead.hant} to the last trick, {winner} "
                f"captures it with {play.hant}; {SEALS[ending.victim]} pays for all below par"
            )
        else:
            how = f"{name}: {winner} takes the last trick with {play.hant}"
        return f"{how}: × {ending.factor}"

    def _own(self, seat: int, own: Payment | None) -> Line:
        """What a seat other than the winner pays or gets for its own 棟."""
        ending, title = self.settled.ending, "Ending 結"
        if own is None:
            return Line(title, f"{self._standing(seat)}: 0", 0, "TG-50")
        if own.base < 0 and own.payer != seat:
            formula = f"{self._standing(seat)}, but {SEALS[own.payer]} was captured and pays: 0"
            return Line(title, formula, 0, ending.rule)
        units = own.units if own.payee == seat else -own.units
        return Line(title, self._payment(own, units), units, self._rule_of(own))

    def _with_winner(self, other: int) -> Line:
        """What another seat's 棟 earn or cost the winner (TG-51)."""
        payment = next((payment for payment in self.payments if payment.seat == other), None)
        if payment is None:
            return Line(f"From {SEALS[other]}", f"{self._standing(other)}: 0", 0, "TG-50")
        if payment.base > 0:
            formula = self._payment(payment, -payment.units)
            return Line(f"To {SEALS[other]}", formula, -payment.units, self._rule_of(payment))
        title = f"From {SEALS[payment.payer]}"
        if payment.payer != other:
            title += f" for {SEALS[other]}"
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
            product += f" × {payment.factor} ({ENDINGS[self.settled.ending.kind]})"
        product = self._times(product, payment.multiple)
        worked = signed(units) if product.isdigit() else f"{product} = {signed(units)}"
        return f"{self._standing(payment.seat)}: {worked}"

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
            return f"paid as by an empty seat, par {par} + {-self.rules.empty - par}"
        if not tricks:
            return f"no 棟, empty, par {par} + {-self.rules.empty - par}"
        if tricks == par:
            return f"{tricks} 棟, at par {par}"
        side = "below" if tricks < par else "above"
        return f"{tricks} 棟, {abs(tricks - par)} {side} par {par}"
