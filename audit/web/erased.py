"""What pages say of people whose names were erased."""

from __future__ import annotations

from collections.abc import Iterable

from audit.selectors.access import Sources
from audit.selectors.erasures import ErasureRow, erasures_of


def erased_people(names: Iterable[str], *, sources: Sources) -> tuple[ErasureRow, ...]:
    """The acts by which some of these names came to be tokens, in their order."""
    tokens = [name for name in names if name.startswith("#")]
    return tuple(erasures_of(tokens, sources=sources).values()) if tokens else ()
