"""docs/format.md and docs/rules.md: the examples are real, the ids, options and links are there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import replay
from tests.golden_vectors import rulesets

ROOT = Path(__file__).resolve().parents[2]
FORMAT = (ROOT / "docs" / "format.md").read_text("utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text("utf-8")
EXAMPLES = re.findall(r"<!-- (verdict )?(\S+):(\d+) -->\n```json\n(.*?)```", FORMAT, re.DOTALL)

# Words for people and what changes with the engine's version are no promise.
UNCOMPARED = {"engine", "replay_digest"}


def test_there_is_an_example_of_each_game_and_of_a_verdict() -> None:
    games = [json.loads(text)["game"] for is_verdict, _, _, text in EXAMPLES if not is_verdict]
    assert games == list(replay.GAMES)
    assert [bool(is_verdict) for is_verdict, *_ in EXAMPLES] == [False] * len(games) + [True]


@pytest.mark.parametrize(("is_verdict", "file", "number", "text"), EXAMPLES)
def test_an_example_is_real(is_verdict: str, file: str, number: str, text: str) -> None:
    line = (ROOT / file).read_bytes().split(b"\n")[int(number) - 1]
    if not is_verdict:
        assert json.loads(text) == json.loads(line)
        return
    verdict = replay.audit(line, rulesets(), file=Path(file).name, number=int(number))
    assert told(json.loads(text)) == told(json.loads(replay.format_verdict(verdict)))


def told(verdict: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in verdict.items() if name not in UNCOMPARED}
    kept["findings"] = [{**finding, "message": ""} for finding in verdict["findings"]]
    return kept


def test_the_rules_page_has_every_rule_with_its_confidence() -> None:
    page = dict(re.findall(r"^\| ((?:PG|TG|WZ)-\d+) \|.*\| ([^|]+?) \|$", RULES, re.MULTILINE))
    # Rules that the page states outside of a table of rules.
    page |= dict(re.findall(r"\((PG-\d+), confidence ([A-D])\)", RULES))
    different = {}
    for game in replay.GAMES.values():
        for rule in game.rules.values():
            # A catalogue may also name a part of the rulebook that has no rule id.
            if not re.fullmatch(r"(PG|TG|WZ)-\d+", rule.id):
                continue
            told_as = page.get(rule.id, "missing")
            # "A / D" in words; the weaker one counts. Where sources disagree an option decides.
            letters = re.findall(r"\b[A-D]\b", told_as)
            if told_as != "option" and rule.confidence != max(letters, default=None):
                different[rule.id] = (told_as, rule.confidence)
    assert different == {}


@pytest.mark.parametrize("game", replay.GAMES)
def test_every_option_with_every_value_is_on_the_rules_page(game: str) -> None:
    table = RULES.split(f"All options (`{replay.GAMES[game].prefix}.`)")[1].split("\n## ")[0]
    rows: dict[str, str] = {}
    for names, values in re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", table, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            rows[name] = values
    assert set(rows) == set(replay.GAMES[game].options)
    for option in replay.GAMES[game].options.values():
        for value in option.alternatives:
            if isinstance(value, str) and not value[0].isdigit():
                assert f"`{value}`" in rows[option.name], option.name


def test_links_between_the_pages_lead_somewhere() -> None:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
    broken = []
    for name in ("format.md", "rules.md", "glossary.md"):
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", pages[name]):
            if target and not (ROOT / "docs" / target).exists():
                broken.append((name, target))
            elif anchor and anchor not in anchors(pages[target or name]):
                broken.append((name, f"{target}#{anchor}"))
    assert broken == []


def anchors(page: str) -> set[str]:
    """The anchors of the headings, as they are made from their words."""
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
