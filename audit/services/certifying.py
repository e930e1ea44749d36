"""Making certificates of completeness, one table after the other, in runs that can be stopped.

Each table is one transaction that sees the store at one instant; the run's row says how far it is,
so a run whose worker was killed goes on with the next table.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import date, timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

import replay
from audit.models import Certificate, CertificateRun, RunState, Table
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.certificates_census import facts_digests, tables_with_something
from audit.selectors.certificates_content import Drawn, draw_up
from audit.selectors.certificates_days import Rules, current_rules, day_span
from audit.services.certifying_refusals import sort_refusals
from audit.services.queueing import queue_run_on_commit

OPEN = (RunState.QUEUED, RunState.RUNNING)
# A task gives its worker back after this long and comes again.
SECONDS_AT_ONCE = 60.0
TABLES_AT_ONCE = 200
# An open run without a sign of life for so long may have lost its message.
QUIET = timedelta(minutes=10)
COUNT_MAX = 2**63 - 1


class RunRefused(ValueError):
    """A run that cannot be made, stopped or resumed; its text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Next:
    """The next table of a run that has something to be certified, None where there is none left;
    `passed` tables before it, the last of them `after`, have nothing."""

    table: Table | None
    passed: int
    after: int


def request_certificates(
    *, sources: Sources, day: date, user: User, source: str = "", table: str = ""
) -> int:
    """Have the tables of a day certified; returns the run. One table alone gets its certificate
    even when nothing is known of that day. Raises: RunRefused."""
    if not source and sources is not None:
        raise RunRefused(replay.say("Name one of your sources."))
    tables = _tables(source, table).filter(in_sources(sources))
    count = tables.count()
    if table and not source:
        raise RunRefused(replay.say("A table is named together with its source."))
    if count == 0:
        if source or table:
            raise RunRefused(replay.say("There is no such table."))
        raise RunRefused(replay.say("No table is known yet."))
    with transaction.atomic():
        run = CertificateRun.objects.create(
            day=day, source=source, table=table, made_by=user, table_count=count
        )
        queue_run_on_commit(run.pk)
    return run.pk


def continue_run(*, run_id: int, seconds: float = SECONDS_AT_ONCE) -> bool:
    """Go on with a run where it stands. Safe to run twice and at once.

    Returns: whether something is left to do after so many seconds.
    Raises: OperationalError, InterfaceError when the database cannot be reached.
    """
    end = time.monotonic() + seconds
    if sort_refusals(seconds=seconds):
        return CertificateRun.objects.filter(pk=run_id, state__in=OPEN).exists()
    while _certify_next(run_id):
        if time.monotonic() >= end:
            return True
    return False


def stop_run(*, run_id: int) -> None:
    """Stop a run behind the table that it is at. Raises: RunRefused."""
    stopped = CertificateRun.objects.filter(pk=run_id, state__in=OPEN)
    if not stopped.update(state=RunState.STOPPED, touched_at=timezone.now()):
        raise RunRefused(replay.say("This run has ended or was stopped already."))


def resume_run(*, run_id: int) -> None:
    """Let a run that was stopped go on where it stood. Raises: RunRefused."""
    with transaction.atomic():
        stopped = CertificateRun.objects.filter(pk=run_id, state=RunState.STOPPED)
        if not stopped.update(state=RunState.QUEUED, touched_at=timezone.now()):
            raise RunRefused(replay.say("This run was not stopped."))
        queue_run_on_commit(run_id)


def sweep_runs(*, quiet: timedelta = QUIET) -> int:
    """Queue runs again that a lost worker or broker left lying; returns how many."""
    now = timezone.now()
    with transaction.atomic():
        forgotten = list(
            CertificateRun.objects.select_for_update(skip_locked=True)
            .filter(state__in=OPEN, touched_at__lte=now - quiet)
            .values_list("pk", flat=True)
        )
        CertificateRun.objects.filter(pk__in=forgotten).update(touched_at=now)
        for run_id in forgotten:
            queue_run_on_commit(run_id)
    return len(forgotten)


def _tables(source: str, table: str) -> QuerySet[Table]:
    found = Table.objects.order_by("pk")
    if source:
        found = found.filter(source=source)
    return found.filter(name=table) if table else found


def _certify_next(run_id: int) -> bool:
    """Certify one table; returns whether the run goes on."""
    try:
        with transaction.atomic():
            _see_one_instant()
            return _step(run_id)
    except IntegrityError:
        # Another run has certified the same table and day meanwhile: look again.
        return True


def _see_one_instant() -> None:
    """Let all that the transaction reads be of one instant."""
    if not connection.savepoint_ids:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _step(run_id: int) -> bool:
    run = (
        CertificateRun.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(pk=run_id, state__in=OPEN)
        .first()
    )
    if run is None:
        return False
    rules = current_rules()
    found = _next(run, rules)
    # Only numbers that go up together, so that the row always adds up.
    moved = {"looked_count": found.passed, "empty_count": found.passed}
    if found.table is not None:
        moved["looked_count"] += 1
        moved[_certify(run, found.table, rules)] = 1
    changes = {name: F(name) + by for name, by in moved.items()}
    is_open = found.table is not None or found.passed == TABLES_AT_ONCE
    CertificateRun.objects.filter(pk=run_id).update(
        state=RunState.RUNNING if is_open else RunState.DONE,
        after_table=found.after if found.table is None else found.table.pk,
        touched_at=timezone.now(),
        finished_at=None if is_open else timezone.now(),
        **changes,
    )
    return is_open


def _next(run: CertificateRun, rules: Rules) -> _Next:
    tables = list(_tables(run.source, run.table).filter(pk__gt=run.after_table)[:TABLES_AT_ONCE])
    if run.table:
        return _Next(table=tables[0] if tables else None, passed=0, after=run.after_table)
    spans = [
        (one.source, one.name, day_span(rules.of(one.source, one.name), run.day)) for one in tables
    ]
    something = tables_with_something(spans)
    for position, table in enumerate(tables):
        if position in something:
            return _Next(table=table, passed=position, after=table.pk)
    return _Next(table=None, passed=len(tables), after=tables[-1].pk if tables else run.after_table)


def _certify(run: CertificateRun, table: Table, rules: Rules) -> str:
    """Make a certificate unless the newest still holds; returns the counter that goes up."""
    rule = rules.of(table.source, table.name)
    drawn = draw_up(table.source, table.name, run.day, rule)
    made = Certificate.objects.filter(source=table.source, table=table.name, day=run.day)
    newest = made.order_by("-edition").values_list("edition", "sha256").first()
    if newest is not None and bytes(newest[1]) == drawn.sha256:
        return "same_count"
    (digest,) = facts_digests([(table.source, table.name, rule, run.day)])
    _store(run, table, drawn, edition=1 if newest is None else newest[0] + 1, digest=digest)
    return "made_count"


def _store(run: CertificateRun, table: Table, drawn: Drawn, *, edition: int, digest: bytes) -> None:
    Certificate.objects.create(
        source=table.source,
        table=table.name,
        day=run.day,
        edition=edition,
        run=run,
        made_by_id=run.made_by_id,
        engine=replay.ENGINE,
        is_complete=drawn.is_complete,
        hand_count=drawn.hands,
        missing_count=min(drawn.missing, COUNT_MAX),
        refused_count=drawn.refused,
        facts=digest,
        content=drawn.text,
        sha256=drawn.sha256,
    )
