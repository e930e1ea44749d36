"""What holds of every Wenzhou hand: a plain settlement, prefixes, permutations, corruption."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import replay
from replay.tiles import COPIES, KINDS
from tests.golden_vectors import rulesets
from tests.replay.wenzhou_pai_gow.hands import (
    CLASSIC,
    DOORS,
    POSITIONS,
    Tiles,
    audit,
    dealing,
    hand,
    settled,
    wagers,
)

SET = [kind.code for kind in KINDS for _ in range(COPIES[kind.index])]
RULESETS = sorted(ruleset.name for ruleset in rulesets() if ruleset.game == "wenzhou-pai-gow")
# One lose door a player, so that every ruleset of the tests accepts the hand but for hedging.
PLAYERS = ("ann", "bob", "陳大文")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A legal hand in parts."""

    bets: list[tuple[str, str, str, str]]
    tiles: Tiles
    dice: tuple[int, int]
    digits: int

    @property
    def events(self) -> list[dict[str, Any]]:
        return [*wagers(*self.bets), *dealing(self.tiles, self.dice)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Hands in which no player bets on two doors, nor on both sides unless he hedges."""
    digits = draw(st.integers(0, 3))
    home = {player: draw(st.sampled_from(DOORS)) for player in PLAYERS}
    bets = [
        (player, home[player], side, str(Decimal(units).scaleb(-digits)))
        for player, side, units in draw(
            st.lists(
                st.tuples(
                    st.sampled_from(PLAYERS),
                    st.sampled_from(("win", "lose")),
                    st.integers(1, 9_999),
                ),
                max_size=6,
            )
        )
    ]
    dealt = draw(st.permutations(SET))[:8]
    return Case(
        bets=bets,
        tiles={name: (dealt[2 * n], dealt[2 * n + 1]) for n, name in enumerate(POSITIONS)},
        dice=(draw(st.integers(1, 6)), draw(st.integers(1, 6))),
        digits=digits,
    )


# -- a second settlement, in the plainest way -----------------------------------------------


def plain_score(tiles: tuple[str, str]) -> tuple[int, int]:
    """(pair, −class) or (points, −class): the greater is the better."""
    one, other = sorted(tiles, key=[kind.code for kind in KINDS].index)
    pairs = [
        ["66 66"], ["11 11"], ["24 12"], ["44 44"], ["13 13"], ["55 55", "33 33", "22 22"],
        ["56 56", "46 46", "16 16", "15 15"], ["36 45", "26 35", "25 34", "14 23"],
        ["66 36", "66 45"], ["66 44", "66 26", "66 35"], ["11 26", "11 35", "11 44"],
        ["66 16", "66 25", "66 34"], ["11 16", "11 25", "11 34"],
    ]  # fmt: skip
    names = {f"{one} {other}", f"{other} {one}"}
    for number, names_of_class in enumerate(pairs, start=1):
        if names & set(names_of_class):
            return 10, -number
    singles = [["66"], ["11"], ["44"], ["13"], ["55", "33", "22"], ["56", "46", "16", "15"]]
    best = min(
        next((n for n, names in enumerate(singles, 1) if code in names), 7) for code in tiles
    )
    return sum(int(pip) for code in tiles for pip in code) % 10, -best


def plain_door_wins(door: tuple[str, str], bank: tuple[str, str], zero_rule: str) -> bool:
    mine, its = plain_score(door), plain_score(bank)
    if its[0] == 0 and zero_rule == "banker_zero_sweeps_all":
        return False
    if mine[0] == 0 and zero_rule != "zero_vs_zero_by_tile":
        return False
    return mine > its


def plain_settlement(case: Case, options: dict[str, Any]) -> dict[str, Any]:
    """The settlement by decimals, one bet after the other."""
    step = Decimal(1).scaleb(-case.digits)
    rounding = ROUND_HALF_UP if options["round"] == "half_up" else ROUND_FLOOR

    def profit(door: str, side: str, stake: Decimal) -> Decimal:
        wins = plain_door_wins(case.tiles[door], case.tiles["bank"], options["zero_rule"])
        if wins != (side == "win"):
            return -stake
        return (stake * Decimal(options[f"odds_{side}"])).quantize(step, rounding=rounding)

    def valid(door: str, side: str, stake: Decimal) -> Decimal:
        if options["valid_bet"] == "stake":
            return stake
        return min(stake, abs(profit(door, side, stake)))

    bets: list[tuple[str, Decimal, Decimal]] = []
    players: dict[str, dict[str, Any]] = {}
    for number, (player, door, side, text) in enumerate(case.bets, start=1):
        stake = Decimal(text)
        bets.append((f"b{number}", profit(door, side, stake), valid(door, side, stake)))
        mine = players.setdefault(player, {"profit": Decimal(0), "sum": Decimal(0), "doors": {}})
        mine["profit"] += bets[-1][1]
        mine["sum"] += bets[-1][2]
        sides = mine["doors"].setdefault(door, {"win": Decimal(0), "lose": Decimal(0)})
        sides[side] += stake

    def whole(mine: dict[str, Any]) -> Decimal:
        if options["hedge"] == "none":
            total: Decimal = mine["sum"]
            return total
        rests = [
            (door, side, sides[side] - min(sides.values()))
            for door, sides in mine["doors"].items()
            for side in ("win", "lose")
        ]
        return sum((valid(*rest) for rest in rests), Decimal(0))

    def row(kind: str, name: str, *amounts: Decimal) -> dict[str, str]:
        texts = [f"{amount.quantize(step):f}" for amount in amounts]
        return {kind: name, "profit": texts[0], "valid_bet": texts[1]}

    return {
        "bets": [row("bet", *bet) for bet in bets],
        "players": [
            row("player", name, mine["profit"], whole(mine)) for name, mine in players.items()
        ],
    }


@given(cases(), st.sampled_from(RULESETS))
@settings(max_examples=300, deadline=None)
def test_the_settlement_agrees_with_a_plain_one(case: Case, name: str) -> None:
    ruleset = rulesets().get(name)
    assert ruleset is not None
    options = dict(ruleset.options)
    line = hand(case.events, plain_settlement(case, options), ruleset=name, digits=case.digits)
    verdict = audit(line)
    hedged = any(
        {side for player, _, side, _ in case.bets if player == name} == {"win", "lose"}
        for name in PLAYERS
    )
    if hedged and options["same_door_both"] == "reject":
        assert [finding["code"] for finding in verdict["findings"]] == ["wager-illegal"]
        return
    assert verdict["verdict"] == "clean"
    assert {finding["code"] for finding in verdict["findings"]} == (
        {"wager-hedged"} if hedged else set()
    )
    assert verdict["settlement"] == plain_settlement(case, options)


# -- properties -----------------------------------------------------------------------------


@given(cases(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_prefix_replays_to_a_prefix(case: Case, data: st.DataObject) -> None:
    events = case.events
    place = data.draw(st.integers(0, len(events)))
    # A wrong event somewhere, so that there is something to find.
    events.insert(place, {"type": "outcome", "door": "shun", "winner": "bank", "ms": 1})
    cut = data.draw(st.integers(0, len(events)))

    def on_events(part: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = audit(hand(part, {"bets": []}, digits=case.digits))["findings"]
        return [finding for finding in found if finding["event"] is not None]

    whole = [finding for finding in on_events(events) if finding["event"] < cut]
    assert on_events(events[:cut]) == whole


@given(cases())
@settings(max_examples=100, deadline=None)
def test_equal_tiles_may_change_places(case: Case) -> None:
    twins = {"36": "45", "26": "35", "25": "34", "14": "23"}
    twins |= {second: first for first, second in twins.items()}
    changed: Tiles = {
        position: (twins.get(first, first), twins.get(second, second))
        for position, (first, second) in case.tiles.items()
    }
    turned: Tiles = {position: (second, first) for position, (first, second) in case.tiles.items()}
    bets = wagers(*case.bets)
    expected = settled(case.events, digits=case.digits)
    for tiles in (changed, turned):
        assert settled([*bets, *dealing(tiles, case.dice)], digits=case.digits) == expected


@given(cases(), st.permutations(DOORS))
@settings(max_examples=100, deadline=None)
def test_the_doors_may_change_places(case: Case, order: list[str]) -> None:
    new = dict(zip(DOORS, order, strict=True))
    tiles: Tiles = {"bank": case.tiles["bank"]}
    tiles |= {new[door]: case.tiles[door] for door in DOORS}
    bets = [(player, new[door], side, stake) for player, door, side, stake in case.bets]
    events = [*wagers(*bets), *dealing(tiles, case.dice)]
    assert settled(events, digits=case.digits) == settled(case.events, digits=case.digits)


def amounts(settlement: dict[str, Any]) -> dict[str, Any]:
    """A settlement with its amounts by value, however many decimals they are written with."""
    return {
        group: [
            {key: Decimal(text) if key in ("profit", "valid_bet") else text
             for key, text in one.items()}
            for one in settlement[group]
        ]
        for group in ("bets", "players")
    }  # fmt: skip


@given(cases(), st.data())
@settings(max_examples=300, deadline=None)
def test_one_changed_byte_never_gives_a_clean_other_settlement(
    case: Case, data: st.DataObject
) -> None:
    result = settled(case.events, digits=case.digits)
    line = bytearray(hand(case.events, result, digits=case.digits))
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] = data.draw(st.integers(0, 255))
    verdict = json.loads(replay.format_verdict(replay.audit(bytes(line), rulesets())))
    assert verdict["verdict"] in ("clean", "discrepant", "void", "rejected")
    if verdict["verdict"] == "clean":
        assert amounts(verdict["settlement"]) == amounts(result)
        assert replay.walk(bytes(line), rulesets()).steps != ()


def test_the_default_ruleset_is_among_those_tried() -> None:
    assert CLASSIC in RULESETS
    assert len(RULESETS) == 18
