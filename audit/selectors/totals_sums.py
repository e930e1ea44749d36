"""Sums of money over many hands. A sum is of one currency with one number of decimals."""

from __future__ import annotations

from dataclasses import dataclass

from audit.selectors.totals_money import NO_FLOW, Figures, Flow, HandMoney


@dataclass(slots=True)
class Sum:
    """What hands of one currency come to, in minor units.

    `hands` have both a recomputed settlement and a logged result, and only they are in
    `valid_bet`, `rake`, their logged counterparts and `net_off`, so that the two sides compare. Of
    the `unsettled`, whose replay stopped, only what was logged is known; the `unlogged` have no
    result. A rake is None where no hand of them has one. `flow` is of the same `hands`.
    """

    hands: int = 0
    valid_bet: int = 0
    rake: int | None = None
    logged_valid_bet: int = 0
    logged_rake: int | None = None
    net_off: int = 0
    flow: Flow = NO_FLOW
    unsettled: int = 0
    unsettled_valid_bet: int = 0
    unsettled_rake: int | None = None
    unlogged: int = 0

    def add(self, money: HandMoney) -> None:
        """Take in one hand."""
        right, logged = money.recomputed, money.logged
        if right is not None and logged is not None:
            self.add_settled(1, right, logged, money.net_off or 0, money.flow)
            return
        if logged is None:
            self.unlogged += 1
        if right is None:
            self.unsettled += 1
            if logged is not None:
                self.unsettled_valid_bet += logged.valid_bet
                self.unsettled_rake = plus(self.unsettled_rake, logged.rake)

    def add_settled(
        self, hands: int, right: Figures, logged: Figures, net_off: int, flow: Flow
    ) -> None:
        """Take in hands of which both sides are known, summed already."""
        self.hands += hands
        self.valid_bet += right.valid_bet
        self.rake = plus(self.rake, right.rake)
        self.logged_valid_bet += logged.valid_bet
        self.logged_rake = plus(self.logged_rake, logged.rake)
        self.net_off += net_off
        self.flow = self.flow.plus(flow)

    def add_sum(self, other: Sum) -> None:
        """Take in another sum of the same currency and decimals."""
        self.add_settled(
            other.hands,
            Figures(valid_bet=other.valid_bet, rake=other.rake),
            Figures(valid_bet=other.logged_valid_bet, rake=other.logged_rake),
            other.net_off,
            other.flow,
        )
        self.unsettled += other.unsettled
        self.unsettled_valid_bet += other.unsettled_valid_bet
        self.unsettled_rake = plus(self.unsettled_rake, other.unsettled_rake)
        self.unlogged += other.unlogged


def plus(left: int | None, right: int | None) -> int | None:
    """The sum of what there is; None where there is neither."""
    if left is None or right is None:
        return right if left is None else left
    return left + right
