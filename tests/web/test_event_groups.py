"""A part of the list of events is drawn once for all that it says, and for nothing less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

import replay
from audit.web.lines import drawn_group, event_groups
from audit.web.presenters.events import EventGroup, EventLine

LINE = EventLine(
    number=1, url="/hands/1/steps/1/", seal=SafeString("<i>東</i>"), text=replay.say("Deal"),
    tiles=SafeString("<b></b>"), dice=(3, 4), think="0.1 s", at="0.1 s", think_unknown=False,
    is_auto=True, is_current=False, is_late=False, found=0, is_stop=False,
)  # fmt: skip
GROUP = EventGroup(
    title=replay.say("Deal"), note="", url="/hands/1/steps/1/", first=1, last=1, is_open=False,
    is_late=False, found=0, lines=(LINE,), skipped=(0, 0),
)  # fmt: skip
OTHERS = (
    replace(GROUP, is_open=True),
    replace(GROUP, lines=(replace(LINE, is_current=True),)),
    replace(GROUP, lines=(replace(LINE, url="/hands/1/steps/1/?as=public"),)),
    replace(GROUP, lines=(replace(LINE, tiles=SafeString("<u></u>")),)),
    # Data that reads as our own English words: told alike there, and apart in Chinese.
    replace(GROUP, title="Deal"),
    replace(GROUP, lines=(replace(LINE, text="Deal"),)),
)


@pytest.mark.parametrize("language", ["en", "zh-hant", "zh-hans"])
def test_a_kept_part_is_as_drawn_anew(language: str) -> None:
    with translation.override(language):
        groups = GROUP, *OTHERS
        anew = [render_to_string("hands/_event_group.html", {"group": one}) for one in groups]
        assert len(set(anew)) == (5 if language == "en" else 7)
        before = drawn_group.cache_info().hits
        for _ in range(2):
            assert event_groups(groups) == "".join(anew)
        assert drawn_group.cache_info().hits >= before + 7
