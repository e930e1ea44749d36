"""Letting another hand stand for one whose record is read otherwise now (SVC-15).

The line is handed in again as it came, so that the hand that it names now is judged, compared and
counted as any other; the one that it named before stays, says so, and is counted no longer.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

import replay
from audit.models import Hand, Reaudit, Replacement, Upload
from audit.services.receiving import receive_upload
from audit.services.records import Records
from audit.services.touching import touch_hands


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A hand whose current record, `line` of an upload, is read as `name` of `source` now."""

    hand_pk: int
    source: str
    name: str
    upload_id: int
    line: bytes


def replace_hands(renamed: Sequence[Renamed], *, reaudit_id: int) -> None:
    """Mark these hands as replaced, and hand their lines in again; in the caller's transaction.

    Hands are locked in the order of their keys. One that is replaced already stays as it is. Those
    around them are compared again without them.
    """
    wanted = {one.hand_pk: one for one in renamed}
    locked = Hand.objects.select_for_update(no_key=True).filter(pk__in=wanted, is_replaced=False)
    keys = list(locked.order_by("pk").values_list("pk", flat=True))
    if not keys:
        return
    touch_hands(hand_ids=keys)
    Replacement.objects.bulk_create(
        Replacement(
            hand_id=key,
            source=wanted[key].source,
            name=wanted[key].name,
            engine=replay.ENGINE,
            reaudit_id=reaudit_id,
        )
        for key in keys
    )
    Hand.objects.filter(pk__in=keys).update(is_replaced=True)
    asked_by = Reaudit.objects.select_related("requested_by").get(pk=reaudit_id).requested_by
    by_upload: dict[int, list[bytes]] = {}
    for key in keys:
        by_upload.setdefault(wanted[key].upload_id, []).append(wanted[key].line)
    for upload in Upload.objects.filter(pk__in=by_upload).order_by("pk"):
        _hand_in_again(upload, by_upload[upload.pk], reaudit_id=reaudit_id, user=asked_by)


def _hand_in_again(
    upload: Upload, lines: Sequence[bytes], *, reaudit_id: int, user: User | None
) -> None:
    """Receive lines of an upload as one of their own, with what stood for the whole of a feed's."""
    records = None
    if upload.feed:
        cut = [replay.Line(number, 0, line) for number, line in enumerate(lines, 1)]
        records = Records(feed=upload.feed, facts=upload.feed_facts, lines=cut)
    receive_upload(
        name=f"re-audit {reaudit_id}, upload {upload.pk}: records that name other hands now",
        stream=io.BytesIO(b"".join(line + b"\n" for line in lines)),
        user=user,
        records=records,
    )
