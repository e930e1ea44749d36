"""Judging refused lines again: one that is a hand now is stored as its upload's line.

The refusal stays in history and is marked as replaced by the hand's version; the upload goes on
counting the line as it was judged first, or its sums would no longer be those of its lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import F

import replay
from audit.models import Admission, Duplicate, HandVersion, Refusal, TableTouch, Upload
from audit.services.feeding import FeedOutcomes, store_feed
from audit.services.holdings import note_again
from audit.services.judging import judge_lines
from audit.services.outcomes import Outcomes
from audit.services.payloads import ChunkLine
from audit.services.queueing import queue_tables_on_commit
from audit.services.reauditing_storing import Counts
from audit.services.storing import store_outcomes
from audit.services.storing_sql import REFUSAL
from audit.services.upload_sources import note_sources
from audit.zstd import unpacked

REFUSED = tuple(name for name, _ in REFUSAL[1:])


def store_lines(
    rows: Iterable[int],
    *,
    upload_id: int,
    reaudit_id: int,
    rulesets: replay.Rulesets,
    said_until: datetime,
) -> tuple[Counts, dict[int, str]]:
    """Judge refused lines of one upload, and store those that are hands now.

    The caller's transaction holds it all; the lines are locked, so that two re-audits at once admit
    a line once. Gives the counts, and the refusals that the audit failed on, with the reason.
    """
    locked = list(Refusal.objects.select_for_update().filter(pk__in=rows).order_by("pk"))
    known = Admission.objects.filter(refusal__in=locked).values_list("refusal_id", flat=True)
    admitted_before = set(known)
    lines = {refusal.line: refusal for refusal in locked if refusal.pk not in admitted_before}
    outcomes = judge_lines(
        [_line_of(refusal) for refusal in lines.values()],
        rulesets,
        upload_id=upload_id,
        said_until=said_until,
    )
    faults, refused = {}, 0
    for row in outcomes.refusals:
        told = dict(zip(REFUSED, row, strict=True))
        refusal = lines.pop(told["line"])
        if told["is_our_fault"]:
            faults[refusal.pk] = told["reason"]
        else:
            refused += 1
    # They stand as refused already, with the reason that was given first.
    outcomes.refusals.clear()
    admitted = {line: refusal.pk for line, refusal in lines.items()}
    if admitted:
        _admit(outcomes, admitted, upload_id=upload_id, reaudit_id=reaudit_id)
    counts = Counts(admitted=len(admitted) + len(admitted_before), refused=refused)
    return counts, faults


def _line_of(refusal: Refusal) -> ChunkLine:
    assert refusal.raw is not None, "a line without its bytes is not gathered"
    return ChunkLine(refusal.line, refusal.offset, unpacked(refusal.raw))


def _admit(
    outcomes: Outcomes, admitted: dict[int, int], *, upload_id: int, reaudit_id: int
) -> None:
    """Store hands that come late; `admitted` are their refusals by line."""
    stored = store_outcomes(upload_id, outcomes)
    note_sources(upload_id, with_hands=outcomes.sources)
    note_again(upload_id)
    if isinstance(outcomes, FeedOutcomes):
        store_feed(upload_id, outcomes)
    lines = {"upload_id": upload_id, "line__in": list(admitted)}
    versions = dict(HandVersion.objects.filter(**lines).values_list("line", "pk"))
    versions |= dict(Duplicate.objects.filter(**lines).values_list("line", "version_id"))
    Admission.objects.bulk_create(
        Admission(refusal_id=refusal, version_id=versions[line], reaudit_id=reaudit_id)
        for line, refusal in admitted.items()
    )
    if stored.turned:
        # Their hands turn back as any other's, and each of their lines is then counted down.
        Upload.objects.filter(pk=upload_id).update(turned_count=F("turned_count") + stored.turned)
    touches = TableTouch.objects.filter(upload_id=upload_id).order_by("table_id")
    queue_tables_on_commit(list(touches.values_list("table_id", flat=True).distinct()))
