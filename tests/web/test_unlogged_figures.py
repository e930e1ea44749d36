"""A figure that the log owes and does not have: its page says so in each language."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from audit.models import Hand
from tests.web.lines import GOLDEN

# What stands beside the way to a figure that is wrong because nothing was logged.
SAID = {
    "en": "The log says nothing. First wrong figure.",
    "zh-hant": "記錄為 無。首個錯誤數字。",
    "zh-hans": "记录为 无。首个错误数字。",
}


def unlogged() -> bytes:
    """A hand of Wenzhou whose log has no profit of a bet that won."""
    lines = (GOLDEN / "wenzhou-pai-gow" / "planted.ndjson").read_bytes().splitlines()
    (line,) = (one for one in lines if json.loads(one)["hand_id"] == "g73299-161")
    return line


@pytest.mark.parametrize("language", SAID)
def test_a_wrong_figure_that_was_not_logged_is_said_to_be_nothing(
    site: Client, store: Any, language: str
) -> None:
    store(unlogged())
    site.post("/language", {"language": language})
    html = site.get(f"/hands/{Hand.objects.get().pk}/").content.decode()
    heads = re.findall(r'<p class="way-head">(.*?)</p>', html, re.S)
    wrong = [
        re.sub("<[^>]+>", "", small) for head in heads
        for small in re.findall(r"<small>(.*?)</small> <", head) if "way-close" in head
    ]  # fmt: skip
    assert [one for one in wrong if one == SAID[language]] == [SAID[language]], wrong
    assert "None" not in "".join(heads)
