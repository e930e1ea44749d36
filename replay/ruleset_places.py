"""Where in a ruleset file something stands.

The TOML reader tells no places of what it has read. A place is therefore found by asking it: the
text before a key, with a value of our own put in the place of the rest, must read as a document
that has this key. So strings, comments and tables are understood exactly as they were read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# A file names a key a few times; of a hostile one not every line is asked about.
TRIES_MAX = 64
_SYNTAX = re.compile(r"\(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line and a column, from 1, in characters; None where there is no such place."""

    line: int | None
    column: int | None


NOWHERE = Place(line=None, column=None)


def place_of(text: str, document: Mapping[str, Any], path: Sequence[str]) -> Place:
    """Where a key stands; for one that is missing, where the table begins that lacks it.

    Of a key in an inline table the place of that table is told. A key that is missing in the file
    itself stands nowhere.
    """
    while path:
        if _is_in(document, path):
            place = _key(text, path) or _table(text, path)
            if place is not None:
                return place
        path = path[:-1]
    return NOWHERE


def place_of_syntax(content: bytes, error: Exception) -> Place:
    """Where bytes are no TOML: where the reader says, or at the first byte that is no UTF-8."""
    if isinstance(error, UnicodeDecodeError):
        before = content[: error.start].decode("utf-8")
        return _at(before, len(before))
    said = _SYNTAX.search(str(error))
    if said is None:
        return NOWHERE
    if said[1] is None:
        text = content.decode("utf-8")
        return _at(text, len(text))
    return Place(line=int(said[1]), column=int(said[2]))


def _at(text: str, position: int) -> Place:
    line = text.count("\n", 0, position) + 1
    return Place(line=line, column=position - (text.rfind("\n", 0, position) + 1) + 1)


def _key(text: str, path: Sequence[str]) -> Place | None:
    """The key of `key = value`, in whatever table it is and however it is spelt."""
    for start, equals in _candidates(text, path[-1]):
        if _reads(text[:equals] + "= 0\n", path) and not _reads(text[:start], path):
            return _at(text, start)
    return None


def _table(text: str, path: Sequence[str]) -> Place | None:
    """The head `[key]` of a table."""
    for match in _tries(re.compile(r"^[ \t]*\[[^\n]*", re.MULTILINE), text):
        if _reads(text[: match.end()], path) and not _reads(text[: match.start()], path):
            return _at(text, match.start())
    return None


def _candidates(text: str, key: str) -> Iterator[tuple[int, int]]:
    """Where a line may begin with this key, and where its equals sign is."""
    spelt = re.escape(key)
    # Written so that no line is gone over more than once for each of its beginnings.
    line = re.compile(rf"^(?:[^\n=#]*\.)?[ \t]*[\"']?{spelt}[\"']?[ \t]*(=)", re.MULTILINE)
    for match in _tries(line, text):
        indent = len(match[0]) - len(match[0].lstrip(" \t"))
        yield match.start() + indent, match.start(1)


def _tries(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for number, match in enumerate(pattern.finditer(text)):
        if number == TRIES_MAX:
            return
        yield match


def _reads(text: str, path: Sequence[str]) -> bool:
    try:
        return _is_in(tomllib.loads(text), path)
    except (ValueError, RecursionError):
        return False


def _is_in(document: Any, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(document, Mapping) or key not in document:
            return False
        document = document[key]
    return True
