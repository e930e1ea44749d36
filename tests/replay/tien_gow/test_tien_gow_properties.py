"""What holds for every legal hand: random play, conservation, prefixes, rotation, twin tiles."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replay
from replay.tien_gow.play import replay as play
from replay.tien_gow.state import Moment
from tests.golden_vectors import rulesets
from tests.replay.tien_gow.tien_gow_hands import (
    DECK,
    GAMES,
    RandomPlayer,
    audit,
    changed,
    line_of,
)

SEEDS = st.integers(min_value=0, max_value=2**63)
RULESETS = {
    game: sorted(ruleset.name for ruleset in rulesets() if ruleset.game == game) for game in GAMES
}


def _line(seed: int, game: str, ruleset: str | None = None) -> bytes:
    return RandomPlayer(Random(seed), game, ruleset).line()


@pytest.mark.parametrize("game", GAMES)
@given(seed=SEEDS)
def test_a_legal_hand_with_its_right_result_is_clean(game: str, seed: int) -> None:
    verdict = audit(_line(seed, game))
    assert (verdict.verdict, verdict.findings) == ("clean", ())


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=200)
@given(data=st.data(), seed=SEEDS)
def test_figures_balance_under_every_ruleset(game: str, data: st.DataObject, seed: int) -> None:
    line = _line(seed, game, data.draw(st.sampled_from(RULESETS[game])))
    verdict = audit(line)
    assert (verdict.verdict, verdict.findings) == ("clean", ())
    settlement: Any = verdict.settlement
    seats = settlement["seats"]
    assert sum(row["units"] for row in seats) == 0
    assert sum(row["tricks"] for row in seats) == (8 if game == "tien-gow" else 4)
    minor = {
        field: [replay.parse_minor(row[field], 2) for row in seats]
        for field in ("gross", "rake", "net")
    }
    assert sum(minor["gross"]) == 0
    assert sum(minor["net"]) == -sum(minor["rake"])
    assert min(minor["rake"]) >= 0


@pytest.mark.parametrize("game", GAMES)
@given(seed=SEEDS, data=st.data())
def test_a_prefix_of_a_hand_replays_to_a_prefix(game: str, seed: int, data: st.DataObject) -> None:
    line = _line(seed, game)
    events = json.loads(line)["events"]
    length = data.draw(st.integers(0, len(events)))
    whole, part = _moments(line), _moments(changed(line, events=events[:length]))
    assert part == whole[:length]
    cut = changed(line, events=[*events[:length], {"type": "void", "reason": "x"}], result=None)
    assert (audit(cut).verdict, audit(cut).findings) == ("void", ())


def _moments(line: bytes) -> list[Moment]:
    found = replay.read(line)
    ruleset = rulesets().get(found.hand.ruleset)
    assert ruleset is not None
    heard: list[Moment] = []
    hand: Any = found.hand
    play(hand, found.game.prepare(ruleset.options), lambda index, moment: heard.append(moment))
    return heard


def _turned(value: Any, by: int) -> Any:
    """A hand with every seat moved on by some places."""
    if isinstance(value, list):
        return [_turned(part, by) for part in value]
    if not isinstance(value, dict):
        return value
    turned = {}
    for key, part in value.items():
        if key in ("seat", "winner") or (key == "banker" and isinstance(part, int)):
            turned[key] = (part + by) % 4
        else:
            turned[key] = _turned(part, by)
    return turned


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data(), seed=SEEDS, by=st.integers(1, 3))
def test_turning_the_seats_turns_the_result(
    game: str, data: st.DataObject, seed: int, by: int
) -> None:
    line = _line(seed, game, data.draw(st.sampled_from(RULESETS[game])))
    turned = json.dumps(_turned(json.loads(line), by), ensure_ascii=False).encode()
    settlement: Any = _turned(audit(line).settlement, by)
    settlement["seats"].sort(key=lambda row: row["seat"])
    assert audit(turned).settlement == settlement
    assert audit(turned).verdict == "clean"


@pytest.mark.parametrize("game", GAMES)
@given(seed=SEEDS)
def test_the_order_of_deals_and_of_tiles_does_not_matter(game: str, seed: int) -> None:
    line = _line(seed, game)
    events = [
        {key: part for key, part in event.items() if key != "ms"}
        for event in json.loads(line)["events"]
    ]
    random = Random(seed)
    shuffled = [*random.sample(events[:4], 4), *events[4:]]
    for event in shuffled:
        if isinstance(event.get("tiles"), list):
            event["tiles"] = random.sample(event["tiles"], len(event["tiles"]))
    verdict = audit(changed(line, events=shuffled))
    assert (verdict.verdict, verdict.findings) == ("clean", ())
    assert verdict.settlement == audit(line).settlement


@pytest.mark.parametrize("game", GAMES)
@given(seed=SEEDS, data=st.data())
def test_a_wrong_unit_is_found_and_nothing_before_it(
    game: str, seed: int, data: st.DataObject
) -> None:
    line = _line(seed, game)
    result = json.loads(line)["result"]
    seat = data.draw(st.integers(0, 3))
    result["seats"][seat]["units"] += data.draw(st.sampled_from((-1, 1, 2, 100)))
    first, *rest = audit(changed(line, result=result)).findings
    assert (first.code, first.seat, first.follows) == ("units-mismatch", seat, False)
    assert rest == []


@pytest.mark.parametrize("game", GAMES)
@given(seed=SEEDS)
def test_every_step_and_figure_of_a_hand_is_told(game: str, seed: int) -> None:
    line = _line(seed, game)
    walk = replay.walk(line, rulesets())
    hand = json.loads(line)
    assert len(walk.steps) == len(hand["events"]) + 1
    # The tiles that were dealt are in a holding, on the table, or were played before.
    held = [tile for view in walk.steps[4].board.seats for tile in view.holding]
    assert len(held) == (32 if game == "tien-gow" else 16)
    assert all(view.holding == () for view in walk.steps[-1].board.seats)
    for figure in walk.figures:
        assert figure.logged == figure.recomputed
        assert figure.stages[-1].value == figure.recomputed


def _mangle(events: list[dict[str, Any]], random: Random) -> None:
    """Drop, double, swap or change an event, so that it can still be read."""
    place, other = random.randrange(len(events)), random.randrange(len(events))
    event = events[place]
    way = random.choice(("drop", "double", "swap", "seat", "tile", "face", "more", "void"))
    if way == "drop":
        del events[place]
    elif way == "double":
        events.insert(other, json.loads(json.dumps(event)))
    elif way == "swap":
        events[place], events[other] = events[other], event
    elif way == "void" or event["type"] == "void":
        events.insert(place, {"type": "void", "reason": "x"})
    elif way == "seat":
        event["seat"] = random.randrange(4)
    elif isinstance(event["tiles"], int):
        event["tiles"] += 1
    elif way == "tile":
        event["tiles"][0] = random.choice(DECK)
    elif way == "face" and event["type"] != "deal":
        event["type"] = "play" if event["type"] == "discard" else "discard"
    elif event["type"] == "deal" or len(event["tiles"]) < 4:
        event["tiles"].append(random.choice(DECK))


@pytest.mark.parametrize("game", GAMES)
@given(seed=SEEDS)
def test_a_mangled_hand_is_judged_told_and_derived(game: str, seed: int) -> None:
    line, random = _line(seed, game), Random(seed)
    events = json.loads(line)["events"]
    for _ in range(random.choice((1, 2, 3))):
        _mangle(events, random)
    mangled = changed(line, events=events)
    verdict, walk = audit(mangled), replay.walk(mangled, rulesets())
    assert len(walk.steps) == len(events) + 1
    if verdict.settlement is None:
        assert walk.figures == ()
        assert any(replay.CODES[found.code].stops for found in verdict.findings)
    # A stop is the last finding on events; behind it nothing is judged.
    stops = [found for found in verdict.findings if replay.CODES[found.code].stops]
    assert len(stops) <= 1
    late = [step for step in walk.steps if not step.is_judged]
    if not stops or stops[0].event is None:
        assert late == []
    else:
        assert len(late) == len(events) - 1 - stops[0].event


def test_a_random_hand_is_the_same_from_the_same_seed() -> None:
    assert _line(7, "tien-gow") == _line(7, "tien-gow") != _line(8, "tien-gow")


def test_a_line_of_nothing_lacks_its_events() -> None:
    verdict = audit(line_of([], None))
    assert [(found.code, found.event) for found in verdict.findings] == [("event-order", None)]
