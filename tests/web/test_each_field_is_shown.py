"""Each value of a record stands on the pages of its hand (S10)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from audit.models import Hand
from tests.web.lines import BASE

# What the pages say in words of their own, which begin so.
IN_WORDS = {
    "$.events[].type", "$.events[].pattern", "$.events[].door", "$.events[].position",
}  # fmt: skip
OTHERWISE = {"reveal": "(reveal|show|open)", "declare": "declar", "all-white": "all white"}
# What stands in the record alone, to which every page leads.
IN_THE_RECORD = {"$.format", "$.ended_at"}
SPOKEN = re.compile(r'(?:title|aria-label|alt|datetime)="([^"]*)"')


def leaves(value: Any, place: str = "$") -> Iterator[tuple[str, str]]:
    """Each text and number of a record with its place, whatever the place in a list."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, f"{place}.{name}")
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one, f"{place}[]")
    elif value is not None and not isinstance(value, bool):
        yield place, str(value)


def text_of(page: str) -> str:
    """What is read and what is spoken of a page, with numbers as a log writes them."""
    read = unescape(" ".join([re.sub(r"<[^>]+>", " ", page), *SPOKEN.findall(page)]))
    return re.sub(r"(?<=\d),(?=\d\d\d)", "", read.replace("−", "-"))


def is_told(place: str, value: str, text: str) -> bool:
    """Whether a value stands there as a whole; an amount may have more decimals."""
    if place in IN_WORDS:
        return re.search(rf"\b{OTHERWISE.get(value, value)}", text, re.IGNORECASE) is not None
    return re.search(rf"(?<![\w.]){re.escape(value)}(?:\.0+)?(?!\w|\.\d)", text) is not None


@pytest.mark.parametrize("line", BASE, ids=[json.loads(line)["hand_id"] for line in BASE])
def test_s10_each_value_of_a_record_stands_on_its_pages(
    site: Client, store: Any, line: bytes
) -> None:
    store(line)
    hand, text, number = Hand.objects.get(), "", 0
    while (answer := site.get(f"/hands/{hand.pk}/steps/{number}/")).status_code == 200:
        text += text_of(answer.content.decode())
        number += 1
    told = json.loads(line)
    assert number > 1
    missing = {
        (place, value) for place, value in leaves(told)
        if place not in IN_THE_RECORD and not is_told(place, value, text)
    }  # fmt: skip
    assert missing == set()
    assert f'href="/hands/{hand.pk}/record"' in site.get(f"/hands/{hand.pk}/").content.decode()
