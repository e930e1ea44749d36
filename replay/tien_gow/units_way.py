"""How a seat's units come about: immediate payments, then the ending, with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from replay.steps import Stage
from replay.tien_gow.immediate import RULE_OF_KIND, Earned, multiples_of
from replay.tien_gow.options import Rules
from replay.tien_gow.payout import Payment, Settled, payments_of
from replay.tien_gow.record import AnyHand, Bonus
from replay.tien_gow.state import Replay
from replay.tien_gow.words import BONUSES, ENDINGS, SEALS, signed


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
        for formula, units, rule in self._ending(seat):
            total += units
            stages.append(
                Stage(
                    name=f"ending-{len(stages) + 1}",
                    title="Ending 結",
                    formula=formula,
                    value=str(total),
                    rule=rule,
                )
            )
        assert total == self.settled.units[seat], "the way must lead to the figure"
        if len(stages) > 1:
            stages.append(self._sum(stages, total))
        return stages

    def _sum(self, stages: Sequence[Stage], total: int) -> Stage:
        running, terms = 0, []
        for stage in stages:
            terms.append(int(stage.value) - running)
            running = int(stage.value)
        formula = signed(terms[0]) + "".join(
            f" {'−' if term < 0 else '+'} {abs(term)}" for term in terms[1:]
        )
        return Stage(
            name="units",
            title="Units 注",
            formula=f"{formula} = {signed(total)}",
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

    def _ending(self, seat: int) -> list[tuple[str, int, str]]:
        """What the ending gives a seat: formula, units, rule."""
        winner, victim = self.settled.winner, self.settled.ending.victim
        assert winner is not None
        if seat == winner:
            return [self._collected(seat)]
        own = next((payment for payment in self.payments if payment.seat == seat), None)
        lines = []
        if own is None:
            lines.append((f"{self._standing(seat)}: 0", 0, "TG-50"))
        elif own.base > 0:
            formula = f"{self._standing(seat)}: {self._worked(own, own.units)}"
            rule = "TG-55" if winner == self.banker else "TG-54"
            lines.append((formula, own.units, rule))
        elif victim is None:
            formula = f"{self._standing(seat)}: {self._worked(own, -own.units)}"
            lines.append((formula, -own.units, self._debt_rule(seat)))
        elif seat != victim:
            formula = f"{self._standing(seat)}, but {SEALS[victim]} was captured and pays: 0"
            lines.append((formula, 0, self.settled.ending.rule))
        if seat == victim:
            lines.append(self._liability(seat))
        return lines

    def _debt_rule(self, seat: int) -> str:
        """The rule under which a seat below par pays."""
        if self.settled.ending.rule != "TG-50":
            return self.settled.ending.rule
        if seat == self.banker:
            return "TG-52"
        return "TG-53" if self.settled.winner == self.banker else "TG-50"

    def _standing(self, seat: int) -> str:
        """Where a seat stands against par: "1 棟, 3 below par 4"."""
        par, tricks = self.rules.par, self.settled.tricks[seat]
        if self.state.declared is not None:
            return "a winning deal is paid as by an empty seat"
        if not tricks:
            return f"no 棟, empty, par {par} + {-self.rules.empty - par}"
        if tricks == par:
            return f"{tricks} 棟, at par {par}"
        side = "below" if tricks < par else "above"
        return f"{tricks} 棟, {abs(tricks - par)} {side} par {par}"

    def _worked(self, payment: Payment, units: int) -> str:
        """A payment worked out: "2 × 2 (包尊) × 3 (bank, n = 2) = −12", or a plain "+1"."""
        product = str(abs(payment.base))
        if payment.base < 0 and payment.factor != 1:
            product += f" × {payment.factor} ({ENDINGS[self.settled.ending.kind]})"
        product = self._times(product, payment.multiple)
        return signed(units) if product.isdigit() else f"{product} = {signed(units)}"

    def _liability(self, seat: int) -> tuple[str, int, str]:
        """The captured seat pays the debts of all below par (TG-64)."""
        ending = self.settled.ending
        debts = [payment for payment in self.payments if payment.base < 0]
        total = -sum(payment.units for payment in debts)
        parts = [
            f"{SEALS[payment.seat]} {self._times(str(-payment.base), payment.multiple)}"
            for payment in debts
        ]
        sums = f"({' + '.join(parts)})" if parts else "no debt"
        formula = f"pays for all below par: {sums} × {ending.factor} ({ENDINGS[ending.kind]})"
        return f"{formula} = {signed(total)}", total, ending.rule

    def _collected(self, winner: int) -> tuple[str, int, str]:
        """What the winner collects from and pays to each other seat (TG-51)."""
        received: dict[int, int] = {}
        paid: dict[int, int] = {}
        for payment in self.payments:
            if payment.payee == winner:
                received[payment.payer] = received.get(payment.payer, 0) + payment.units
            else:
                paid[payment.payee] = payment.units
        total = sum(received.values()) - sum(paid.values())
        terms = [f"{count} from {SEALS[seat]}" for seat, count in sorted(received.items())]
        formula = " + ".join(terms) if terms else "nobody is below par"
        for seat, count in sorted(paid.items()):
            formula += f" − {count} to {SEALS[seat]}"
        return f"{formula} = {signed(total)}", total, "TG-51"
