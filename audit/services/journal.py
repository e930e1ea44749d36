"""The journal: who looked at what. A row without an actor is refused, not left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Subquery

from audit.models import Case, Certificate, Claim, Hand, Remedy
from audit.models.journal import JournalEntry
from audit.selectors.access import Access, Act

SUBJECT_MAX = 500
NAME_MAX = 128
DETAIL_MAX = 2_000
# What lies in one source, by the word for its number in an address, and where the source stands.
LIES_IN: Mapping[str, tuple[Any, str]] = {
    "hand": (Hand, "source"),
    "case": (Case, "source"),
    "claim": (Claim, "source"),
    "remedy": (Remedy, "case__source"),
    "certificate": (Certificate, "source"),
}


class JournalRefused(Exception):
    """Something that nobody did, or that is about nothing."""


def record(
    *,
    access: Access,
    act: Act,
    subject: str,
    source: str | None = None,
    hand: int | None = None,
    player: str | None = None,
    detail: Mapping[str, Any] | None = None,
    numbers: Mapping[str, Any] | None = None,
) -> None:
    """Write down that somebody did an act on a subject, such as `hand:12`.

    `hand` and `player` are what the journal is searched by. Where no source is given it is found by
    the hand, or by what else of LIES_IN is among `numbers`. Texts that came from outside are cut to
    what the journal keeps; a NUL, which the store cannot hold, is shown as �.
    Raises: JournalRefused without an actor or a subject.
    """
    if not access.name or not subject:
        raise JournalRefused("The journal keeps nothing without an actor and a subject.")
    lies_in = {**(numbers or {}), "hand": hand}
    JournalEntry.objects.create(
        account_id=access.account_id,
        actor=access.name,
        act=act.value,
        subject=_kept(subject, SUBJECT_MAX),
        source=_source_of(lies_in) if source is None else _kept(source, NAME_MAX),
        hand=hand,
        player=None if player is None else _kept(player, NAME_MAX),
        detail=_value(detail or {}),
        address=access.address,
        visit=access.visit_id,
        key=access.key_id,
    )


def _source_of(numbers: Mapping[str, Any]) -> Any:
    """The source in which something lies, looked up where the row is written; None for nothing."""
    for name, (model, column) in LIES_IN.items():
        if isinstance(key := numbers.get(name), int):
            return Subquery(model.objects.filter(pk=key).values(column)[:1])
    return None


def _kept(text: str, most: int) -> str:
    return text[:most].replace("\x00", "�").encode("utf-8", "replace").decode()


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return _kept(value, DETAIL_MAX)
    if isinstance(value, Mapping):
        return {_kept(key, NAME_MAX): _value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_value(one) for one in value]
    return value
