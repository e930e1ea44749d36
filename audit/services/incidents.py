"""Writing down what went wrong with the store or the clock, so that reports can tell of it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from audit.models import Incident, IncidentKind
from audit.selectors.diagnosis import SKEW_MAX

PLACE_MAX = 200
DETAIL_MAX = 2_000
# A wall clock that moves by so much more or less than the time that went by was set.
STEP_MAX = timedelta(seconds=2)
# What each process of a machine notices of one step is one incident.
ONE_STEP = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Two clocks read at once: the wall's, which may be set, and one that only goes on."""

    wall: float
    steady: float

    @classmethod
    def now(cls) -> Reading:
        return cls(wall=time.time(), steady=time.monotonic())

    def step_since(self, before: Reading) -> timedelta:
        """How far the wall clock was set since then; below zero for back."""
        moved = (self.wall - before.wall) - (self.steady - before.steady)
        return timedelta(seconds=moved)


def note_altered(*, troubles: Iterable[str]) -> int:
    """Write down each trouble that a look through the store found and no earlier one had.

    Returns: how many are new.
    """
    sentences = [one[:DETAIL_MAX] for one in troubles]
    found = Incident.objects.filter(kind=IncidentKind.ALTERED, detail__in=sentences)
    known = set(found.values_list("detail", flat=True))
    new = [one for one in dict.fromkeys(sentences) if one not in known]
    Incident.objects.bulk_create(
        Incident(kind=IncidentKind.ALTERED, place=one.partition(":")[0][:PLACE_MAX], detail=one)
        for one in new
    )
    return len(new)


def watch_clock(*, before: Reading | None, now: Reading) -> bool:
    """Write down that this machine's clock was set since `before`, or differs from the database's.

    Returns: whether it was written down now, and by no other process.
    """
    step = timedelta() if before is None else now.step_since(before)
    if abs(step) > STEP_MAX:
        return _note(f"The clock was set by {step.total_seconds():+.1f} s.")
    skew = _skew()
    if abs(skew) > SKEW_MAX:
        return _note(f"The clock differs from the database's by {skew.total_seconds():+.1f} s.")
    return False


def _skew() -> timedelta:
    """This machine's clock less the database's, as far as the time of asking does not explain."""
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        there: datetime = cursor.fetchone()[0]
    after = timezone.now()
    if before > there:
        return before - there
    return after - there if there > after else timedelta()


def _note(sentence: str) -> bool:
    machine = socket.gethostname()[:PLACE_MAX]
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        since = cursor.fetchone()[0] - ONE_STEP
    known = Incident.objects.filter(kind=IncidentKind.CLOCK, place=machine, noticed_at__gte=since)
    if known.exists():
        return False
    Incident.objects.create(kind=IncidentKind.CLOCK, place=machine, detail=sentence)
    return True
