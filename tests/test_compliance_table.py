"""The tables of compliance and security: every line of the standards once, and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "compliance.md"
SECURITY = ROOT / "docs" / "security.md"
LINES = 61
# What a row says where no test shows the line as a whole.
REASONS = ("In part:", "The operator's:", "Not built:")


def rows() -> dict[str, tuple[str, str, str]]:
    """What each line asks for, the tests that show it, and what is to be said beside them."""
    found = re.findall(r"^\| (S\d+) \| (.*?) \| (.*?) \| (.*?) \|$", TABLE.read_text(), re.M)
    return {line: (asked, tests, said) for line, asked, tests, said in found}


def named(tests: str) -> list[str]:
    return re.findall(r"`([^`]+)`", tests)


def test_every_line_stands_in_the_table_once_and_in_order() -> None:
    numbers = re.findall(r"^\| (S\d+) \|", TABLE.read_text(), re.M)
    assert numbers == [f"S{number}" for number in range(1, LINES + 1)]
    assert list(rows()) == numbers


def test_every_test_that_the_table_names_exists() -> None:
    for line, (_, tests, _) in rows().items():
        for place in named(tests):
            path, _, name = place.partition("::")
            text = (ROOT / "tests" / path).read_text()
            assert re.search(rf"^def {name}\b", text, re.M), f"{line}: {place}"


def test_a_line_without_a_test_has_a_reason_and_nothing_else_does_without() -> None:
    for line, (asked, tests, said) in rows().items():
        assert len(asked) > 15, line
        if named(tests):
            assert not said.startswith(REASONS[1:]), line
        else:
            assert tests == "–", line
            assert said.startswith(REASONS[1:]), line
        if said.startswith(REASONS):
            assert len(said) > 40, line
            assert said.endswith("."), line


def test_every_test_that_is_named_for_a_line_stands_in_its_row() -> None:
    table = rows()
    missing = [
        f"{line}: {path.name}::{name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for name, line in re.findall(r"^def (test_(s\d+)_\w+)", path.read_text(), re.M)
        if f"`{path.relative_to(ROOT / 'tests').as_posix()}::{name}`" not in table[line.upper()][1]
    ]
    assert missing == []


def test_the_sums_above_the_table_are_those_of_the_table() -> None:
    whole = sum(
        bool(named(tests)) and not said.startswith(REASONS) for _, tests, said in rows().values()
    )
    partly = sum(
        bool(named(tests)) and said.startswith(REASONS[0]) for _, tests, said in rows().values()
    )
    without = LINES - whole - partly
    words = f"{whole} lines are shown as asked, {partly} in part, {without} not at all"
    assert words in " ".join(TABLE.read_text().split())


def test_every_test_and_file_that_the_page_of_security_names_exists() -> None:
    """In a row a name alone is of the file that was named before it."""
    seen = 0
    for row in re.findall(r"^\| .*$", SECURITY.read_text(), re.M):
        path = ""
        for place in re.findall(r"`((?:[a-z]+/|test_)[^`]*)`", row):
            name = place
            if "/" in place:
                path, _, name = place.partition("::")
            file = ROOT / "tests" / path
            assert path, place
            assert file.exists(), place
            if name:
                assert re.search(rf"^def {name}\b", file.read_text(), re.M), f"{path}: {name}"
            seen += 1
    assert seen > 40
