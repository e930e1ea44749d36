"""Texts that come from outside, made fit for the store without losing what they said."""

from __future__ import annotations

import unicodedata

# Categories of characters of which nothing is seen, and further ones that are drawn blank.
_UNSEEN = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def written(text: str) -> str:
    """What somebody wrote, without the blanks at its ends; empty where nothing of it is seen.

    A reason of blanks, of zero-width characters or of fillers alone is none.
    """
    return text.strip() if any(map(_is_seen, text)) else ""


def _is_seen(one: str) -> bool:
    is_drawn = unicodedata.category(one) not in _UNSEEN and one not in _BLANK
    return is_drawn and not any(ord(one) in some for some in _SELECTORS)


def storable(text: str, length_max: int) -> str:
    """Write what PostgreSQL cannot hold as an escape, and cut what is too long.

    NUL and unpaired surrogates are the only code points that a text column refuses. For words about
    a line, never for its names: those are refused before they come here.
    """
    if "\0" in text:
        text = text.replace("\0", "\\u0000")
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= length_max else f"{text[: length_max - 1]}…"
