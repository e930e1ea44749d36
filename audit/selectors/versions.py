"""The records that claim to be one hand, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

import replay
from audit.models import Hand, HandVersion, Restatement, Verdict
from audit.zstd import unpacked

VERSIONS_SHOWN = 100
VERSIONS_COMPARED = 8
RESTATEMENTS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version of a hand: which bytes, and the line that brought them first.

    An upload that may not be seen has no number and no name.

    `feed` is empty where that was a line of a hand log.

    `kind` is that of its own verdict, without what was found against the hand before.
    """

    number: int
    sha256: str
    upload_id: int | None
    upload_name: str
    line: int
    created_at: datetime
    is_current: bool
    kind: str
    feed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestatementRow:
    """Who said when, and why, that a version holds; `replaced` held before."""

    version: int
    replaced: int
    reason: str
    announced_by: str
    upload_id: int | None
    upload_name: str
    line: int
    created_at: datetime


def versions_of(hand: Hand, *, asked: int | None) -> list[HandVersion]:
    """The first versions of a hand by number, and behind them the current one and the one asked
    for, where they are not among them."""
    found = HandVersion.objects.filter(hand_id=hand.pk).defer("raw").select_related("upload")
    stored = list(found.order_by("number")[:VERSIONS_SHOWN])
    if len(stored) == VERSIONS_SHOWN:
        beyond = found.filter(number__gt=stored[-1].number)
        wanted = beyond.filter(Q(pk=hand.version_id) | Q(number=asked))
        stored += wanted.order_by("number")
    return stored


def compared_of(stored: Sequence[HandVersion], *first: int) -> list[HandVersion]:
    """Those of these versions that are shown side by side: the ones whose keys come first, then
    the others by number, as many as VERSIONS_COMPARED; in the order given."""
    ahead = sorted(stored, key=lambda one: one.pk not in first)[:VERSIONS_COMPARED]
    chosen = {one.pk for one in ahead}
    return [one for one in stored if one.pk in chosen]


def restatements_of(stored: Sequence[HandVersion]) -> tuple[Restatement, ...]:
    """The restatements of a hand with these versions, the newest first."""
    if len(stored) < 2:
        return ()
    return tuple(
        Restatement.objects.filter(hand_id=stored[0].hand_id)
        .select_related("upload__received_by", "version", "replaced")
        .defer("version__raw", "replaced__raw")
        .order_by("-id")[:RESTATEMENTS_SHOWN]
    )


def restatement_row(one: Restatement, *, seen: Collection[int]) -> RestatementRow:
    """A restatement with its reason, by an upload that is named if it is among `seen`."""
    return RestatementRow(
        version=one.version.number,
        replaced=one.replaced.number,
        reason=one.upload.restatement,
        announced_by=one.upload.received_by.get_username() if one.upload.received_by else "",
        upload_id=one.upload_id if one.upload_id in seen else None,
        upload_name=one.upload.name if one.upload_id in seen else "",
        line=one.line,
        created_at=one.created_at,
    )


def version_rows(
    hand: Hand, stored: Sequence[HandVersion], verdict: Verdict, *, seen: Collection[int]
) -> tuple[VersionRow, ...]:
    """All versions of a hand in the order given; `verdict` is of one of them.

    `seen` are the uploads that may be named.
    """
    kinds = _kinds(hand, stored, verdict)
    return tuple(
        VersionRow(
            number=version.number,
            sha256=version.sha256.hex(),
            upload_id=version.upload_id if version.upload_id in seen else None,
            upload_name=version.upload.name if version.upload_id in seen else "",
            line=version.line,
            created_at=version.created_at,
            is_current=version.pk == hand.version_id,
            kind=kinds[version.pk],
            feed=version.upload.feed,
        )
        for version in stored
    )


def _kinds(hand: Hand, stored: Sequence[HandVersion], verdict: Verdict) -> dict[int, str]:
    """The kind of the current version's current verdict, and of the latest of each other."""
    if len(stored) == 1:
        return {verdict.version_id: verdict.kind}
    found = Verdict.objects.filter(version_id__in=[one.pk for one in stored]).order_by("id")
    return {
        version: kind
        for pk, version, kind in found.values_list("id", "version_id", "kind")
        if version != hand.version_id or pk == hand.verdict_id
    }


def differences_of(stored: Sequence[HandVersion]) -> tuple[replay.Difference, ...]:
    """Where these versions, VERSIONS_COMPARED at most, differ; one value for each of them."""
    if len(stored) < 2:
        return ()
    keys = [one.pk for one in stored]
    raws = dict(HandVersion.objects.filter(pk__in=keys).values_list("id", "raw"))
    return replay.differences([unpacked(raws[key]) for key in keys])
