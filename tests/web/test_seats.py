"""A seat is drawn once for all that it says, and for nothing less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

import replay
from audit.web.presenters.board import SeatCard
from audit.web.seats import drawn, seat_cards

SEAT = SeatCard(
    seat=0, place="east", name="East", player="<甲>", is_banker=True, is_turn=True,
    seal=SafeString("<i>東</i>"), tiles=SafeString("<b></b>"), has_tiles=True, is_down=False,
    pile=2, backs=range(2), brought="1.00", so_far="-0.50", so_far_url="/hands/1/steps/3/",
    due="2.00", banker_note=replay.say("Deal"), lines=(replay.say("Void"), "Void"),
    hand_name=None, hand_name_hant=None, hand_note=None, outcome=None, outcome_reason=None,
    outcome_rule=None,
)  # fmt: skip
OTHERS = (
    replace(SEAT, tiles=SafeString("<u></u>")),
    replace(SEAT, so_far_url="/hands/1/steps/3/?as=public"),
    replace(SEAT, is_turn=False),
    # Data that reads as our own English words: told alike there, and apart in Chinese.
    replace(SEAT, banker_note="Deal"),
    replace(SEAT, lines=("Void", replay.say("Void"))),
)


@pytest.mark.parametrize("language", ["en", "zh-hant", "zh-hans"])
def test_a_kept_seat_is_as_drawn_anew(language: str) -> None:
    with translation.override(language):
        anew = [render_to_string("hands/_seat.html", {"seat": one}) for one in (SEAT, *OTHERS)]
        assert len(set(anew)) == (4 if language == "en" else 6)
        before = drawn.cache_info().hits
        for _ in range(2):
            assert seat_cards((SEAT, *OTHERS)) == "".join(anew)
        assert drawn.cache_info().hits >= before + 6
