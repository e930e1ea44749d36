"""What may be led and what beats what, proven by enumeration (RULEBOOK 3.3 to 3.6)."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from replay.tien_gow.combinations import (
    COMBINATIONS,
    GUARD,
    MALLET_PAIR,
    WEN_ZUN,
    WHOLE_SET,
    Type,
    can_beat,
    classify,
    combination_of,
    first_over,
    pack,
    pack_kinds,
    refusal_rule,
    type_of,
    unpack,
    windows_of,
)
from replay.tien_gow.words import NAMES
from replay.tiles import CODES, COPIES, KIND_COUNT

BEATS = Path(__file__).resolve().parents[2] / "feeds" / "tiengow-beats.csv"

# The 32 tiles, each by the number of its kind.
TILES = tuple(kind for kind in range(KIND_COUNT) for _ in range(COPIES[kind]))
# 3.3, last column.
LEADS = {
    Type.CIVIL_SINGLE: 22,
    Type.MILITARY_SINGLE: 10,
    Type.CIVIL_PAIR: 11,
    Type.MILITARY_PAIR: 4,
    Type.MIXED_PAIR: 16,
    Type.SUPREME: 1,
    Type.THREE_CIVIL: 8,
    Type.THREE_MILITARY: 8,
    Type.QUAD: 4,
}
PLAYS = sorted(set(COMBINATIONS.values()))


def test_84_sets_of_tiles_may_be_led() -> None:
    counts: Counter[Type] = Counter()
    for count in (1, 2, 3, 4):
        for tiles in combinations(TILES, count):
            code = classify(tiles)
            if code is not None:
                counts[type_of(code)] += 1
    assert counts == LEADS
    assert sum(counts.values()) == 84


def test_the_table_equals_the_rule_on_every_set_of_one_to_four_tiles() -> None:
    seen = {}
    for count in (1, 2, 3, 4):
        for tiles in combinations(TILES, count):
            code = classify(tiles)
            assert COMBINATIONS.get(pack_kinds(tiles)) == code
            if code is not None:
                seen[pack_kinds(tiles)] = code
    assert seen == COMBINATIONS


@pytest.mark.parametrize("wen_zun", WEN_ZUN)
def test_the_windows_equal_the_rule_for_every_lead_best_and_play(wen_zun: str) -> None:
    windows = windows_of(wen_zun)
    assert sorted(windows) == PLAYS
    for lead in PLAYS:
        floor, ceiling = windows[lead]
        bests = [lead] + [play for play in PLAYS if can_beat(play, lead, lead, wen_zun)]
        for best in bests:
            lowest = floor if best == lead else best
            for play in PLAYS:
                expected = can_beat(play, best, lead, wen_zun)
                assert (lowest < play < ceiling) is expected, (lead, best, play)


_CIVIL = dict(
    zip(
        ["天", "地", "人", "鵝", "梅花", "長三", "板凳", "斧頭", "紅頭十", "高腳七", "伶冧六"],
        ["66", "11", "44", "13", "55", "33", "22", "56", "46", "16", "15"],
        strict=True,
    )
)
_MILITARY = {"九": "36", "八": "26", "七": "25", "六": "24", "五": "14", "三": "12"}
_PAIRED = {"九": "36 45", "八": "26 35", "七": "25 34", "五": "14 23"}


def _tiles_named(name: str) -> list[str]:
    """The tiles of a combination by its name in the feed."""
    if name in _CIVIL:
        return [_CIVIL[name]]
    if name in _MILITARY:
        return [_MILITARY[name]]
    if name == "六三":
        return ["24", "12"]
    if name.startswith("雙"):
        return [_CIVIL[name[1:]]] * 2
    if name.startswith("雜"):
        return _PAIRED[name[1:]].split()
    civil, military = name[-2:]
    copies = {"三文": (2, 1), "三武": (1, 2), "四": (2, 2), "": (1, 1)}[name[:-2]]
    return [_CIVIL[civil]] * copies[0] + _PAIRED[military].split()[: copies[1]]


@pytest.mark.parametrize(
    ("column", "wen_zun", "beats"),
    [
        ("seed_capture", "true_capturable", 146),
        ("seed_nocapture", "true_unbeatable", 145),
        ("seed_noWenHonor", "off", 155),
        ("seed_noWenHonor", "fake", 155),
    ],
)
def test_the_beats_relation_is_that_of_the_rulebook(column: str, wen_zun: str, beats: int) -> None:
    with BEATS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 769
    assert len({row["lead"] for row in rows}) == 49
    count = 0
    for row in rows:
        lead = combination_of(*_tiles_named(row["lead"]))
        follow = combination_of(*_tiles_named(row["follow"]))
        expected = row[column] == "1"
        assert can_beat(follow, lead, lead, wen_zun) is expected, row
        count += expected
    assert count == beats


def test_the_feed_has_every_combination() -> None:
    with BEATS.open(encoding="utf-8", newline="") as file:
        leads = {combination_of(*_tiles_named(row["lead"])) for row in csv.DictReader(file)}
    assert leads == set(PLAYS)


def test_G56_a_mixed_earth_eight_is_beaten_by_heaven_nine_only() -> None:
    lead = combination_of("11", "35")
    beating = [play for play in PLAYS if can_beat(play, lead, lead, "off")]
    assert beating == [combination_of("66", "36")]


def test_TG21_types_never_beat_each_other() -> None:
    for wen_zun in WEN_ZUN:
        for lead in PLAYS:
            for play in PLAYS:
                if type_of(play) is not type_of(lead):
                    assert not can_beat(play, lead, lead, wen_zun)


def test_TG22_equal_does_not_beat() -> None:
    assert combination_of("36") == combination_of("45")
    for play in PLAYS:
        assert not can_beat(play, play, play, "off")


def test_ruling_8_a_led_red_mallet_pair_is_refused_by_TG20() -> None:
    heavens = combination_of("66", "66")
    rule = refusal_rule(heavens, MALLET_PAIR, MALLET_PAIR, same_number=True)
    assert rule == "TG-20"
    nines = combination_of("36", "45")
    assert refusal_rule(nines, MALLET_PAIR, MALLET_PAIR, same_number=True) == "TG-21"
    assert refusal_rule(None, MALLET_PAIR, MALLET_PAIR, same_number=True) == "TG-21"
    assert refusal_rule(None, MALLET_PAIR, MALLET_PAIR, same_number=False) == "TG-20"


def test_packing_keeps_every_tile() -> None:
    assert unpack(WHOLE_SET) == list(TILES)
    assert unpack(pack(("66", "12", "66"))) == [0, 0, 20]
    assert unpack(pack(("66", "12", "66")) + GUARD) == [0, 0, 20]


def test_taking_a_tile_that_is_not_held_clears_its_guard() -> None:
    holding = pack(("66", "36")) + GUARD
    for code in CODES:
        rest = holding - pack([code])
        assert (rest & GUARD == GUARD) is (code in ("66", "36"))
    # Even eight copies of one tile do not reach the next field.
    assert (WHOLE_SET + GUARD - pack(["66"] * 8)) & GUARD == GUARD - pack(["66"] * 8)


def test_the_first_tile_over_is_in_the_order_of_the_set() -> None:
    assert first_over(pack(("12", "36", "36", "15")), pack(("12", "15", "36"))) == "36"
    assert first_over(pack(("12", "13", "13", "13")), WHOLE_SET) == "13"


@pytest.mark.parametrize(
    ("tiles", "hant", "english"),
    [
        ("22", "板凳", "Bench"),
        ("33 33", "雙長三", "pair of Long Threes"),
        ("22 22", "雙板凳", "pair of Benches"),
        ("44 44", "雙人", "pair of Men"),
        ("36 45", "雜九對", "pair of Mixed Nines"),
        ("66 45", "天九", "Heaven and Nine"),
        ("12 24", "至尊", "supreme pair"),
        ("13 13 23", "三文鵝五", "both Geese and a Five"),
        ("13 14 23", "三武鵝五", "Goose and both Fives"),
        ("11 11 26 35", "四地八", "both Earths and both Eights"),
    ],
)
def test_a_combination_has_its_name_in_both_scripts(tiles: str, hant: str, english: str) -> None:
    name = NAMES[combination_of(*tiles.split())]
    assert (name.hant, name.english) == (hant, english)
