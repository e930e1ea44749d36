"""One player sits in one seat (S26, FORMAT 6.2 10): a hand that says otherwise is no hand."""

from __future__ import annotations

import json

import pytest

import replay
from tests.golden_vectors import rulesets
from tests.web.lines import BASE

SEATED = {hand["game"]: hand for hand in map(json.loads, BASE) if "seats" in hand}


@pytest.mark.parametrize("game", SEATED)
def test_s26_one_player_in_two_seats_is_refused_with_its_place(game: str) -> None:
    hand = json.loads(json.dumps(SEATED[game]))
    assert replay.audit(json.dumps(hand).encode(), rulesets()).verdict == "clean"
    hand["seats"][3]["player"] = hand["seats"][0]["player"]
    verdict = replay.audit(json.dumps(hand).encode(), rulesets())
    assert (verdict.verdict, verdict.settlement) == ("rejected", None)
    assert verdict.error is not None
    assert verdict.error.startswith("$.seats"), verdict.error
