"""Immediate payments: 賀尊, 擒尊 and 四大賀 (RULEBOOK 3.7, TG-40 to TG-46; rulings 8, 14)."""

from __future__ import annotations

from dataclasses import dataclass

from replay.tien_gow.combinations import LONG_LEG_PAIR, MALLET_PAIR, SUPREME
from replay.tien_gow.options import Rules
from replay.tien_gow.record import BonusKind

RULE_OF_KIND: dict[str, str] = {
    "supreme": "TG-40",
    "capture-supreme": "TG-42",
    "four-grand": "TG-44",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Earned:
    """An immediate payment that a trick earned.

    `base` is in units before the bank's multiple; `units` is what each seat gets (by seat).
    """

    kind: BonusKind
    collector: int
    base: int
    units: tuple[int, int, int, int]


def multiples_of(collector: int, banker: int, multiple: int, rules: Rules) -> list[int]:
    """The multiple of a payment between `collector` and each seat: M with the banker on either
    side, or everywhere under `global`; else 1 (3.7, TG-52, TG-53, TG-56, TG-57).
    """
    if collector == banker or rules.is_global:
        return [multiple, multiple, multiple, multiple]
    multiples = [1, 1, 1, 1]
    multiples[banker] = multiple
    return multiples


def earned_by(
    lead: int,
    leader: int,
    winner: int,
    play: int,
    *,
    banker: int,
    multiple: int,
    rules: Rules,
) -> Earned | None:
    """What a trick earns that was led with a 尊 or a 四文武, and taken with `play`.

    Whether it was the last trick is for the caller (TG-46).
    """
    kind: BonusKind
    if lead == SUPREME:
        kind = "supreme"
    elif lead == MALLET_PAIR:
        if winner == leader:
            kind = "supreme"
        elif rules.wen_zun == "true_capturable" and play == LONG_LEG_PAIR:
            kind = "capture-supreme"
        else:
            # A false supreme that was beaten collects nothing, and nobody is paid (TG-43).
            return None
    else:
        kind = "four-grand"
    base = rules.bonus_base[lead]
    multiples = multiples_of(winner, banker, multiple, rules)
    owed = [0 if seat == winner else base * multiples[seat] for seat in range(4)]
    owed[winner] = -sum(owed)
    first, second, third, fourth = (-units for units in owed)
    return Earned(kind=kind, collector=winner, base=base, units=(first, second, third, fourth))
