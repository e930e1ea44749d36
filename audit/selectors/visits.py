"""Visits and attempts to come in, as pages list them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from audit.models import SignIn, SignInOutcome, SignInWay, Visit
from audit.selectors.newest import newest_first
from audit.selectors.pages import BadQuery, NotFound, Page
from replay import say

LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRow:
    """A visit; `seconds` is how long it lasted, up to now where it has not ended."""

    id: int
    account_id: int
    name: str
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    ended_how: str
    address: str | None
    port: int | None
    agent: str

    @property
    def seconds(self) -> int:
        return int(((self.ended_at or self.seen_at) - self.started_at).total_seconds())

    @property
    def length(self) -> str:
        """The same as hours, minutes and seconds, such as `1:02:05`."""
        return str(timedelta(seconds=self.seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRow:
    """An attempt to come in."""

    id: int
    at: datetime
    name: str
    account_id: int | None
    way: str
    outcome: str
    address: str | None
    port: int | None
    visit: int | None


def list_visits(
    *, account_id: int | None = None, cursor: str | None = None, limit: int = LIMIT
) -> Page[VisitRow]:
    """Visits, the newest first, of one account or of all. Raises: BadQuery."""
    rows = Visit.objects.select_related("account")
    if account_id is not None:
        rows = rows.filter(account_id=account_id)
    return newest_first(rows, _visit, cursor=cursor, limit=limit)


def get_visit(visit_id: int) -> VisitRow:
    """One visit. Raises: NotFound."""
    visit = Visit.objects.select_related("account").filter(pk=visit_id).first()
    if visit is None:
        raise NotFound(f"There is no visit {visit_id}.")
    return _visit(visit)


def list_sign_ins(
    *,
    account_id: int | None = None,
    outcome: str = "",
    cursor: str | None = None,
    limit: int = LIMIT,
) -> Page[SignInRow]:
    """Attempts to come in, the newest first. Raises: BadQuery."""
    if outcome and outcome not in SignInOutcome.values:
        raise BadQuery(say("“outcome” names no outcome."))
    rows = SignIn.objects.all()
    if account_id is not None:
        rows = rows.filter(account_id=account_id)
    if outcome:
        rows = rows.filter(outcome=outcome)
    return newest_first(rows, _sign_in, cursor=cursor, limit=limit)


def wrong_keys_of(address: str | None, *, seconds: int) -> int:
    """How many wrong keys of the API an address has shown in so many seconds."""
    since = timezone.now() - timedelta(seconds=seconds)
    wrong = SignIn.objects.filter(
        address=address, at__gt=since, outcome=SignInOutcome.WRONG, way=SignInWay.KEY
    )
    return wrong.count()


def _visit(visit: Visit) -> VisitRow:
    return VisitRow(
        id=visit.pk,
        account_id=visit.account_id,
        name=visit.account.get_username(),
        started_at=visit.started_at,
        seen_at=visit.seen_at,
        ended_at=visit.ended_at,
        ended_how=visit.ended_how,
        address=visit.address,
        port=visit.port,
        agent=visit.agent,
    )


def _sign_in(row: SignIn) -> SignInRow:
    return SignInRow(
        id=row.pk,
        at=row.at,
        name=row.name,
        account_id=row.account_id,
        way=row.way,
        outcome=row.outcome,
        address=row.address,
        port=row.port,
        visit=row.visit,
    )


def last_sign_in() -> int:
    """The number of the newest attempt; 0 where there is none."""
    return SignIn.objects.order_by("-id").values_list("pk", flat=True).first() or 0
