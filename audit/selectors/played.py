"""What a step of a hand is drawn from, and little else: for stepping, for those who do not see what
is stored about a hand, and for the page of a hand that came once and alone."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from audit.models import Duplicate, Hand, HandVersion
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources, uploads_seen
from audit.selectors.comparisons import ComparisonRow, comparisons_of
from audit.selectors.hands import HandRow, hand_row
from audit.selectors.pages import KEY_MAX, HandNotFound
from audit.selectors.twins import TwinRow, twins_of
from audit.zstd import unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """The line that brought the current version first; `feed` is empty for one of a hand log.

    An upload that may not be seen has no number and no name.
    """

    sha256: str
    upload_id: int | None
    upload_name: str
    line: int
    feed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHand:
    """The current version of a hand as it is replayed.

    `raw` is the exact line; `comparison` what was found against the hand before. `twins` are told
    where the page is asked for, as is `has_history`: there are other versions, or the hand came
    again, and `hand_detail` has them.
    """

    hand: HandRow
    version: Brought
    raw: bytes
    comparison: ComparisonRow | None
    twins: tuple[TwinRow, ...] = ()
    has_history: bool = False


def played_hand(hand_pk: int, *, sources: Sources, is_page: bool = False) -> PlayedHand:
    """One query, one more for a page, and two where something was found against the hand before.

    The upload is told of a page alone. Raises: HandNotFound.
    """
    if not 1 <= hand_pk <= KEY_MAX:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    found = Hand.objects.filter(in_sources(sources), pk=hand_pk).select_related("version__upload")
    if is_page:
        others = HandVersion.objects.filter(hand_id=OuterRef("pk"))
        again = Duplicate.objects.filter(version__hand_id=OuterRef("pk"))
        found = found.annotate(
            has_history=Exists(others.exclude(pk=OuterRef("version_id"))) | Exists(again)
        )
    hand = found.first()
    if hand is None:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    comparison = None
    if hand.comparison_id is not None:
        compared = comparisons_of([hand.verdict_id], current=hand.comparison_id)
        comparison = next((one for one in compared if one.is_current), None)
    version = hand.version
    raw = unpacked(version.raw)
    is_named = is_page and bool(uploads_seen([version.upload_id], sources=sources))
    return PlayedHand(
        hand=hand_row(hand),
        version=Brought(
            sha256=bytes(version.sha256).hex(),
            upload_id=version.upload_id if is_named else None,
            upload_name=version.upload.name if is_named else "",
            line=version.line,
            feed=version.upload.feed,
        ),
        raw=raw,
        comparison=comparison,
        twins=twins_of(hand, raw) if is_page else (),
        has_history=bool(getattr(hand, "has_history", False)),
    )
