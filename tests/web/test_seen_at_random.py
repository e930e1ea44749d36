"""What a step's page draws for hands that look alike, of every game, thousands of times.

Whole answers with their headers are compared in test_seen_pages.py, on a few pairs; here the part
of the page that tells a hand is drawn as for the page, and compared byte for byte.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

import pytest

import replay
from audit import selectors
from audit.web import kept
from audit.web.parts import Parts
from audit.web.routes import Route
from audit.web.walks import seen
from replay.concealment import SEATS
from replay.simulate import simulate_with_faults
from tests.look_alikes import look_alike

RULESETS = {
    "banker-pai-gow": "banker-pai-gow/bs-2022@1",
    "tien-gow": "tien-gow/classic@1",
    "small-tien-gow": "small-tien-gow/derived@1",
    "wenzhou-pai-gow": "wenzhou-pai-gow/live-2015@1",
}
# Of each game, at the steps chosen and as the viewer chosen for each.
HANDS, STEPS = 130, 5
FAULT_PPM = 300_000


def row() -> selectors.HandRow:
    """A stored hand, as far as others than the auditor are told of it: the same for each pair."""
    return selectors.HandRow(
        pk=1, source="house", hand_id="h", game="", ruleset="", table="t", players=(),
        played_at=datetime(2026, 1, 1, tzinfo=UTC), played_on=date(2026, 1, 1), started_at="",
        currency="HKD", minor_digits=2, verdict="clean", error_code="", finding_codes=(),
        finding_count=0, is_conflict=False, is_replaced=False, verdict_pk=1, comparison_pk=None,
    )  # fmt: skip


def drawn(line: bytes, viewer: replay.Viewpoint, number: int) -> str:
    """What a step's page tells of a hand."""
    return Parts(
        hand=row(),
        sha256=sha256(line).hexdigest(),
        compared=None,
        replayed=seen(line, viewer, number),
        route=Route(hand=1, viewpoint=viewer),
        number=number,
        rows=None,
    ).region()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("game", RULESETS)
def test_pages_of_hands_that_look_alike_are_byte_equal(db: Any, game: str) -> None:
    chance = random.Random(game)
    ruleset = selectors.current_rulesets().get(RULESETS[game])
    assert ruleset is not None
    # Nobody sits at a door of Wenzhou Pai Gow.
    viewers = (replay.PUBLIC,) if game == "wenzhou-pai-gow" else (replay.PUBLIC, *SEATS)
    compared = others = 0
    for made in simulate_with_faults(game, HANDS, 77, ruleset, fault_ppm=FAULT_PPM):
        last = len(json.loads(made.line)["events"])
        for number in chance.sample(range(last), min(STEPS, last)):
            viewer = chance.choice(viewers)
            if seen(made.line, viewer, number).is_revealed:
                continue
            try:
                other = look_alike(made.line, viewer, number, chance)
            except (KeyError, ValueError):
                continue  # a discard of a tile that was never dealt: no such pair can be made
            kept.forget()
            mine, its = (drawn(line, viewer, number) for line in (made.line, other))
            assert mine == its, (viewer, number)
            compared += 1
            others += other != made.line
    assert compared > HANDS * STEPS // 2
    assert others > compared * 9 // 10


def test_the_comparison_would_tell_them_apart(db: Any) -> None:
    """To a seat whose tiles were changed the two look different: the drawing tells of them."""
    ruleset = selectors.current_rulesets().get(RULESETS["tien-gow"])
    assert ruleset is not None
    (made,) = simulate_with_faults("tien-gow", 1, 5, ruleset, fault_ppm=0)
    other = look_alike(made.line, replay.PUBLIC, 8, random.Random(1))
    its_own = replay.Viewpoint(seat=0)
    assert drawn(other, its_own, 8) != drawn(made.line, its_own, 8)
    assert drawn(other, replay.PUBLIC, 8) == drawn(made.line, replay.PUBLIC, 8)
