"""The legal plays are those that the replay accepts, and no others, by enumeration."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec
import pytest

import replay
from replay.audit import prepared
from replay.simulate import simulate
from replay.tien_gow.board import Table
from replay.tien_gow.choices import legal_declarations, legal_plays
from replay.tien_gow.combinations import COMBINATIONS, pack
from replay.tien_gow.play import replay as replay_hand
from replay.tien_gow.record import Declare, Discard, Play
from replay.tien_gow.state import Moment
from replay.tiles import CODES, COPIES, INDEX
from tests.golden_vectors import rulesets

DECIDING = ("wen_zun", "min_jie", "capture_priority", "tian_red", "one_red", "lipai")
SETS = sorted(
    (
        ruleset
        for ruleset in rulesets()
        if "tien-gow" in ruleset.game
        # Of the rulesets that change one option those whose option says what may be played.
        and ("/test-" not in ruleset.name or any(word in ruleset.name for word in DECIDING))
    ),
    key=lambda one: one.name,
)
IDS = [ruleset.name for ruleset in SETS]


def decisions(line: bytes, rules: Any) -> Iterator[tuple[Any, int, Any, Moment, list[str]]]:
    """Each act of a hand with the table and the seat's tiles before it."""
    read = replay.read(line)
    hand = read.hand
    moments: dict[int, Moment] = {}
    replay_hand(hand, rules, moments.__setitem__)
    table = Table(hand, read.facts, rules)
    for index, event in enumerate(hand.events):
        if isinstance(event, Play | Discard | Declare):
            yield hand, index, event, table.moment, list(table.holdings[event.seat])
        if index in moments:
            table.accept(event, moments[index])


def is_refused(hand: Any, rules: Any, index: int, event: Any) -> bool:
    """Whether the replay stops at an event that is put in the place of one."""
    changed = msgspec.structs.replace(hand, events=[*hand.events[:index], event])
    found = replay_hand(changed, rules).findings
    return any(finding.event == index for finding in found)


@pytest.mark.parametrize("ruleset", SETS, ids=IDS)
def test_the_legal_plays_are_those_that_the_replay_accepts(ruleset: replay.Ruleset) -> None:
    rules = prepared(replay.GAMES[ruleset.game], ruleset)
    chance = random.Random(ruleset.name)
    seen = {"lead": 0, "beat": 0, "discard": 0, "refused": 0, "barred": 0}
    for line in simulate(ruleset.game, 40, 77, ruleset):
        for hand, index, event, moment, holding in decisions(line, rules):
            if isinstance(event, Declare) or chance.random() < 0.7:
                continue
            legal = legal_plays(holding, moment, rules, event.seat)
            seen["barred"] += legal.is_barred
            held = sorted(holding, key=INDEX.__getitem__)
            for size in (1, 2, 3, 4):
                for tiles in dict.fromkeys(combinations(held, size)):
                    play = Play(seat=event.seat, tiles=list(tiles))
                    down = Discard(seat=event.seat, tiles=list(tiles))
                    assert is_refused(hand, rules, index, play) == (tiles not in legal.plays)
                    assert is_refused(hand, rules, index, down) == (tiles not in legal.discards)
                    seen["lead" if legal.is_lead else "beat"] += tiles in legal.plays
                    seen["discard"] += tiles in legal.discards
                    seen["refused"] += tiles not in legal.plays
    assert seen["lead"] > 50
    assert seen["beat"] > 5
    assert seen["discard"] > 100
    assert seen["refused"] > 500


@pytest.mark.parametrize("ruleset", SETS, ids=IDS)
def test_what_a_seat_does_not_hold_is_never_open(ruleset: replay.Ruleset) -> None:
    rules = prepared(replay.GAMES[ruleset.game], ruleset)
    chance = random.Random(3)
    line = next(iter(simulate(ruleset.game, 1, 5, ruleset)))
    for hand, index, event, moment, holding in decisions(line, rules):
        legal = legal_plays(holding, moment, rules, event.seat)
        for tiles in (*legal.plays, *legal.discards):
            assert all(tiles.count(tile) <= holding.count(tile) for tile in tiles)
        strange = [code for code in CODES if code not in holding]
        if isinstance(event, Play | Discard):
            other = Play(seat=event.seat, tiles=[chance.choice(strange)])
            assert is_refused(hand, rules, index, other)


@pytest.mark.parametrize("ruleset", SETS, ids=IDS)
def test_every_logged_act_is_among_the_choices_and_marked(ruleset: replay.Ruleset) -> None:
    freedoms = set()
    for line in simulate(ruleset.game, 150, 8, ruleset):
        for step in replay.walk(line, rulesets()).steps:
            if step.kind not in ("play", "discard", "declare"):
                assert step.decision is None
                continue
            assert step.decision is not None
            taken = [choice for choice in step.decision.choices if choice.is_taken]
            assert len(taken) == 1
            assert sorted(taken[0].tiles) == sorted(step.tiles)
            assert (len(step.decision.choices) == 1) == (step.decision.freedom == "forced")
            assert step.decision.seat == step.seat
            freedoms.add((step.kind, step.decision.freedom))
    assert {("play", "free"), ("discard", "discard"), ("discard", "free")} <= freedoms
    assert ("play", "forced") in freedoms
    assert ("discard", "forced") in freedoms


def test_a_leader_has_each_of_the_84_leads() -> None:
    rules = prepared(replay.GAMES["tien-gow"], SETS[IDS.index("tien-gow/classic@1")])
    whole = [code for code, copies in zip(CODES, COPIES, strict=True) for _ in range(copies)]
    legal = legal_plays(whole, Moment(turn=0), rules, 0)
    assert legal.is_lead
    assert legal.discards == ()
    assert {pack(tiles) for tiles in legal.plays} == set(COMBINATIONS)


@pytest.mark.parametrize("ruleset", SETS, ids=IDS)
def test_declarations_are_those_that_the_replay_accepts(ruleset: replay.Ruleset) -> None:
    rules = prepared(replay.GAMES[ruleset.game], ruleset)
    tiles = [code for code, copies in zip(CODES, COPIES, strict=True) for _ in range(copies)]
    chance = random.Random(12)
    line = next(iter(simulate(ruleset.game, 1, 5, ruleset)))
    raw = json.loads(line)
    raw["stakes"]["lipai"] = ["seven-civil", "eight-civil", "four-pairs", "seven-military"]
    raw["stakes"]["lipai"] += ["one-red"] if ruleset.game == "small-tien-gow" else []
    raw["events"] = [event for event in raw["events"] if event["type"] == "deal"]
    raw["result"] = None
    held = 0
    for _ in range(300):
        chance.shuffle(tiles)
        # Half of the hands are without red tiles for a seat, so that patterns come up.
        pale = [tile for tile in tiles if not set(tile) & set("14") and tile != "66"]
        order = pale + [tile for tile in tiles if tile not in pale]
        dealt = order if chance.random() < 0.5 and len(order) == len(tiles) else tiles
        for place, event in enumerate(raw["events"]):
            event["tiles"] = dealt[place * rules.size : (place + 1) * rules.size]
        hand = replay.read(msgspec.json.encode(raw)).hand
        for event in raw["events"]:
            seat, holding = event["seat"], event["tiles"]
            legal = legal_declarations(hand, holding, Moment(turn=0), rules)
            held += len(legal)
            for pattern in ("all-white", "one-red", "seven-military", "eight-military",
                            "four-pairs", "seven-civil", "eight-civil"):  # fmt: skip
                refused = is_refused(hand, rules, 4, Declare(seat=seat, pattern=pattern))
                assert refused == (pattern not in legal), (pattern, holding)
    assert held > 5
    assert legal_declarations(hand, holding, Moment(turn=0, number=1), rules) == ()


def test_an_act_that_the_rules_refuse_is_shown_beside_what_was_open() -> None:
    from tests.web.lines import planted  # noqa: PLC0415

    for code in ("follow-illegal", "lead-illegal", "not-eligible", "tile-not-held"):
        walk = replay.walk(planted("tien-gow", code), rulesets())
        step = next(step for step in walk.steps if step.findings)
        assert step.decision is not None, code
        assert not any(choice.is_taken for choice in step.decision.choices), code
