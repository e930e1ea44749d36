"""The language of a request is asked for once while a page is drawn, and never outlives it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest
from django.utils import translation

from audit.web import language
from audit.web.language import here, in_one_language, phrase, told
from replay import say

EAST = {"en": "East", "zh-hant": "東", "zh-hans": "东"}


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    translation.activate("en")


@pytest.mark.parametrize("code", EAST)
def test_words_are_told_in_the_language_at_hand_however_often_it_changes(code: str) -> None:
    for other in (*EAST, code):
        translation.activate(other)
        assert (here(), phrase("East"), told(say("East"))) == (other, EAST[other], EAST[other])
        assert in_one_language(lambda: (here(), phrase("East")))() == (other, EAST[other])


def test_django_is_asked_once_while_a_page_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted() -> str | None:
        asked.append(1)
        return translation.get_language()

    monkeypatch.setattr(language, "get_language", counted)
    in_one_language(lambda: [phrase("East") for _ in range(5)])()
    assert len(asked) == 1
    phrase("East")
    assert len(asked) == 2


def test_what_was_known_is_forgotten_when_a_page_breaks_off() -> None:
    @in_one_language
    def page() -> None:
        raise LookupError(here())

    translation.activate("zh-hans")
    with pytest.raises(LookupError, match="zh-hans"):
        page()
    translation.activate("zh-hant")
    assert here() == "zh-hant"


def test_requests_beside_each_other_have_each_their_own() -> None:
    found: list[str | None] = []

    def other() -> None:
        translation.activate("zh-hans")
        found.append(in_one_language(here)())

    @in_one_language
    def page() -> str | None:
        beside = Thread(target=other)
        beside.start()
        beside.join()
        return here()

    translation.activate("zh-hant")
    assert (page(), found) == ("zh-hant", ["zh-hans"])
