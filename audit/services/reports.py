"""Making reports: asked for, read day by day in runs that can be stopped, and kept for ever.

Each day is one transaction, so a run whose worker was killed goes on with the next one. At the end
all days are looked at in one transaction that sees the store at one instant: a day whose hands are
others by then is read again, so that a report is of that instant whole.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from audit.models import Report, ReportPart, ReportRun, ReportRunState
from audit.selectors.access import Access, Act
from audit.selectors.certificates_days import Rules, current_rules
from audit.selectors.reports_asking import Asked
from audit.selectors.reports_content import Scope
from audit.selectors.reports_definitions import Definition, definition_of
from audit.selectors.reports_hands import day_before, day_digest
from audit.selectors.reports_statement import StatementTooLong
from audit.selectors.seal_keys import SealKeyMissing
from audit.services.journal import record
from audit.services.queueing import queue_report_on_commit
from audit.services.reports_keeping import keep_report
from audit.services.sealing import SealRefused, seal
from replay import say

logger = logging.getLogger(__name__)

OPEN = (ReportRunState.QUEUED, ReportRunState.RUNNING)
# A task gives its worker back after this long and comes again.
SECONDS_AT_ONCE = 60.0
SEAL_SECONDS = 5.0
# An open run without a sign of life for so long may have lost its message.
QUIET = timedelta(minutes=10)


class ReportRefused(ValueError):
    """A run that cannot be made, stopped or resumed; its text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Day:
    """What one day gives, with the digest of its hands."""

    day: date
    facts: bytes
    content: bytes


def request_report(
    *, definition: Definition, asked: Asked, access: Access, again: int | None = None
) -> int:
    """Have a report made; returns the run. `again` is the version that it is made again of."""
    with transaction.atomic():
        run = ReportRun.objects.create(
            kind=definition.kind,
            basis=asked.basis,
            first=asked.first,
            last=asked.last,
            parameters=asked.parameters,
            sources=None if asked.sources is None else sorted(asked.sources),
            asked_by_id=access.account_id,
            again_id=again,
            days_count=0 if definition.read_day is None else (asked.last - asked.first).days + 1,
        )
        record(
            access=access,
            act=Act.MAKE_REPORTS,
            subject=f"report-run:{run.pk}",
            source=asked.parameters.get("source"),
            player=asked.parameters.get("player"),
            detail={
                "kind": run.kind,
                "days": [asked.first.isoformat(), asked.last.isoformat()],
                "asked": asked.parameters,
            },
        )
        queue_report_on_commit(run.pk)
    return run.pk


def continue_report(*, run_id: int, seconds: float = SECONDS_AT_ONCE) -> bool:
    """Go on with a run where it stands. Safe to run twice and at once.

    Returns: whether something is left to do after so many seconds.
    Raises: OperationalError, InterfaceError when the database cannot be reached.
    """
    end = time.monotonic() + seconds
    while _read_next(run_id):
        if time.monotonic() >= end:
            return True
    return _finish(run_id, seconds)


def stop_report(*, run_id: int) -> None:
    """Stop a run behind the day that it is at. Raises: ReportRefused."""
    stopped = ReportRun.objects.filter(pk=run_id, state__in=OPEN)
    if not stopped.update(state=ReportRunState.STOPPED, touched_at=timezone.now()):
        raise ReportRefused(say("This report has been made, or its making was stopped already."))


def resume_report(*, run_id: int, is_queued: bool = True) -> None:
    """Let a run that was stopped, or that failed, go on where it stood: by a worker, or by whoever
    calls where it is not queued. Raises: ReportRefused."""
    with transaction.atomic():
        waits = (ReportRunState.STOPPED, ReportRunState.FAILED)
        stopped = ReportRun.objects.filter(pk=run_id, state__in=waits)
        if not stopped.update(
            state=ReportRunState.QUEUED, error="", finished_at=None, touched_at=timezone.now()
        ):
            raise ReportRefused(say("The making of this report was not stopped."))
        if is_queued:
            queue_report_on_commit(run_id)


def end_late_report(*, run_id: int) -> None:
    """End a run of which one step takes longer than a worker may; its days are kept."""
    _fail(
        run_id,
        say(
            "One step takes longer than the {seconds} s that a worker has. `manage.py report resume"
            " {run}` goes on where it stood, without that limit.",
            seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT,
            run=run_id,
        ),
    )


def end_broken_report(*, run_id: int, error: Exception) -> None:
    """End a run that the service cannot make; the log of the worker has the whole of it."""
    _fail(run_id, say("The service is at fault: {error}.", error=type(error).__name__))


def sweep_reports(*, quiet: timedelta = QUIET) -> int:
    """Queue runs again that a lost worker or broker left lying; returns how many."""
    now = timezone.now()
    with transaction.atomic():
        forgotten = list(
            ReportRun.objects.select_for_update(skip_locked=True)
            .filter(state__in=OPEN, touched_at__lte=now - quiet)
            .values_list("pk", flat=True)
        )
        ReportRun.objects.filter(pk__in=forgotten).update(touched_at=now)
        for run_id in forgotten:
            queue_report_on_commit(run_id)
    return len(forgotten)


def scope_of(run: ReportRun | Report) -> Scope:
    """What a run or a report is about."""
    return Scope.of(run.first, run.last, run.parameters, run.sources)


def _locked(run_id: int) -> ReportRun | None:
    """The run, which nobody else works on meanwhile; None where it is not open."""
    found = ReportRun.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return found.filter(pk=run_id, state__in=OPEN).first()


def _see_one_instant() -> None:
    """Let all that the transaction reads be of one instant."""
    if not connection.savepoint_ids:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _read_next(run_id: int) -> bool:
    """Read one day; returns whether there was one."""
    with transaction.atomic():
        _see_one_instant()
        run = _locked(run_id)
        if run is None or definition_of(run.kind).read_day is None:
            return False
        rules = current_rules()
        day = day_before(scope_of(run), run.at_day, rules)
        if day is None:
            return False
        _keep_part(run, _read(run, day, rules))
        ReportRun.objects.filter(pk=run_id).update(
            state=ReportRunState.RUNNING,
            at_day=day,
            read_count=(run.last - day).days + 1,
            touched_at=timezone.now(),
        )
    return True


def _read(run: ReportRun, day: date, rules: Rules) -> _Day:
    read_day = definition_of(run.kind).read_day
    assert read_day is not None
    scope = scope_of(run)
    return _Day(day=day, facts=day_digest(scope, day, rules), content=read_day(scope, day, rules))


def _keep_part(run: ReportRun, part: _Day) -> None:
    ReportPart.objects.update_or_create(
        run=run, day=part.day, defaults={"facts": part.facts, "content": part.content}
    )


def _finish(run_id: int, seconds: float) -> bool:
    """Put the days together and keep the report; returns whether the run is still open."""
    if not ReportRun.objects.filter(pk=run_id, state__in=OPEN).exists():
        return False
    try:
        _seal(min(seconds, SEAL_SECONDS))
        with transaction.atomic():
            _see_one_instant()
            run = _locked(run_id)
            if run is None:
                return False
            rules = current_rules()
            _bring_up_to_date(run, rules)
            report = keep_report(run=run, scope=scope_of(run), rules=rules, parts=_parts(run))
            _end(run, report=report.pk)
    except (SealKeyMissing, StatementTooLong) as error:
        _fail(run_id, str(error))
    return False


def _seal(seconds: float) -> None:
    """What was stored up to now shall lie under a head; where that cannot be, the report says how
    many rows do not, and the sealer says why."""
    try:
        seal(seconds=seconds)
    except SealRefused as error:
        logger.warning("report_not_sealed", extra={"reason": str(error)})


def _parts(run: ReportRun) -> Iterator[tuple[date, bytes, bytes]]:
    """The days, the latest first, one at a time: a statement that is too long breaks off, and must
    leave no cursor open behind it."""
    found = ReportPart.objects.filter(run=run)
    for day in list(found.order_by("-day").values_list("day", flat=True)):
        facts, content = found.values_list("facts", "content").get(day=day)
        yield day, bytes(facts), bytes(content)


def _bring_up_to_date(run: ReportRun, rules: Rules) -> None:
    """Read the days again whose hands are others now, and those that had none before."""
    if definition_of(run.kind).read_day is None:
        return
    scope = scope_of(run)
    known = dict(ReportPart.objects.filter(run=run).values_list("day", "facts"))
    day = day_before(scope, None, rules)
    while day is not None:
        facts = known.pop(day, None)
        if facts is None or bytes(facts) != day_digest(scope, day, rules):
            _keep_part(run, _read(run, day, rules))
        day = day_before(scope, day, rules)
    ReportPart.objects.filter(run=run, day__in=list(known)).delete()


def _end(run: ReportRun, *, report: int) -> None:
    ReportPart.objects.filter(run=run).delete()
    now = timezone.now()
    ReportRun.objects.filter(pk=run.pk).update(
        state=ReportRunState.DONE,
        report_id=report,
        read_count=run.days_count,
        touched_at=now,
        finished_at=now,
    )


def _fail(run_id: int, sentence: str) -> None:
    now = timezone.now()
    ReportRun.objects.filter(pk=run_id, state__in=OPEN).update(
        state=ReportRunState.FAILED, error=sentence, touched_at=now, finished_at=now
    )
