"""The set of 32 (RULEBOOK 1.1)."""

from __future__ import annotations

from collections import Counter

from replay.tiles import CODES, COPIES, INDEX, KINDS, SET_SIZE, Suit, format_tiles, indices


def test_the_set_has_22_civil_and_10_military_tiles() -> None:
    copies: Counter[Suit] = Counter()
    for kind in KINDS:
        copies[kind.suit] += kind.copies
    assert copies == {Suit.CIVIL: 22, Suit.MILITARY: 10}
    assert SET_SIZE == 32


def test_the_pips_add_up_to_227() -> None:
    pips: Counter[Suit] = Counter()
    for kind in KINDS:
        pips[kind.suit] += kind.value * kind.copies
    assert pips == {Suit.CIVIL: 160, Suit.MILITARY: 67}


def test_red_pips_are_those_of_the_table() -> None:
    assert {kind.code: kind.red for kind in KINDS} == {
        "66": 6, "11": 2, "44": 8, "13": 1, "55": 0, "33": 0, "22": 0, "56": 0, "46": 4, "16": 1,
        "15": 1, "36": 0, "45": 4, "26": 0, "35": 0, "25": 0, "34": 4, "24": 4, "14": 5, "23": 0,
        "12": 1,
    }  # fmt: skip


def test_codes_and_numbers_are_inverse_and_smaller_pips_stand_first() -> None:
    assert [CODES[INDEX[code]] for code in CODES] == list(CODES)
    assert all(code[0] <= code[1] for code in CODES)
    assert len(COPIES) == 21


def test_tiles_are_written_in_the_order_of_the_format() -> None:
    assert format_tiles(indices(["12", "66", "36", "66"])) == "66 66 36 12"
