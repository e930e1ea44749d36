"""What a step of a hand is drawn from, and nothing else: for stepping, and for those who do not see
what is stored about a hand."""

from __future__ import annotations

from dataclasses import dataclass

from audit.models import Hand
from audit.selectors.comparisons import ComparisonRow, comparisons_of
from audit.selectors.hands import HandRow, hand_row
from audit.selectors.pages import KEY_MAX, HandNotFound
from audit.zstd import unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHand:
    """The current version of a hand as it is replayed.

    `raw` is the exact line, `sha256` its hash in hexadecimal; `comparison` what was found against
    the hand before. `is_feed`: the record is a feed's and has no steps.
    """

    hand: HandRow
    sha256: str
    raw: bytes
    comparison: ComparisonRow | None
    is_feed: bool


def played_hand(hand_pk: int) -> PlayedHand:
    """One query, two more where something was found against the hand before.

    Raises: HandNotFound.
    """
    if not 1 <= hand_pk <= KEY_MAX:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    hand = Hand.objects.filter(pk=hand_pk).select_related("version__upload").first()
    if hand is None or hand.version is None:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    comparison = None
    if hand.comparison_id is not None:
        found = comparisons_of([hand.verdict_id], current=hand.comparison_id)
        comparison = next((one for one in found if one.is_current), None)
    return PlayedHand(
        hand=hand_row(hand),
        sha256=bytes(hand.version.sha256).hex(),
        raw=unpacked(hand.version.raw),
        comparison=comparison,
        is_feed=bool(hand.version.upload.feed),
    )
