"""What went wrong with the store or the clock is written down once, and reports tell of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from audit.models import Incident, LeafKind, SealedLeaf
from audit.services import incidents
from audit.services.incidents import Reading, note_altered, watch_clock
from audit.services.sealing import seal
from tests.audit.logs import B, Ingest, log
from tests.audit.reports.conftest import Make, rows_of

pytestmark = pytest.mark.django_db


def later(before: Reading, seconds: float, *, step: float = 0.0) -> Reading:
    return Reading(wall=before.wall + seconds + step, steady=before.steady + seconds)


@pytest.mark.parametrize("step", [3600.0, -3600.0, 2.5, -2.5])
def test_a_clock_that_was_set_is_an_incident_once(step: float) -> None:
    start = Reading.now()
    assert watch_clock(before=start, now=later(start, 60, step=step))
    (found,) = Incident.objects.all()
    assert (found.kind, found.detail) == ("clock", f"The clock was set by {step:+.1f} s.")
    # Another process of this machine notices the same.
    assert not watch_clock(before=start, now=later(start, 61, step=step))
    assert Incident.objects.count() == 1


@pytest.mark.parametrize("step", [0.0, 1.5, -1.5])
def test_a_clock_that_is_followed_up_is_none(step: float) -> None:
    start = Reading.now()
    assert not watch_clock(before=start, now=later(start, 60, step=step))
    assert not watch_clock(before=None, now=start)
    assert Incident.objects.count() == 0


def test_s21_a_clock_apart_from_the_databases_is_an_incident(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ahead = timedelta(seconds=90)
    monkeypatch.setattr(incidents.timezone, "now", lambda: datetime.now(UTC) + ahead)
    assert watch_clock(before=None, now=Reading.now())
    told = re.fullmatch(
        r"The clock differs from the database's by \+(\d+\.\d) s\.", Incident.objects.get().detail
    )
    assert told is not None
    # Less by the time between the two looks, which is not known.
    assert 30 < float(told[1]) <= 90


def test_an_altered_row_is_an_event_of_the_day(ingest: Ingest, make: Make) -> None:
    ingest(log(B))
    seal()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_verdict DISABLE TRIGGER append_only")
        cursor.execute("UPDATE audit_verdict SET engine = 'x'")
        cursor.execute("ALTER TABLE audit_verdict ENABLE TRIGGER append_only")
    for _ in range(2):
        with pytest.raises(SystemExit):
            call_command("verify_store")
    told = list(Incident.objects.values_list("kind", "detail"))
    assert len(told) == len(set(told)) > 0
    report = make("significant-events", to=datetime.now(UTC).date().isoformat())
    events = rows_of(report, "events")
    assert [row["event"] for row in events].count("Altered row") == len(told)


def test_incidents_are_kept_and_are_leaves_of_the_log() -> None:
    assert note_altered(troubles=["verdict 7: another engine", "verdict 7: another engine"]) == 1
    assert note_altered(troubles=["verdict 7: another engine", "verdict 8: gone"]) == 1
    assert list(Incident.objects.order_by("pk").values_list("place", flat=True)) == [
        "verdict 7", "verdict 8",
    ]  # fmt: skip
    seal()
    assert SealedLeaf.objects.filter(kind=LeafKind.INCIDENT).count() == 2
    for statement in ("UPDATE audit_incident SET detail = 'x'", "DELETE FROM audit_incident"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
