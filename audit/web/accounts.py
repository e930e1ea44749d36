"""Accounts: who has one, what each may do since when by whom, and the acts of administrators."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import ReviewKind, Role
from audit.selectors.access import Access, Act
from audit.selectors.accounts import (
    AccountRow,
    FirstPasswordRow,
    get_account,
    grants_of,
    known_sources,
    last_grant,
    list_accounts,
    list_keys,
)
from audit.selectors.exports_sheet import Plain, neutral
from audit.selectors.journal import list_reviews
from audit.selectors.pages import BadQuery, NotFound, Page
from audit.selectors.second_persons import ACTS_SHOWN, Tie, TiedAct, tied_acts
from audit.selectors.visits import list_sign_ins, list_visits
from audit.services.accounts import FirstAccount
from audit.services.granting import GrantRefused, end_grant, grant_role
from audit.services.reviews import ReviewRefused, record_review
from audit.services.second_step import remove_second_step
from audit.services.staff import (
    AccountRefused,
    close_account,
    name_person,
    open_account,
    reopen_account,
    reset_password,
    unlock_account,
)
from audit.web.access import access_of_request, needs
from audit.web.access_words import (
    ABOUT_ROLES,
    ACTS,
    ACTS_OF_TWO,
    ENDS,
    FIRST_PASSWORDS,
    KEEPINGS,
    OUTCOMES,
    ROLES,
    WAYS,
)

SECTION = {"section": "accounts"}
VISITS_SHOWN = 10


@needs(Act.REVIEW_ACCESS)
@never_cache
@require_safe
def account_list(request: HttpRequest) -> HttpResponse:
    """All accounts with the nine fields of GLI-19 2.8.9."""
    context = {
        "lines": [_line(row) for row in list_accounts()],
        "may_manage": access_of_request(request).may(Act.MANAGE_ACCOUNTS),
        "csv": "accounts.csv",
    }
    return render(request, "accounts/list.html", SECTION | context)


def _line(row: AccountRow) -> dict[str, Any]:
    return {
        "row": row,
        "groups": [(ROLES[role], source) for role, source in row.groups],
        "functions": [ACTS[act] for act in row.functions],
        "status": _status(row),
    }


def _status(row: AccountRow) -> str:
    if not row.is_open:
        return _("Closed")
    if row.must_change:
        return _("First password not yet changed")
    return _("Open")


COLUMNS = (
    "id", "name", "full_name", "title", "functions", "created_at", "last_access_at",
    "last_access_from", "password_changed_at", "disabled_at", "groups", "status", "second_step",
)  # fmt: skip


@needs(Act.REVIEW_ACCESS)
@never_cache
@require_safe
def accounts_csv(request: HttpRequest) -> HttpResponse:
    """The same as a table to take out; times in UTC."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(COLUMNS)
    for row in list_accounts():
        writer.writerow(
            [_cell(value) for value in (
                row.id, row.name, row.full_name, row.title,
                " ".join(act.value for act in row.functions),
                row.created_at, row.last_seen_at, Plain(row.last_address or ""),
                row.password_set_at, row.closed_at,
                "; ".join(f"{role.value} @ {source or '*'}" for role, source in row.groups),
                "open" if row.is_open else "closed",
                "yes" if row.has_second_step else "no",
            )]
        )  # fmt: skip
    response = HttpResponse("\ufeff" + sheet.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="accounts.csv"'
    return response


def _cell(value: Any) -> str:
    """A cell; what a spreadsheet would take for more than a text gets an apostrophe before it, as
    in every table of this service."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    is_text = isinstance(value, str) and not isinstance(value, Plain)
    return neutral(value) if is_text else str(value)


@needs(Act.MANAGE_ACCOUNTS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_new(request: HttpRequest) -> HttpResponse:
    """Open an account. Its first password is shown once."""
    problem, status = None, 200
    if request.method == "POST":
        try:
            made = open_account(
                access=access_of_request(request),
                name=request.POST.get("name", ""),
                full_name=request.POST.get("full_name", "").strip(),
                title=request.POST.get("title", "").strip(),
            )
        except AccountRefused as error:
            problem, status = str(error), 400
        else:
            return _first_password(request, made)
    context = {"problem": problem, "posted": request.POST.dict()}
    return render(request, "accounts/new.html", SECTION | context, status=status)


def _first_password(request: HttpRequest, made: FirstAccount) -> HttpResponse:
    return render(request, "accounts/first_password.html", SECTION | {"made": made})


@needs(Act.REVIEW_ACCESS)
@never_cache
@require_safe
def account_page(request: HttpRequest, account: int) -> HttpResponse:
    """One account: the person, its grants with who gave them, keys, visits and attempts."""
    return _one(request, account)


def _one(
    request: HttpRequest, account: int, *, problem: str | None = None, status: int = 200
) -> HttpResponse:
    try:
        row = get_account(account)
    except NotFound as error:
        raise Http404(str(error)) from None
    access, keys = access_of_request(request), list_keys(account_id=account)
    visits = list_visits(account_id=account, limit=VISITS_SHOWN).rows
    attempts = list_sign_ins(account_id=account, limit=VISITS_SHOWN).rows
    context = {
        "line": _line(row),
        "given": _given(row),
        "grants": [(grant, ROLES[grant.role]) for grant in grants_of(account)],
        "roles": [(role.value, ROLES[role], ABOUT_ROLES[role]) for role in Role],
        "sources": known_sources(),
        "keys": keys,
        "keys_in_use": sum(key.revoked_at is None for key in keys),
        "visits": [(visit, ENDS.get(visit.ended_how, visit.ended_how)) for visit in visits],
        "attempts": [(one, WAYS[one.way], OUTCOMES[one.outcome]) for one in attempts],
        "is_own": access.account_id == account,
        "may_manage": access.may(Act.MANAGE_ACCOUNTS),
        "may_manage_keys": access.may(Act.MANAGE_KEYS),
        "now": timezone.now(),
        "problem": problem,
    }
    return render(request, "accounts/account.html", SECTION | context, status=status)


def _grant(request: HttpRequest, access: Access, account: int) -> None:
    role = request.POST.get("role", "")
    if role not in Role.values:
        raise GrantRefused(_("Choose a role."))
    source = request.POST.get("source", "") or None
    grant_role(access=access, account_id=account, role=Role(role), source=source)


def _end(request: HttpRequest, access: Access, account: int) -> None:
    number = request.POST.get("grant", "")
    mine = {str(grant.id): grant.id for grant in grants_of(account)}
    if number not in mine:
        raise GrantRefused(_("This grant has ended already, or there is none."))
    end_grant(access=access, grant_id=mine[number])


def _name(request: HttpRequest, access: Access, account: int) -> None:
    name_person(
        access=access,
        account_id=account,
        full_name=request.POST.get("full_name", "").strip(),
        title=request.POST.get("title", "").strip(),
    )


def _close(request: HttpRequest, access: Access, account: int) -> None:
    close_account(access=access, account_id=account)


def _unlock(request: HttpRequest, access: Access, account: int) -> None:
    unlock_account(access=access, account_id=account)


def _unstep(request: HttpRequest, access: Access, account: int) -> None:
    if access.account_id == account:
        raise AccountRefused(_("Change your own second step on your own page."))
    if not remove_second_step(access=access, account_id=account):
        raise AccountRefused(_("The account has no second step."))


def _reopen(request: HttpRequest, access: Access, account: int) -> FirstAccount:
    return reopen_account(access=access, account_id=account)


def _reset(request: HttpRequest, access: Access, account: int) -> FirstAccount:
    return reset_password(access=access, account_id=account)


_ACTS: dict[str, Callable[[HttpRequest, Access, int], FirstAccount | None]] = {
    "grant": _grant,
    "end": _end,
    "name": _name,
    "close": _close,
    "reopen": _reopen,
    "reset": _reset,
    "remove-second-step": _unstep,
    "unlock": _unlock,
}


@needs(Act.MANAGE_ACCOUNTS)
@never_cache
@require_POST
def account_act(request: HttpRequest, account: int) -> HttpResponse:
    """Do one thing to an account."""
    run = _ACTS.get(request.POST.get("act", ""))
    if run is None:
        raise Http404("There is no such act.")
    try:
        get_account(account)
        made = run(request, access_of_request(request), account)
    except NotFound as error:
        raise Http404(str(error)) from None
    except (AccountRefused, GrantRefused) as error:
        return _one(request, account, problem=str(error), status=400)
    if made is not None:
        return _first_password(request, made)
    messages.success(request, _("Done. It acts at the next request of the account."))
    return redirect("account", account)


@needs(Act.REVIEW_ACCESS, asks=("cursor",))
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def access_review(request: HttpRequest) -> HttpResponse:
    """Who has what since when, granted by whom, with the last use; POST records the review."""
    accounts = [row for row in list_accounts() if row.grants]
    tied = tied_acts(sources=access_of_request(request).sources(Act.REVIEW_ACCESS))
    problem, status = None, 200
    last = last_grant()
    if request.method == "POST":
        try:
            _check_seen(request, last)
            record_review(
                access=access_of_request(request),
                kind=ReviewKind.ACCESS,
                note=request.POST.get("note", ""),
                first=0,
                last=last,
                facts=_facts(accounts, tied),
            )
        except ReviewRefused as error:
            problem, status = str(error), 400
        else:
            messages.success(request, _("The review is on record."))
            return redirect("access-review")
    page, at_fault = _reviews(request)
    context = {
        "lines": [
            (row, _given(row), [(grant, ROLES[grant.role]) for grant in row.grants])
            for row in accounts
        ],
        "tied": [(act, ACTS_OF_TWO[act.kind], _tie_words(act)) for act in tied],
        "tied_max": ACTS_SHOWN,
        "last": last,
        "keys": list_keys(is_ended=False),
        "reviews": page,
        "problem": problem or at_fault,
        "typed": request.POST.get("note", ""),
        "older": f"?cursor={page.next_cursor}" if page.next_cursor else None,
        "newer": f"?cursor={page.previous_cursor}" if page.previous_cursor else None,
    }
    status = 400 if at_fault else status
    return render(request, "accounts/review.html", SECTION | context, status=status)


def _given(row: AccountRow) -> list[tuple[Any, FirstPasswordRow]]:
    return [(FIRST_PASSWORDS[one.how], one) for one in row.first_passwords]


def _tie_words(act: TiedAct) -> str:
    """Why the two people of an act may have been one."""
    ways = ", ".join(str(KEEPINGS[way]) for way in act.ways)
    said = {
        Tie.FIRST: _("{first} had the account of {second} in hand: {ways}"),
        Tie.SECOND: _("{second} had the account of {first} in hand: {ways}"),
        Tie.SAME: _("{keeper} had both accounts in hand: {ways}"),
    }[act.tie]
    return said.format(first=act.first, second=act.second, keeper=act.keeper, ways=ways)


def _check_seen(request: HttpRequest, last: int) -> None:
    """Raises: ReviewRefused where the page that was reviewed is no longer how it stands."""
    if request.POST.get("last", "") != str(last):
        raise ReviewRefused(_("Roles were given since this page was made: look at it again."))


def _reviews(request: HttpRequest) -> tuple[Page[Any], str | None]:
    try:
        return list_reviews(kind=ReviewKind.ACCESS, cursor=request.GET.get("cursor")), None
    except BadQuery as error:
        return Page(rows=()), str(error)


def _facts(accounts: list[AccountRow], tied: Sequence[TiedAct]) -> dict[str, Any]:
    """What was there to be reviewed: each account with its grants and who could come in as it, and
    the acts whose two people may have been one."""
    return {
        "accounts": [
            {
                "account": row.id,
                "name": row.name,
                "is_open": row.is_open,
                "grants": [
                    [grant.id, grant.role.value, grant.source, grant.granted_by]
                    for grant in row.grants
                ],
                "first_passwords": [[one.how.value, one.by] for one in row.first_passwords],
            }
            for row in accounts
        ],
        "tied": [
            [act.kind.value, act.label, act.first, act.second, act.tie.value, act.keeper]
            for act in tied
        ],
    }
