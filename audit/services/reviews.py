"""That somebody looked over accesses or logs (GLI-19 B.2.3 f, B.6.5 d)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Review, ReviewKind
from audit.selectors.access import Access, Act
from audit.services.journal import record
from audit.services.texts import written

NOTE_MAX = 2_000


class ReviewRefused(Exception):
    """A review that cannot be recorded; its text is a sentence."""


@transaction.atomic
def record_review(
    *,
    access: Access,
    kind: ReviewKind,
    note: str,
    first: int,
    last: int,
    facts: Mapping[str, Any],
) -> int:
    """Write down that a range was reviewed, and what stood there; gives the review's number.

    Raises: ReviewRefused without a note, or for a range that is none.
    """
    text = written(note)
    if not 0 < len(text) <= NOTE_MAX or "\x00" in text:
        raise ReviewRefused(
            _("Say in 1 to {most} characters what the review found.").format(most=NOTE_MAX)
        )
    if not 0 <= first <= last:
        raise ReviewRefused(_("There is nothing to review."))
    assert access.account_id is not None, "a review is somebody's"
    review = Review.objects.create(
        kind=kind,
        reviewed_by_id=access.account_id,
        first=first,
        last=last,
        note=text,
        facts=facts,
    )
    act = Act.REVIEW_ACCESS if kind == ReviewKind.ACCESS else Act.SEE_JOURNAL
    record(access=access, act=act, subject=f"review:{review.pk}", detail={"reviewed": kind.value})
    return review.pk
