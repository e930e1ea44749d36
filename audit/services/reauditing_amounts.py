"""What another settlement means in money: amounts before and after, by player and by table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import msgspec

from audit.models import ReauditAmount
from audit.services.outcomes import SEPARATOR

# Where the amounts stand in a settlement: by seat, or in a game without seats by player.
_FIGURES = ("net", "rake", "valid_bet")
_decode = msgspec.json.Decoder(dict[str, Any]).decode

# What one side of a hand gives a player: net, rake (None where the game has none), valid bet.
Figures = tuple[int, int | None, int]
# Source, table, player (None: the whole table), currency, number of decimals.
Key = tuple[str, str, str | None, str, int]


@dataclass(slots=True)
class Sum:
    """Amounts of both sides, added up over some hands."""

    hands: int = 0
    before: list[int | None] = field(default_factory=lambda: [None, None, None])
    after: list[int | None] = field(default_factory=lambda: [None, None, None])

    def add(self, before: Sequence[int | None], after: Sequence[int | None]) -> None:
        for sums, figures in ((self.before, before), (self.after, after)):
            for place, figure in enumerate(figures):
                if figure is not None:
                    sums[place] = (sums[place] or 0) + figure


def amounts_of(
    reaudit_id: int, batch_id: int, rows: Iterable[tuple[Any, ...]]
) -> tuple[list[ReauditAmount], int]:
    """The amounts of one batch, and how many hands cannot be compared.

    `rows` are source, table, players in the order of their seats, currency, decimals and the two
    settlements as JSON. A hand with a settlement on one side only has no difference.
    """
    sums: dict[Key, Sum] = {}
    unsettled = 0
    for source, table, players, currency, digits, before, after in rows:
        names = players.split(SEPARATOR) if players else []
        sides = _sides(before, after, names, digits)
        if sides is None:
            unsettled += 1
            continue
        whole = sums.setdefault((source, table, None, currency, digits), Sum())
        whole.hands += 1
        for player, one, other in _paired(*sides):
            mine = sums.setdefault((source, table, player, currency, digits), Sum())
            mine.hands += 1
            mine.add(one, other)
            whole.add(one, other)
    return [_row(reaudit_id, batch_id, key, one) for key, one in sums.items()], unsettled


def _sides(
    before: str | None, after: str | None, names: Sequence[str], digits: int
) -> tuple[dict[str, Figures], dict[str, Figures]] | None:
    """Both sides by player; None where one has no settlement, or is of other decimals."""
    if before is None or after is None:
        return None
    try:
        return figures_of(before, names, digits), figures_of(after, names, digits)
    except (ValueError, LookupError):
        # An engine before this one may have read other seats, or another number of decimals.
        return None


def figures_of(settlement: str, names: Sequence[str], digits: int) -> dict[str, Figures]:
    """The figures of a settlement by player.

    Raises: ValueError, LookupError where it does not fit the names and the decimals.
    """
    document = _decode(settlement)
    figures: dict[str, Figures] = {}
    seats = document.get("seats", ())
    if {entry["seat"] for entry in seats} != set(range(len(names) if seats else 0)):
        raise LookupError("a seat without a name")
    for entry in seats:
        net, rake, valid_bet = (_units(entry[name], digits) for name in _FIGURES)
        _take(figures, names[entry["seat"]], (net, rake, valid_bet))
    for entry in document.get("players", ()):
        profit, valid_bet = (_units(entry[name], digits) for name in ("profit", "valid_bet"))
        _take(figures, entry["player"], (profit, None, valid_bet))
    return figures


def _units(amount: object, digits: int) -> int:
    """A recomputed amount in minor units; it may be larger than any that a log can hold."""
    if not isinstance(amount, str):
        raise LookupError("an amount is missing")
    whole, _, fraction = amount.partition(".")
    if len(fraction) != digits:
        raise ValueError(f"{amount} has not {digits} decimals")
    return int(whole + fraction)


def _take(figures: dict[str, Figures], player: str, mine: Figures) -> None:
    if player in figures:
        raise LookupError(player)
    figures[player] = mine


def _paired(
    before: dict[str, Figures], after: dict[str, Figures]
) -> Iterator[tuple[str, Figures, Figures]]:
    nothing: Figures = (0, None, 0)
    for player in dict.fromkeys((*before, *after)):
        yield player, before.get(player, nothing), after.get(player, nothing)


def _row(reaudit_id: int, batch_id: int, key: Key, one: Sum) -> ReauditAmount:
    source, table, player, currency, digits = key
    return ReauditAmount(
        reaudit_id=reaudit_id,
        batch_id=batch_id,
        source=source,
        table=table,
        player=player,
        currency=currency,
        minor_digits=digits,
        hand_count=one.hands,
        net_before=_exact(one.before[0]),
        net_after=_exact(one.after[0]),
        rake_before=_exact(one.before[1]),
        rake_after=_exact(one.after[1]),
        valid_bet_before=_exact(one.before[2]),
        valid_bet_after=_exact(one.after[2]),
    )


def _exact(units: int | None) -> Decimal | None:
    """Minor units as the column has them."""
    return None if units is None else Decimal(units)
