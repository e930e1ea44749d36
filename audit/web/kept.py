"""Rendered parts of pages, kept in a process for those who step back and forth.

A part of a hand's page is a function of the exact bytes, of what was found against the hand
before, of who looks and where, and of the language; all of that is its key, so what is kept is
never out of date. The oldest goes when there is no room.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock

from django.utils.safestring import SafeString

from audit.web.language import here

# A part takes 20 to 60 kB, so that this is about 20 MB at most.
PARTS_KEPT = 400

_parts: dict[Hashable, SafeString] = {}
_lock = Lock()


def kept(key: Hashable, render: Callable[[], SafeString]) -> SafeString:
    """The part of this key in the language of the request, rendered when it is not there."""
    key = (here(), key)
    with _lock:
        part = _parts.get(key)
    if part is None:
        part = render()
        with _lock:
            _parts[key] = part
            while len(_parts) > PARTS_KEPT:
                del _parts[next(iter(_parts))]
    return part


def forget() -> None:
    """Keep nothing, as a process that has just begun."""
    with _lock:
        _parts.clear()
