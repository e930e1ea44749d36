"""Keeping a made report: numbered, with what it was made of, written as files, and signed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils import timezone

import replay
from audit.models import Report, ReportRun, SealPending, SoftwareCheck
from audit.selectors.certificates_content import canonical, instant_text
from audit.selectors.certificates_days import Rules
from audit.selectors.evidence import latest_head
from audit.selectors.reports_changes import changes_between
from audit.selectors.reports_content import Body, Scope, body_of
from audit.selectors.reports_definitions import Definition, definition_of, period_words
from audit.selectors.reports_hands import rulesets_of_days
from audit.selectors.seal_keys import SealKeys, read_keys
from audit.services.reports_files import FORMAT, Files, write_files, write_note
from audit.services.seal_keys import make_seal_key

_FILTERS = {
    "source": "source",
    "table": "table",
    "game": "game",
    "player": "player",
    "large_win": "large win from",
    "large_wager": "large wager from",
}
SERIES_BYTES = 8
Parts = Iterable[tuple[date, bytes, bytes]]


def keep_report(*, run: ReportRun, scope: Scope, rules: Rules, parts: Parts) -> Report:
    """Keep what a run has read as a version, or give the one that says the same.

    A version says the same when its figures, its definition and the software are the same.
    """
    definition = definition_of(run.kind)
    facts = hashlib.sha256()
    days: list[date] = []

    def summed() -> Iterator[tuple[date, bytes]]:
        for day, digest, content in parts:
            facts.update(digest)
            days.append(day)
            yield day, content

    made = definition.assemble(scope, summed(), rules)
    body = Body(
        sections=made.sections, checks=made.checks, rulesets=rulesets_of_days(scope, days, rules)
    )
    _lock(run)
    previous = _newest(run)
    if previous is not None and _says_the_same(previous, body, definition):
        return previous
    return _store(run, scope, rules, body, facts.digest(), previous)


def series_of(first: int) -> bytes:
    """What the editions of one report have in common: the number of the first, SERIES_BYTES long.

    No hash of what was asked for: it may name a player, who could be guessed by it.
    """
    return first.to_bytes(SERIES_BYTES, "big")


def _lock(run: ReportRun) -> None:
    """Of two that make the same report at once the second waits, and finds the first's."""
    asked = [run.kind, run.basis, run.first.isoformat(), run.last.isoformat(),
             run.parameters, run.sources]  # fmt: skip
    found = hashlib.sha256(canonical({"asked": asked}).encode()).digest()
    with connection.cursor() as cursor:
        number = int.from_bytes(found[:8], "big", signed=True)
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _newest(run: ReportRun) -> Report | None:
    """The newest edition of what was asked for; the definition's version is not part of that."""
    sources = Q(sources=None) if run.sources is None else Q(sources=run.sources)
    found = Report.objects.filter(
        sources, kind=run.kind, basis=run.basis, first=run.first, last=run.last,
        parameters=run.parameters,
    )  # fmt: skip
    return found.order_by("-edition").first()


def _says_the_same(report: Report, body: Body, definition: Definition) -> bool:
    return (
        bytes(report.body_sha256) == body.sha256()
        and report.definition == definition.name
        and report.engine == replay.ENGINE
    )


def _store(
    run: ReportRun,
    scope: Scope,
    rules: Rules,
    body: Body,
    facts: bytes,
    previous: Report | None,
) -> Report:
    number, made_at = _next_number(), timezone.now().replace(microsecond=0)
    changes = Body(sections=(), checks=())
    if previous is not None:
        was = body_of(json.loads(bytes(previous.json)))
        changes = changes_between(previous, body, was, scope, rules)
    document = _document(run, body, number, made_at, previous, changes)
    files = write_files(document)
    given = document["input"]
    return Report.objects.create(
        pk=number,
        kind=run.kind,
        basis=run.basis,
        first=run.first,
        last=run.last,
        parameters=run.parameters,
        sources=run.sources,
        series=series_of(number) if previous is None else previous.series,
        edition=document["edition"],
        previous=previous,
        title=document["title"],
        definition=document["definition"],
        made_by=run.asked_by,
        made_at=made_at,
        engine=replay.ENGINE,
        software=document["software"],
        rulesets=dict(body.rulesets),
        log_size=given["log_size"],
        log_root=bytes.fromhex(given["log_root"]),
        waiting=given["waiting"],
        facts=facts,
        is_empty=document["no_activity"],
        row_count=body.row_count,
        changes={section.key: section.row_count for section in changes.sections},
        body_sha256=body.sha256(),
        json=files.json,
        csv=files.csv,
        pdf=files.pdf,
        pdf_maker=files.pdf_maker,
        note=sign_report(document, files),
    )


def _document(
    run: ReportRun,
    body: Body,
    number: int,
    made_at: datetime,
    previous: Report | None,
    changes: Body,
) -> dict[str, Any]:
    """The whole of report/1, of which every file is made."""
    definition = definition_of(run.kind)
    head = latest_head()
    waiting = sum(len(rows) for rows in SealPending.objects.values_list("rows", flat=True))
    return {
        "format": FORMAT,
        "number": number,
        "edition": 1 if previous is None else previous.edition + 1,
        "previous": None if previous is None else previous.pk,
        "kind": run.kind,
        "title": definition.title,
        "definition": definition.name,
        "software": _software(),
        "operator": settings.TILECOURT_OPERATOR,
        "period": {
            "basis": run.basis,
            "first": run.first.isoformat(),
            "last": run.last.isoformat(),
            "words": period_words(run.basis, run.first, run.last),
        },
        "made_at": instant_text(made_at),
        "made_by": None if run.asked_by is None else run.asked_by.get_username(),
        "filters": _filters(run),
        "input": {
            "log_size": 0 if head is None else head.size,
            "log_root": "" if head is None else head.root,
            "waiting": waiting,
        },
        "no_activity": body.row_count == 0,
        "body_sha256": body.sha256().hex(),
        **body.document(),
        "changes": changes.document(),
    }


def _filters(run: ReportRun) -> list[list[str]]:
    told = []
    for key, title in _FILTERS.items():
        value = run.parameters.get(key)
        if isinstance(value, dict):
            value = ", ".join(f"{name} {amount}" for name, amount in sorted(value.items()))
        if value:
            told.append([title, value])
    if run.sources is not None and "source" not in run.parameters:
        told.append(["within the sources", ", ".join(run.sources) or "none"])
    return told


def _software() -> str:
    """The engine, and the newest look at what is installed."""
    digest = SoftwareCheck.objects.order_by("-id").values_list("sha256", flat=True).first()
    return f"engine {replay.ENGINE}" + (
        "" if digest is None else f", manifest {bytes(digest).hex()[:16]}"
    )


def _next_number() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('audit_report', 'id'))")
        (number,) = cursor.fetchone()
    return int(number)


def _keys() -> SealKeys:
    return read_keys() or make_seal_key()


def sign_report(document: dict[str, Any], files: Files) -> str:
    """The signed note about a report. Raises: SealKeyMissing."""
    return _keys().private.sign(write_note(document, files))
