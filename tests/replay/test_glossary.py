"""docs/glossary.md has every word of the code, and says of it what the code says."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import get_args

import pytest

import replay
from replay import glossary
from replay.banker_pai_gow.ranking import RANKS, RankCode
from replay.tien_gow import words
from replay.tien_gow.combinations import Type
from replay.tien_gow.dealing import METHODS
from replay.tien_gow.lipai import PATTERNS
from replay.tien_gow.record import BonusKind
from replay.wenzhou_pai_gow.ranking import PAIR_CLASSES
from replay.wenzhou_pai_gow.record import POSITIONS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text("utf-8")
COLUMNS = ["identifier", "English", "Cantonese", "pinyin", "characters", "meaning"]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


# Chapter -> rows.
CHAPTERS: dict[str, list[list[str]]] = {
    chapter.split("\n", 1)[0]: [
        cells(line)
        for line in chapter.split("\n")
        if line.startswith("|") and not line.startswith(("|---", "| identifier |"))
    ]
    for chapter in PAGE.split("\n## ")[1:]
}


def rows(chapter: str) -> dict[str, list[str]]:
    """The rows of a chapter by their identifiers."""
    return {row[0].strip("`"): row for row in CHAPTERS[chapter]}


def hant(row: list[str]) -> str:
    return row[4].split(" / ")[0]


def test_every_table_has_the_same_columns_and_no_empty_cell() -> None:
    heads = [cells(line) for line in PAGE.split("\n") if line.startswith("| identifier |")]
    assert heads == [COLUMNS] * len(CHAPTERS)
    for chapter, lines in CHAPTERS.items():
        for row in lines:
            assert len(row) == len(COLUMNS), (chapter, row)
            assert all(row), (chapter, row)


def test_no_identifier_stands_twice_in_a_chapter() -> None:
    for chapter, lines in CHAPTERS.items():
        assert len(rows(chapter)) == len(lines), chapter


def test_every_tile_kind_is_told_as_the_code_tells_it() -> None:
    told = rows("Tiles")
    for kind in replay.KINDS:
        row = told[kind.code]
        characters = [kind.hant] if kind.hant == kind.hans else [kind.hant, kind.hans]
        assert row[1] == kind.english
        assert row[2].endswith(f"({kind.cantonese})")
        assert row[4] == " / ".join(characters)
        assert row[5].startswith(f"{kind.suit.value}, value {kind.value}")


def test_every_rank_name_is_there_in_order() -> None:
    told = rows("Pai Gow ranks")
    assert list(told) == list(get_args(RankCode))
    for rank in RANKS:
        assert told[rank.code][1] == rank.english
        assert hant(told[rank.code]) == rank.hant


def test_every_pattern_is_there() -> None:
    told = rows("Winning deals")
    assert [name for name in told if name in PATTERNS] == list(PATTERNS)
    for name, (characters, english) in glossary.PATTERNS.items():
        assert told[name][1] == english
        assert hant(told[name]) == characters


def test_every_wall_method_is_there() -> None:
    told = rows("Wall methods")
    assert list(told) == ["method", *METHODS]
    for name, title in glossary.METHODS.items():
        assert f"{hant(told[name])}, {told[name][1]}" == title


def test_every_lead_type_is_there() -> None:
    told = rows("Lead types")
    for kind, (english, characters) in words.TYPES.items():
        row = told[kind.name]
        assert row[1] == english
        assert row[5].startswith(f"type {kind.value}")
        if kind is not Type.SUPREME:
            assert hant(row) == characters


def test_every_bonus_is_there() -> None:
    told = rows("Payments and endings")
    assert {name: hant(told[name]) for name in get_args(BonusKind)} == glossary.BONUSES


def test_every_position_and_class_of_wenzhou_is_there() -> None:
    told = rows("Wenzhou Pai Gow")
    assert [name for name in told if name in POSITIONS] == list(POSITIONS)
    assert list(rows("Wenzhou classes")) == [
        *(f"pair class {number}" for number in range(1, PAIR_CLASSES + 1)),
        *(f"tile class {number}" for number in range(1, 8)),
    ]


def test_every_finding_code_is_there_in_order() -> None:
    assert list(rows("Finding codes")) == list(replay.CODES)


def test_every_game_is_there_with_its_title() -> None:
    told = rows("The games")
    assert list(told) == list(replay.GAMES)
    for game in replay.GAMES.values():
        assert game.title_hant in " ".join(told[game.name])


def test_games_are_called_what_the_rulebook_calls_them() -> None:
    assert {game.name: game.title_hant for game in replay.GAMES.values()} == {
        "banker-pai-gow": "搶莊牌九",
        "tien-gow": "打天九",
        "small-tien-gow": "小天九",
        "wenzhou-pai-gow": "温州牌九",
    }


@pytest.mark.parametrize("column", [2, 3])
def test_readings_are_written_in_their_script(column: int) -> None:
    """Jyutping ends each syllable with its tone; pinyin has none but those over its vowels."""
    for row in (row for lines in CHAPTERS.values() for row in lines if row[column] != "–"):
        reading = re.sub(r" \(\w+\)$", "", row[column])
        if column == 2:
            assert re.fullmatch(r"[a-z]+[1-6]( [a-z]+[1-6])*", reading), row
            assert len(reading.split()) == len(hant(row).replace(" ", "")), row
        else:
            plain = unicodedata.normalize("NFD", reading)
            assert re.fullmatch(r"[A-Za-z ̀́̄̌̈]+", plain), row


def test_traditional_and_simplified_are_equally_long() -> None:
    for row in (row for lines in CHAPTERS.values() for row in lines if " / " in row[4]):
        first, second = row[4].split(" / ")
        assert len(first) == len(second), row
        assert first != second, row
