"""Significant events that are rows of their own: corrections, decisions, software, doors."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

from django.db.models import Q

from audit.models import (
    ActKind,
    CaseAct,
    DayRule,
    Incident,
    Reaudit,
    Restatement,
    SoftwareCheck,
)
from audit.models.visits import SignIn, SignInOutcome
from audit.selectors import ruleset_changes
from audit.selectors.certificates_content import instant_text
from audit.selectors.certificates_days import Rules, start_of
from audit.selectors.reports_content import Scope
from audit.selectors.reports_happenings import Happening

# Of the acts at the desk these override or correct something.
_ACTS = (
    ActKind.DECIDED, ActKind.REOPENED, ActKind.WITHDRAWN, ActKind.UNDONE, ActKind.PROPOSED,
    ActKind.APPROVED, ActKind.REJECTED, ActKind.EXPORTED,
)  # fmt: skip
_FAILED = (SignInOutcome.WRONG, SignInOutcome.LOCKED, SignInOutcome.CLOSED)
DETAIL_MAX = 500
Span = tuple[datetime, datetime]


def instants_of_days(scope: Scope, rules: Rules) -> Span:
    """From when to before when the days of a report last, for what belongs to no table.

    By the rule for all sources where it names a time zone, else in UTC.
    """
    rule = rules.of("", "")
    zone = ZoneInfo(rule.time_zone) if rule.time_zone else None
    if zone is not None and scope.first.year > 1 and scope.last.year < 9999:
        last = scope.last + timedelta(days=1)
        return start_of(zone, scope.first, rule.starts_at), start_of(zone, last, rule.starts_at)
    moved = timedelta(minutes=rule.starts_at)
    since = datetime.combine(scope.first, time(), UTC) + moved
    try:
        return since, datetime.combine(scope.last, time(), UTC) + moved + timedelta(days=1)
    except OverflowError:
        return since, datetime.max.replace(tzinfo=UTC)


def service_events(scope: Scope, rules: Rules) -> Iterator[Happening]:
    """What happened besides the hands of the days. Of sign-ins, software and store only in a
    report that is kept to no source, for they belong to none."""
    span = instants_of_days(scope, rules)
    if scope.table or scope.game or scope.player:
        yield from chain(_restatements(scope, span), _out_of_force(scope, span))
        return
    yield from chain(
        _restatements(scope, span),
        _acts(scope, span),
        _rule_changes(scope, span),
        _out_of_force(scope, span),
        _day_rules(scope, span),
    )
    if scope.sources is None and not scope.source:
        yield from chain(_reaudits(span), _checks(span), _incidents(span), _sign_ins(span))


def _is_asked(scope: Scope, source: str) -> bool:
    is_seen = scope.sources is None or source in scope.sources
    return is_seen and scope.source in ("", source)


def _restatements(scope: Scope, span: Span) -> Iterator[Happening]:
    found = Restatement.objects.filter(created_at__gte=span[0], created_at__lt=span[1])
    for name in ("source", "table", "game"):
        if value := getattr(scope, name):
            found = found.filter(**{f"hand__{name}": value})
    if scope.sources is not None:
        found = found.filter(hand__source__in=scope.sources)
    if scope.player:
        found = found.filter(hand__players__contains=[scope.player])
    rows = found.order_by("-created_at", "-id").values_list(
        "created_at", "hand_id", "hand__source", "hand__table", "hand__hand_id", "version__number",
        "replaced__number", "upload_id", "upload__restatement", "upload__received_by__username",
    )  # fmt: skip
    for at, hand, source, table, hand_id, number, replaced, upload, reason, by in rows.iterator():
        yield Happening(
            at=at,
            kind="restatement",
            source=source,
            table=table,
            subject=hand_id,
            by=by or "",
            detail=f"Version {number} in the place of {replaced}, upload {upload}:"
            f" {reason[:DETAIL_MAX]}",
            hand=hand,
        )


def _acts(scope: Scope, span: Span) -> Iterator[Happening]:
    found = CaseAct.objects.filter(
        kind__in=_ACTS, created_at__gte=span[0], created_at__lt=span[1]
    ).order_by("-created_at", "-id")
    names = ("created_at", "kind", "case_id", "case__source", "decision", "text", "remedy_id",
             "actor__username")  # fmt: skip
    for at, kind, case, source, decision, text, remedy, by in found.values_list(*names).iterator():
        if not _is_asked(scope, source):
            continue
        told = [part for part in (decision, text[:DETAIL_MAX]) if part]
        yield Happening(
            at=at,
            kind=kind,
            source=source,
            subject=f"C-{case}" + (f", R-{remedy}" if remedy is not None else ""),
            by=by or "",
            detail=": ".join(told),
        )


def _day_rules(scope: Scope, span: Span) -> Iterator[Happening]:
    found = DayRule.objects.filter(made_at__gte=span[0], made_at__lt=span[1]).order_by("-id")
    for rule in found.select_related("made_by").iterator():
        if rule.source and not _is_asked(scope, rule.source):
            continue
        zone = rule.time_zone or "the offset of the log"
        yield Happening(
            at=rule.made_at,
            kind="day-rule",
            source=rule.source,
            table=rule.table,
            by=rule.made_by.get_username(),
            detail=f"From {rule.starts_at // 60:02d}:{rule.starts_at % 60:02d} in {zone}",
        )


def _rule_changes(scope: Scope, span: Span) -> Iterator[Happening]:
    sources = frozenset({scope.source}) if scope.source else scope.sources
    for one in ruleset_changes.changes(sources=sources, since=span[0], until=span[1]):
        if one.source is not None and not _is_asked(scope, one.source):
            continue
        moved = f"{one.option} {one.before or '–'} → {one.after or '–'}"
        yield Happening(
            at=one.at,
            kind="ruleset",
            source=one.source or "",
            subject=one.item,
            by=one.user,
            detail=f"{one.kind}, holds from {instant_text(one.effective_at)}: {moved}"
            f" ({one.reason[:DETAIL_MAX]})",
        )


def _out_of_force(scope: Scope, span: Span) -> Iterator[Happening]:
    """Hands of these days whose ruleset was not in force at their source."""
    sources = frozenset({scope.source}) if scope.source else scope.sources
    if scope.source and not _is_asked(scope, scope.source):
        return
    kept_to = Q()
    for name in ("table", "game"):
        if value := getattr(scope, name):
            kept_to &= Q(**{name: value})
    if scope.player:
        kept_to &= Q(players__contains=[scope.player])
    found = ruleset_changes.each_out_of_force(
        sources=sources, since=span[0], until=span[1], kept_to=kept_to
    )
    for one in found:
        yield Happening(
            at=one.at,
            kind="out-of-force",
            source=one.source,
            table=one.table,
            subject=one.hand_id,
            detail=f"Names {one.named}; in force: {', '.join(one.in_force) or 'none'}",
            hand=one.hand_pk,
        )


def _reaudits(span: Span) -> Iterator[Happening]:
    found = Reaudit.objects.filter(created_at__gte=span[0], created_at__lt=span[1])
    names = ("created_at", "id", "ruleset", "filter_text", "reason", "requested_by__username")
    for at, number, ruleset, narrowed, reason, by in found.order_by("-id").values_list(*names):
        under = f"rehearsal under {ruleset}" if ruleset else "under the rules known now"
        yield Happening(
            at=at,
            kind="reaudit",
            subject=f"Re-audit {number}",
            by=by or "",
            detail=f"{narrowed}, {under}: {reason[:DETAIL_MAX]}",
        )


def _checks(span: Span) -> Iterator[Happening]:
    found = SoftwareCheck.objects.filter(
        is_good=False, created_at__gte=span[0], created_at__lt=span[1]
    ).order_by("-id")
    for check in found.iterator():
        names = sorted(check.differences)
        yield Happening(
            at=check.created_at,
            kind="self-check",
            subject=check.process,
            detail=f"{len(names)} differ: {', '.join(names)}"[:DETAIL_MAX],
        )


def _incidents(span: Span) -> Iterator[Happening]:
    found = Incident.objects.filter(noticed_at__gte=span[0], noticed_at__lt=span[1])
    for one in found.order_by("-id").iterator():
        yield Happening(
            at=one.noticed_at, kind=one.kind, subject=one.place, detail=one.detail[:DETAIL_MAX]
        )


def _sign_ins(span: Span) -> Iterator[Happening]:
    found = SignIn.objects.filter(outcome__in=_FAILED, at__gte=span[0], at__lt=span[1]).order_by(
        "-id"
    )
    names = ("at", "name", "way", "outcome", "address")
    for at, name, way, outcome, address in found.values_list(*names).iterator():
        yield Happening(
            at=at,
            kind="sign-in",
            subject=name,
            detail=f"{way}, {outcome}" + (f", from {address}" if address else ""),
        )
