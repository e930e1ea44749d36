"""The table of the service's scenarios names tests that exist, and every scenario."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "scenarios.md"
SCENARIOS = 77


def rows() -> dict[int, str]:
    """The cells with the tests, by the number of the scenario."""
    found = re.findall(r"^\| (\d+) \| (.*?) \|", TABLE.read_text(), re.M)
    return {int(number): cell for number, cell in found}


def test_every_scenario_stands_in_the_table_once() -> None:
    numbers = re.findall(r"^\| (\d+) \|", TABLE.read_text(), re.M)
    assert [int(number) for number in numbers] == list(range(1, SCENARIOS + 1))


def test_every_test_that_the_table_names_exists() -> None:
    named = 0
    for number, cell in rows().items():
        for place in re.findall(r"`([^`]+)`", cell):
            path, _, name = place.partition("::")
            text = (ROOT / "tests" / path).read_text()
            assert re.search(rf"^def {name}\b", text, re.M), f"SVC-{number:02}: {place}"
            named += 1
        assert "`" in cell or cell == "not yet", number
    assert named > SCENARIOS


def test_every_test_that_is_named_for_a_scenario_stands_in_its_row() -> None:
    table = rows()
    missing = []
    for path in sorted((ROOT / "tests" / "integration").glob("test_*.py")):
        for digits, rest in re.findall(r"^def test_svc((?:_\d\d)+)(_\w+)", path.read_text(), re.M):
            place = f"`integration/{path.name}::test_svc{digits}{rest}`"
            missing += [
                (number, place)
                for number in digits[1:].split("_")
                if place not in table[int(number)]
            ]
    assert missing == []
