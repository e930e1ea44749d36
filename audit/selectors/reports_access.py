"""Access review: which accounts there are, what each may do where, and who gave it to them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from audit.models import FirstPassword, Grant, Role
from audit.selectors.certificates_days import Rules
from audit.selectors.reports_content import (
    Body,
    Column,
    Level,
    Line,
    Scope,
    Section,
    Shape,
    count_check,
    instant_cell,
    listed,
)
from audit.selectors.reports_events_service import instants_of_days
from audit.selectors.second_persons import ActOfTwo, tied_acts

_ROLES = {role.value: str(role.label) for role in Role}
_HOW = {"opened": "opened by", "reopened": "opened again by", "reset": "password reset by"}
_KINDS = {
    ActOfTwo.RULESET: "ruleset published",
    ActOfTwo.SWITCH: "ruleset put in force",
    ActOfTwo.REMEDY: "remedy approved",
    ActOfTwo.RETENTION: "records deleted",
}


def assemble(scope: Scope, parts: Iterable[tuple[date, bytes]], rules: Rules) -> Body:
    """Accounts as they are with who could come in as each, the grants in force, those given or
    ended within the days, and the acts within the days whose two people may have been one."""
    span = instants_of_days(scope, rules)
    accounts, counted = _accounts(), Grant.objects.filter(ended_at=None)
    changed = Grant.objects.filter(
        Q(granted_at__gte=span[0], granted_at__lt=span[1])
        | Q(ended_at__gte=span[0], ended_at__lt=span[1])
    )
    grants = _grants(
        "grants", "Grants in force", counted.order_by("account__username", "role", "id")
    )
    return Body(
        sections=(
            accounts,
            grants,
            _grants("changes", "Given or ended within the days", changed.order_by("-id")),
            _tied(span),
        ),
        checks=(
            count_check(
                "Grants, by account and one by one",
                "By account",
                sum(int(line.cells[5] or 0) for line in accounts.lines if line.level == Level.ROW),
                "One by one",
                grants.row_count,
            ),
        ),
    )


def _accounts() -> Section:
    lines = []
    found = User.objects.order_by("username").select_related("staff", "second_step")
    counts: dict[int, int] = {}
    keepers = _keepers()
    for account in Grant.objects.filter(ended_at=None).values_list("account_id", flat=True):
        counts[account] = counts.get(account, 0) + 1
    for user in found.iterator(chunk_size=1_000):
        staff, step = getattr(user, "staff", None), getattr(user, "second_step", None)
        lines.append(
            Line(
                cells=(
                    user.get_username(),
                    None if staff is None else staff.full_name or None,
                    "open" if user.is_active else "closed",
                    "yes" if step is not None and step.confirmed_at is not None else "no",
                    instant_cell(user.last_login),
                    counts.get(user.pk, 0),
                    instant_cell(user.date_joined),
                    keepers.get(user.pk, "not on record"),
                )
            )
        )
    total = Line(
        cells=("Total", None, None, None, None, sum(counts.values()), None, None),
        level=Level.TOTAL,
    )
    shown, more = listed(lines)
    return Section(
        key="accounts",
        title="Accounts",
        about="As they stand at the time of making, whatever the days.",
        columns=(
            Column(key="account", title="Account"),
            Column(key="name", title="Name"),
            Column(key="state", title="State"),
            Column(key="second_step", title="Second step"),
            Column(key="last_sign_in", title="Last sign-in (UTC)", shape=Shape.TIME),
            Column(key="grants", title="Grants", shape=Shape.COUNT),
            Column(key="made", title="Made (UTC)", shape=Shape.TIME),
            Column(key="opened_by", title="Could come in as it"),
        ),
        lines=(*shown, total),
        more=more,
    )


def _keepers() -> dict[int, str]:
    """Who gave each account a first password, in words: `opened by may.ling`."""
    found: dict[int, list[str]] = {}
    given = FirstPassword.objects.order_by("id").values_list(
        "account_id", "how", "given_by__username"
    )
    for account, how, by in given:
        found.setdefault(account, []).append(f"{_HOW[how]} {by or 'the installation'}")
    return {account: "; ".join(dict.fromkeys(said)) for account, said in found.items()}


def _tied(span: tuple[datetime, datetime]) -> Section:
    """Acts within the days whose two people may have been one."""
    found = tied_acts(sources=None, since=span[0], until=span[1], most=None)
    lines = [
        Line(
            cells=(
                instant_cell(act.at),
                _KINDS[act.kind],
                act.label,
                act.source,
                act.first,
                act.second,
                f"{act.keeper}: {', '.join(act.ways)}",
            )
        )
        for act in found
    ]
    shown, more = listed(lines)
    return Section(
        key="tied",
        title="Acts of two people who may have been one",
        about="Whoever gives an account its first password, or makes a key for it, can act under"
        " its name: one of the two had been in the other's hands, or both in somebody's.",
        columns=(
            Column(key="at", title="When (UTC)", shape=Shape.TIME),
            Column(key="act", title="Act"),
            Column(key="label", title="Of what"),
            Column(key="source", title="Source"),
            Column(key="first", title="First"),
            Column(key="second", title="Second"),
            Column(key="because", title="In whose hands"),
        ),
        lines=shown,
        more=more,
    )


def _grants(key: str, title: str, found: QuerySet[Grant]) -> Section:
    names = ("account__username", "role", "source", "granted_at", "granted_by__username",
             "ended_at", "ended_by__username")  # fmt: skip
    lines = [
        Line(
            cells=(
                account, _ROLES.get(role, role), "every source" if source is None else source,
                instant_cell(granted_at), by or "the installation", instant_cell(ended_at),
                ended_by,
            )
        )
        for account, role, source, granted_at, by, ended_at, ended_by in found.values_list(*names)
    ]  # fmt: skip
    shown, more = listed(lines)
    return Section(
        key=key,
        title=title,
        about="",
        columns=(
            Column(key="account", title="Account"),
            Column(key="role", title="Role"),
            Column(key="source", title="Source"),
            Column(key="given", title="Given (UTC)", shape=Shape.TIME),
            Column(key="given_by", title="By"),
            Column(key="ended", title="Ended (UTC)", shape=Shape.TIME),
            Column(key="ended_by", title="By"),
        ),
        lines=shown,
        more=more,
    )
