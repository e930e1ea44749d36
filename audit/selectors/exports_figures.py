"""The figures of one hand, one row a seat, wager or player: as logged and as recomputed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.selectors.exports_sheet import Cell, Plain
from audit.selectors.totals_money import told

# `net` is the profit where a game pays wagers.
FIGURES = ("gross", "rake", "net", "valid_bet")
FIGURE_COLUMNS = (
    "seat", "bet", "player",
    *(f"{name}_{side}" for name in FIGURES for side in ("logged", "recomputed")),
)  # fmt: skip
Json = Mapping[str, Any]
Row = tuple[Cell, ...]


def figure_rows(settlement: Json | None, raw: bytes, players: Sequence[str]) -> Iterator[Row]:
    """`players` are by seat in a game with seats. A side that is not there is empty.

    Amounts have the decimals of their currency, however few the log spelt.
    """
    line = told(raw)
    result, digits = line.result or {}, line.minor_digits
    settled = settlement or {}
    if "seats" in settled or "seats" in result:
        yield from _seats(settled, result, players, digits)
        return
    for kind, place in (("bet", 1), ("player", 2)):
        for name, (logged, right) in _pairs(settled, result, f"{kind}s", kind).items():
            who: list[Cell] = [None, None, None]
            who[place] = name
            yield (*who, *_sides(logged, right, "profit", digits))


def _seats(settled: Json, result: Json, players: Sequence[str], digits: int) -> Iterator[Row]:
    pairs = _pairs(settled, result, "seats", "seat")
    for seat in sorted(pairs):
        logged, right = pairs[seat]
        player = players[seat] if 0 <= seat < len(players) else None
        yield (seat, None, player, *_sides(logged, right, "net", digits))


def _pairs(settled: Json, result: Json, entries: str, key: str) -> dict[Any, tuple[Json, Json]]:
    """By seat or name the logged and the recomputed entry; empty where there is none."""
    logged = {entry[key]: entry for entry in result.get(entries, ())}
    right = {entry[key]: entry for entry in settled.get(entries, ())}
    names = dict.fromkeys([*right, *logged])
    return {name: (logged.get(name, {}), right.get(name, {})) for name in names}


def _sides(logged: Json, right: Json, net: str, digits: int) -> Iterator[Cell]:
    for name in FIGURES:
        key = net if name == "net" else name
        for side in (logged, right):
            text = side.get(key)
            yield Plain(_with_decimals(text, digits)) if isinstance(text, str) else None


def _with_decimals(amount: str, digits: int) -> str:
    """A well-formed amount of at most so many decimals with all of them."""
    whole, _, fraction = amount.partition(".")
    return f"{whole}.{fraction:0<{digits}}" if digits else whole
