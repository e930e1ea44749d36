"""What lay where in a hand, against the golden vectors read the plainest way."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement

import pytest

import replay
from replay.tien_gow.hold import codes_of
from replay.tien_gow.lipai import PATTERNS
from replay.tiles import CODES, COPIES, INDEX
from tests.golden_vectors import GOLDEN

RULESETS = replay.load_rulesets(GOLDEN / "rulesets")
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


def lines_of(game):
    for path in sorted((GOLDEN / game).glob("*.ndjson")):
        if ".verdicts" in path.name:
            continue
        for line in path.read_bytes().splitlines():
            if replay.audit(line, RULESETS).verdict != "rejected":
                yield line


def told(line):
    return {held.place: held for held in replay.held(line, RULESETS)}


@pytest.mark.parametrize("game", GAMES)
def test_the_tiles_of_a_place_are_those_that_the_log_deals_it(game):
    count = 0
    for line in lines_of(game):
        dealt = {}
        for event in json.loads(line)["events"]:
            if event["type"] == "deal":
                place = event.get("position") or f"seat-{event['seat']}"
                dealt.setdefault(place, []).extend(event["tiles"])
        found = told(line)
        assert {p: [CODES[k] for k in h.tiles] for p, h in found.items() if h.tiles} == {
            place: tiles for place, tiles in dealt.items() if tiles
        }
        assert set(found) <= set(replay.PLACES)
        count += 1
    assert count > 50


def test_a_rank_that_a_clean_pai_gow_log_names_is_the_rank_found():
    count = 0
    for line in lines_of("banker-pai-gow"):
        if replay.audit(line, RULESETS).verdict != "clean":
            continue
        found = told(line)
        for event in json.loads(line)["events"]:
            if event["type"] == "reveal" and "rank" in event:
                assert found[f"seat-{event['seat']}"].combinations == (event["rank"],)
                count += 1
    assert count > 50


@pytest.mark.parametrize("game", GAMES)
def test_every_combination_found_is_in_the_list(game):
    found = {
        code
        for line in lines_of(game)
        for held in told(line).values()
        for code in held.combinations
    }
    assert found
    assert found <= set(replay.COMBINATION_OF)


def test_the_list_is_told_apart_by_its_codes():
    codes = [one.code for one in replay.COMBINATIONS]
    assert len(set(codes)) == len(codes)
    assert set(PATTERNS) <= set(codes)


def test_two_tiles_of_wenzhou_have_the_code_of_pai_gow_where_the_tiles_are_the_same():
    line = next(iter(lines_of("wenzhou-pai-gow")))
    ranked = json.loads(line)
    pairs = {
        ("24", "12"): "supreme", ("66", "66"): "pair-66", ("22", "22"): "pair-22",
        ("36", "45"): "pair-9", ("14", "23"): "pair-5", ("66", "45"): "heaven-king",
        ("66", "44"): "heaven-gong", ("11", "26"): "earth-gong", ("66", "16"): "heaven-high-nine",
        ("11", "34"): "earth-high-nine", ("11", "36"): "points-1", ("24", "34"): "points-3",
    }  # fmt: skip
    for tiles, code in pairs.items():
        ranked["events"] = [event for event in ranked["events"] if event.get("position") != "bank"]
        ranked["events"] += [
            {"type": "deal", "position": "bank", "tiles": [tile]} for tile in tiles
        ]
        assert told(json.dumps(ranked).encode())["bank"].combinations == (code,), tiles


def test_plays_of_tien_gow_by_type_and_pair():
    def of(*codes):
        return codes_of([INDEX[code] for code in codes])

    assert of("66", "66") == ("civil-pair", "pair-66")
    assert of("15", "15") == ("civil-pair", "pair-15")
    assert of("45", "36") == ("military-pair", "pair-9")
    assert of("12", "24") == ("supreme",)
    assert of("11", "26") == ("mixed-pair",)
    assert of("44", "44", "25") == ("three-civil",)
    assert of("13", "14", "23") == ("three-military",)
    assert of("66", "36", "45", "66") == ("quad",)
    assert of("66", "11") == ()


def test_no_set_of_tiles_is_too_odd_to_be_looked_at():
    for count in (2, 3):
        for kinds in combinations_with_replacement(range(len(CODES)), count):
            codes = codes_of(list(kinds))
            assert set(codes) <= set(replay.COMBINATION_OF)
            if any(kinds.count(kind) > COPIES[kind] for kind in kinds):
                assert codes == ()


def test_a_hand_of_unknown_rules_is_refused():
    line = json.loads(next(iter(lines_of("tien-gow"))))
    line["ruleset"] = "tien-gow/nobodys@1"
    with pytest.raises(replay.Refusal, match="unknown ruleset"):
        replay.held(json.dumps(line).encode(), RULESETS)
