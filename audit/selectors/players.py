"""Players by name: who looks like whom, who was probably renamed, and what a person decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Greatest, Least

from audit.models import Hand, NameDecision, Player, Rename
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.newest import newest_first
from audit.selectors.pages import Page
from audit.selectors.players_names import oddities, skeleton, spelled

NAMES_SHOWN = 200
RENAMES_SHOWN = 200
DECISIONS_SHOWN = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRow:
    """One name. `is_exact`: it is what was looked for, to the code point; `oddities` say what is
    unusual about it, and `spelled` writes its unusual characters as numbers."""

    source: str
    name: str
    is_exact: bool
    oddities: tuple[str, ...]
    spelled: str

    @property
    def is_blank(self) -> bool:
        """Whether nothing of the name can be seen."""
        return not skeleton(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameRow:
    """A name that probably took another's place; `is_decided` when a person has spoken."""

    id: int
    source: str
    table: str
    seat: int
    old_name: str
    new_name: str
    hand_pk: int
    found_at: datetime
    is_decided: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """What a person said of two names of a source; `holds` for the newest of the two."""

    id: int
    source: str
    name: str
    other: str
    is_one: bool
    reason: str
    made_by: str
    made_at: datetime
    holds: bool


def find_names(text: str, *, sources: Sources) -> tuple[NameRow, ...]:
    """The name itself first, then those that look like it, then those that begin to."""
    if not text:
        return ()
    look = skeleton(text)
    alike = Q(skeleton=look) | Q(name=text)
    if look:
        alike |= Q(skeleton__startswith=look)
    found = Player.objects.filter(alike & in_sources(sources)).order_by(
        "skeleton", "source", "name"
    )
    rows = _name_rows(found, text)
    return tuple(sorted(rows, key=lambda row: (not row.is_exact, skeleton(row.name) != look)))


def is_name(text: str, *, sources: Sources) -> bool:
    """Whether somebody is called exactly so, also in a hand whose names are not noted yet."""
    if "\0" in text:
        return False
    exact = Q(skeleton=skeleton(text), name=text)
    if Player.objects.filter(exact & in_sources(sources)).exists():
        return True
    # Counted, so that the planner takes the index of names; to find one it might read all hands.
    return Hand.objects.filter(in_sources(sources), players__contains=[text]).count() > 0


def unusual_names(*, sources: Sources) -> tuple[NameRow, ...]:
    """Names with unusual characters, at most NAMES_SHOWN."""
    found = Player.objects.filter(in_sources(sources), is_unusual=True)
    return _name_rows(found.order_by("source", "name"), None)


def list_renames(
    *, sources: Sources, cursor: str | None = None, limit: int = RENAMES_SHOWN
) -> Page[RenameRow]:
    """Probable renames, the newest first. Raises: BadQuery."""
    pair = NameDecision.objects.filter(
        source=OuterRef("source"),
        name=Least(OuterRef("old_name"), OuterRef("new_name")),
        other=Greatest(OuterRef("old_name"), OuterRef("new_name")),
    )
    found = Rename.objects.filter(in_sources(sources)).annotate(is_decided=Exists(pair))
    return newest_first(found, _rename, cursor=cursor, limit=limit)


def _rename(one: Any) -> RenameRow:
    return RenameRow(
        id=one.pk,
        source=one.source,
        table=one.table,
        seat=one.seat,
        old_name=one.old_name,
        new_name=one.new_name,
        hand_pk=one.hand_id,
        found_at=one.found_at,
        is_decided=one.is_decided,
    )


def list_decisions(
    *, sources: Sources, cursor: str | None = None, limit: int = DECISIONS_SHOWN
) -> Page[DecisionRow]:
    """What persons decided of names, the newest first. Raises: BadQuery."""
    later = NameDecision.objects.filter(
        source=OuterRef("source"),
        name=OuterRef("name"),
        other=OuterRef("other"),
        id__gt=OuterRef("id"),
    )
    made = NameDecision.objects.filter(in_sources(sources)).select_related("made_by")
    found = made.annotate(holds=~Exists(later))
    return newest_first(found, _decision, cursor=cursor, limit=limit)


def _decision(one: Any) -> DecisionRow:
    return DecisionRow(
        id=one.pk,
        source=one.source,
        name=one.name,
        other=one.other,
        is_one=one.is_one,
        reason=one.reason,
        made_by=one.made_by.get_username(),
        made_at=one.made_at,
        holds=one.holds,
    )


def same_player(source: str, name: str) -> tuple[str, ...]:
    """All names that persons said are this one's player, the name itself among them, sorted."""
    newest = NameDecision.objects.filter(source=source).order_by("name", "other", "-id")
    pairs = [(one.name, one.other) for one in newest.distinct("name", "other") if one.is_one]
    known = {name}
    while more := {other for pair in pairs for other in pair if known & set(pair)} - known:
        known |= more
    return tuple(sorted(known))


def _name_rows(players: QuerySet[Player], text: str | None) -> tuple[NameRow, ...]:
    pairs: Iterable[tuple[str, str]] = players.values_list("source", "name")[:NAMES_SHOWN]
    return tuple(
        NameRow(
            source=source,
            name=name,
            is_exact=name == text,
            oddities=oddities(name),
            spelled=spelled(name),
        )
        for source, name in pairs
    )
