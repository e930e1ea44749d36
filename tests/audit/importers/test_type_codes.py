"""The type codes and the order of the event list's server, over every two tiles
(tests/feeds/pair-ranks.csv)."""

from __future__ import annotations

import csv
from itertools import combinations

import pytest

from audit.importers.tiles import TYPE_NAMES
from replay.banker_pai_gow.options import prepare
from replay.banker_pai_gow.ranking import RANKS, TIE_MARGIN
from replay.tiles import INDEX, KIND_COUNT
from tests.audit.importers.records import FEEDS, RULESETS

# The server's short names of its types, in the order of their codes.
SERVER_TYPES = (
    *(f"PT_{points}" for points in range(10)),
    "DGJ", "TGJ", "DG", "TG", "DW", "TW", "ZW", "Z7", "Z8", "Z9", "SLL", "SGJ", "SHT", "SFT",
    "SBD", "SCS", "SM", "SE", "SR", "SD", "ST", "ZZ",
)  # fmt: skip


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (FEEDS / "pair-ranks.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ladder_of(name: str):
    ruleset = RULESETS.get(name)
    assert ruleset is not None
    return prepare(ruleset.options).ladder


def holding(row: dict[str, str]) -> int:
    return INDEX[row["tile1"][:2]] * KIND_COUNT + INDEX[row["tile2"][:2]]


def test_each_type_code_names_the_holding_that_the_server_means(rows: list[dict[str, str]]) -> None:
    assert len(TYPE_NAMES) == len(SERVER_TYPES) == len(RANKS) == 32
    ladder = ladder_of("banker-pai-gow/event-list-122@1")
    for row in rows:
        ours = RANKS[ladder.ranks[holding(row)] - 1].code
        assert TYPE_NAMES[SERVER_TYPES.index(row["league_type"])] == ours, row


def test_every_comparison_goes_as_the_server_has_it(rows: list[dict[str, str]]) -> None:
    strengths = ladder_of("banker-pai-gow/event-list-122@1").strengths
    hands = [
        ({row["tile1"], row["tile2"]}, int(row["league_rank"]), strengths[holding(row)])
        for row in rows
    ]
    compared, different = 0, []
    for (tiles, rank, strength), (others, other_rank, other) in combinations(hands, 2):
        if tiles & others:
            continue
        compared += 1
        margin = strength - other
        ours = 0 if abs(margin) <= TIE_MARGIN else 1 if margin > 0 else -1
        theirs = (other_rank > rank) - (other_rank < rank)
        if ours != theirs:
            different.append((sorted(tiles), sorted(others)))
    assert compared == 107_880
    assert different == []
