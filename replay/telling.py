"""Sentences that remember of what they were made, so that a page can say them in another language.

The core speaks English. `say` fills a sentence's places and gives a text that is like any other;
beside its letters it keeps the sentence with its places open and what was put in. Whoever has the
sentence in another language fills that instead (`audit.web.language`). Texts that come out of a
record (names, reasons, ids) are no `Words` and so are never taken for ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


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


def say(template: str, /, **values: object) -> Words:
    """The sentence with its places filled.

    Raises: KeyError where a place has no value.
    """
    words = Words(template.format_map(values) if values else template)
    words.template = template
    words.values = values
    return words


def series(parts: Sequence[str], separator: str = ", ") -> str:
    """Parts one behind the other, each with its making: "a, b, c"."""
    if not parts:
        return ""
    told = parts[0]
    for part in parts[1:]:
        told = say("{before}" + separator + "{after}", before=told, after=part)
    return told


def plain(value: object) -> str:
    """Words as a bare text, for encoders that know `str` only.

    Raises: NotImplementedError for anything else, as an encoder's hook must.
    """
    if isinstance(value, Words):
        return "".join(value)
    raise NotImplementedError(type(value).__name__)
