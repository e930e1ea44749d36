"""Sentences that remember of what they were made, so that a page can say them in another language.

The core speaks English. `say` fills a sentence's places and gives a text that is like any other;
beside its letters it keeps the sentence with its places open and what was put in. Whoever has the
sentence in another language fills that instead (`audit.web.language`). Texts that come out of a
record (names, reasons, ids) are no `Words` and so are never taken for ours.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence

# Who says words in another language; the core says them in English.
_teller: Callable[[str], str] = str


def tell_by(teller: Callable[[str], str]) -> None:
    """From now on pages print words as this function says them."""
    global _teller  # noqa: PLW0603 - one program serves one site
    _teller = teller


class Words(str):
    """A text in English with the sentence that it was made of.

    `template` has its places in braces; `values` are what fills them, by name; a value may itself
    be `Words`. Equal to and hashed like the plain text.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        # An exception that was given words gives them back, not a copy without their making.
        return self

    def __html__(self) -> str:
        """The words as a page prints them: by the teller that it has named."""
        return html.escape(_teller(self))


def say(template: str, /, **values: object) -> Words:
    """The sentence with its places filled.

    Raises: KeyError where a place has no value.
    """
    words = Words(template.format_map(values) if values else template)
    words.template = template
    words.values = values
    return words


# How a refused event is told, in the list and as a sentence; `seen` takes them apart again.
REFUSED = say("{text}, refused: {why}", text="{text}", why="{why}").template
REFUSED_SENTENCE = say("{sentence} Refused: {why}.", sentence="{sentence}", why="{why}").template


class Series(Words):
    """Parts one behind the other; `template` is what stands between two of them."""

    __slots__ = ("parts",)

    parts: tuple[str, ...]


# What stands between the parts of a series.
SEPARATORS = (say(", "), say("; "))


def series(parts: Iterable[str], separator: str = ", ") -> Series:
    """Parts one behind the other, each with its making: "a, b, c"."""
    whole = tuple(parts)
    told = Series(separator.join(whole))
    told.template = separator
    told.values = {}
    told.parts = whole
    return told


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts as prose: "a", "a and b", "a, b and c"; `last` is "and" or "or"."""
    if len(parts) < 2:
        return parts[0] if parts else ""
    before = parts[0] if len(parts) == 2 else series(parts[:-1])
    if last == "or":
        return say("{before} or {last}", before=before, last=parts[-1])
    return say("{before} and {last}", before=before, last=parts[-1])


def recased(words: str, letters: str) -> str:
    """The same words with other letters in English, as with a capital at their start."""
    told = Words(letters)
    told.template = words.template if isinstance(words, Words) else letters
    told.values = words.values if isinstance(words, Words) else {}
    return told


def capital(words: str) -> str:
    """Words as they begin a sentence."""
    return recased(words, words[:1].upper() + words[1:])


def uncapital(words: str) -> str:
    """A sentence as it goes on behind another."""
    return recased(words, words[:1].lower() + words[1:])


def without_stop(sentence: str) -> str:
    """A sentence that goes on: without the full stop at its end."""
    told = Unended(sentence.removesuffix("."))
    told.template, told.values, told.whole = "", {}, sentence
    return told


class Unended(Words):
    """A sentence without its full stop, whatever that is in the language it is told in."""

    __slots__ = ("whole",)

    whole: str


def plain(value: object) -> str:
    """Words as a bare text, for encoders that know `str` only.

    Raises: NotImplementedError for anything else, as an encoder's hook must.
    """
    if isinstance(value, Words):
        return "".join(value)
    raise NotImplementedError(type(value).__name__)
