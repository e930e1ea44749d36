"""Our own words in the language of the request.

`told` takes a text of the core, which remembers of what it was made (`replay.Words`), and makes it
again in the language at hand; any other text is data and goes through as it is. `phrase` and
`phrases` do the same for the sentences of the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext

import replay

# A sentence for a table of words: told when a page prints it.
say = replay.say

SOURCE = "en"

P = ParamSpec("P")
R = TypeVar("R")
# Asking Django takes longer than most of what is drawn, and a page asks a thousand times.
_known: ContextVar[str | None] = ContextVar("language", default=None)


def here() -> str | None:
    """The language of the request."""
    return _known.get() or get_language()


def in_one_language(function: Callable[P, R]) -> Callable[P, R]:
    """While this runs the language of the request stays what it is, and Django is asked once."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        before = _known.set(get_language())
        try:
            return function(*args, **kwargs)
        finally:
            _known.reset(before)

    return run


def sentence_of(sentence: str) -> str:
    """A sentence of the catalogues in the language of the request."""
    return _sentence_in(sentence, here())


@lru_cache(maxsize=4096, typed=True)
def _sentence_in(sentence: str, _language: str | None) -> str:
    """In the language of the request, which is here so that each is kept apart."""
    return gettext(sentence)


def told(text: str) -> str:
    """A text of the core in the language of the request; data as it is."""
    if not isinstance(text, replay.Words) or here() in (SOURCE, None):
        return text
    if isinstance(text, replay.Series):
        between = sentence_of(text.template) if text.template.strip() else text.template
        return between.join([told(part) for part in text.parts])
    if isinstance(text, replay.Unended):
        return told(text.whole).rstrip(".。")
    sentence = sentence_of(text.template)
    return sentence.format_map(_told_values(text.values)) if text.values else sentence


def phrase(sentence: str, /, **values: object) -> str:
    """A sentence of ours with its places, {in braces}, filled in the language of the request."""
    return sentence_of(sentence).format_map(_told_values(values))


def phrases(one: str, many: str, count: int, /, **values: object) -> str:
    """A sentence about a number of things; `count` decides on its form and fills {count}."""
    return ngettext(one, many, count).format_map(_told_values({"count": count, **values}))


def phrase_html(sentence: str, /, **values: object) -> SafeString:
    """A sentence with its places filled by pieces of HTML; anything else is escaped."""
    pieces = {name: _piece(value) for name, value in values.items()}
    return SafeString(sentence_of(sentence).format_map(pieces))


def _piece(value: Any) -> str:
    """What is put into a sentence of HTML. A page has hundreds of them, and most are safe."""
    if type(value) is SafeString:
        return value
    if isinstance(value, replay.Words):
        return escape(told(value))
    return str(value) if type(value) is int else conditional_escape(value)


def listed(parts: Iterable[str], separator: str = ", ") -> str:
    """Parts one behind the other, set apart as the language does it."""
    return sentence_of(separator).join([told(part) for part in parts])


def sentences(parts: Iterable[str]) -> str:
    """Whole sentences one behind the other: with a blank between, where the language has one."""
    between = " " if here() in (SOURCE, None) else ""
    return between.join([told(part) for part in parts])


def _told_values(values: Mapping[str, object]) -> dict[str, object]:
    return {
        name: told(value) if isinstance(value, replay.Words) else value
        for name, value in values.items()
    }
