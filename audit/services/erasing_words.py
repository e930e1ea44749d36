"""A name in what people and programs wrote: where it stands as a whole word, and what is told then.

`Ann` stands in `Ann's hand` and not in `Announced`. Writing that has no blanks between words, such
as Chinese, has no such bounds. In an address and in JSON a name may be spelt in another way.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlencode

# What stands under these keys is no person, though it may be called alike.
_OTHER_KEYS = frozenset(
    {"source", "sources", "table", "hand", "hand_id", "game", "ruleset", "verdict", "code", "kind"}
)
# Under these a list of hands is asked for by people.
_ASKED_KEYS = frozenset({"player", "met", "q"})
# Scripts that set no blanks between words: those of South-East Asia, and from the CJK radicals on.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x10FFFF))


@dataclass(frozen=True, slots=True)
class Words:
    """One name, and the token that takes its place."""

    name: str
    token: str

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name as it is, as JSON, an address and an error have it, the longest first."""
        found = {
            self.name,
            json.dumps(self.name)[1:-1],
            json.dumps(self.name, ensure_ascii=False)[1:-1],
            quote(self.name),
            quote(self.name, safe=""),
            quote_plus(self.name),
            repr(self.name)[1:-1],
        }
        return tuple(sorted(found, key=lambda one: (-len(one), one)))

    def told(self, text: str) -> str:
        """The text with the token for the name, wherever it stands as a whole word."""
        for spelt in self.spellings:
            if spelt in text:
                text = _replaced(text, spelt, self.token)
        return text

    def stand_in(self, text: str) -> bool:
        """Whether the letters of the name stand in the text, also as a part of a longer word."""
        return any(spelt in text for spelt in self.spellings)

    def told_json(self, value: Any) -> Any:
        """The same for the texts of a JSON value, but for keys and what can be no person."""
        if isinstance(value, str):
            return self.told(value)
        if isinstance(value, list):
            return [self.told_json(one) for one in value]
        if isinstance(value, Mapping):
            return {
                key: one if key in _OTHER_KEYS else self.told_json(one)
                for key, one in value.items()
            }
        return value

    def told_query(self, source: str, query: Mapping[str, str]) -> dict[str, str]:
        """The same for what a list of hands was narrowed by; what it asks of another source is of
        somebody else."""
        if query.get("source", source) not in ("", source):
            return dict(query)
        return {key: self.told(one) if key in _ASKED_KEYS else one for key, one in query.items()}

    def told_address(self, source: str, query: str) -> str:
        """The same for the query of an address, written as `urlencode` does."""
        asked = dict(parse_qsl(query, keep_blank_values=True))
        told = self.told_query(source, asked)
        return query if told == asked else urlencode(told)


def _replaced(text: str, spelt: str, token: str) -> str:
    parts: list[str] = []
    done = start = 0
    while (at := text.find(spelt, start)) >= 0:
        end = at + len(spelt)
        if _is_whole(text, at, end):
            parts += [text[done:at], token]
            start = done = end
        else:
            start = at + 1
    return "".join([*parts, text[done:]])


def _is_whole(text: str, at: int, end: int) -> bool:
    """Whether what stands from `at` to `end` is no part of a longer word."""
    before, after = text[at - 1 : at], text[end : end + 1]
    if after and unicodedata.combining(after):
        # An accent that makes another letter of the last one.
        return False
    begins = _joins(text[at]) and _joins(before) and not _is_escape(text[:at])
    ends = _joins(text[end - 1]) and _joins(after)
    return not begins and not ends


def _joins(letter: str) -> bool:
    """Whether a letter makes one word with the letter beside it."""
    if not letter.isalnum():
        return False
    return not any(first <= ord(letter) <= last for first, last in _UNSPACED)


def _is_escape(before: str) -> bool:
    """Whether an address spells a sign that is no letter just here: %20, %3D."""
    sign, digits = before[-3:-2], before[-2:]
    if sign != "%" or not all(one in "0123456789abcdefABCDEF" for one in digits):
        return False
    return not chr(int(digits, 16)).isalnum()
