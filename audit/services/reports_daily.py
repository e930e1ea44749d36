"""The reports of each gaming day, made by the clock when the day is over at every table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.models import ReportBasis, ReportKind, ReportRun
from audit.selectors.access import EVERYTHING
from audit.selectors.certificates_days import Rules, current_rules, day_span
from audit.selectors.reports_asking import THRESHOLDS, Asked
from audit.selectors.reports_definitions import DEFINITIONS, Definition
from audit.services.reports import request_report

# After a stop of the service so many days are caught up with.
DAYS_BACK = 7
# A table without a time zone has its day in the offset of its log: 12 hours behind UTC at most.
LAST_OFFSET = timedelta(hours=12)


def request_daily_reports(*, now: datetime | None = None) -> list[int]:
    """Ask for what is missing; returns the runs. Safe to call twice and at once."""
    rules, moment = current_rules(), now or timezone.now()
    runs = []
    for day in _days_over(moment, rules):
        for definition in _daily():
            run = _request(definition, day)
            if run is not None:
                runs.append(run)
    return runs


def _daily() -> Iterator[Definition]:
    """Those that need no person to be named, in the order of the setting."""
    for name in settings.TILECOURT_DAILY_REPORTS:
        definition = DEFINITIONS[ReportKind(name)]
        if "player" not in definition.fields:
            yield definition


def _days_over(moment: datetime, rules: Rules) -> Iterator[date]:
    """The latest days that have ended at every table, the first first."""
    today = moment.astimezone(UTC).date()
    for back in range(DAYS_BACK, 0, -1):
        day = today - timedelta(days=back)
        if day_end(day, rules) <= moment:
            yield day


def day_end(day: date, rules: Rules) -> datetime:
    """When a gaming day has ended wherever its tables are."""
    midnight = datetime.combine(day, time(), UTC) + timedelta(days=1)
    ends = [midnight + LAST_OFFSET]
    for rule in rules.by_place.values():
        if rule.time_zone:
            ends.append(day_span(rule, day).until)
        else:
            ends.append(midnight + LAST_OFFSET + timedelta(minutes=rule.starts_at))
    return max(ends)


def _request(definition: Definition, day: date) -> int | None:
    """None where the clock has asked for it before."""
    made = ReportRun.objects.filter(
        kind=definition.kind, basis=ReportBasis.DAY, last=day, asked_by=None
    )
    if made.exists():
        return None
    parameters = {
        name: dict(limits)
        for name in THRESHOLDS
        if name in definition.fields and (limits := getattr(settings, f"TILECOURT_{name.upper()}S"))
    }
    asked = Asked(basis=ReportBasis.DAY, first=day, last=day, parameters=parameters, sources=None)
    try:
        with transaction.atomic():
            return request_report(definition=definition, asked=asked, access=EVERYTHING)
    except IntegrityError:
        # Another beat was there first.
        return None
