"""The accounts of those who use the service, and what may be done by whom since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery

from audit.models import (
    ApiToken,
    FirstPassword,
    FirstPasswordHow,
    Grant,
    PasswordRecord,
    Role,
    SecondStep,
    Staff,
    Table,
    Visit,
)
from audit.selectors.access import TABLE, Act
from audit.selectors.pages import NotFound

# More accounts than this no installation has; a list that would be longer says so.
ACCOUNTS_MAX = 2_000
SOURCES_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantRow:
    """A role that an account has or had; `source` is None for every source, `granted_by` None
    where the installation gave it."""

    id: int
    account_id: int
    role: Role
    source: str | None
    granted_at: datetime
    granted_by: str | None
    ended_at: datetime | None
    ended_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """A key of the API; `acts` and `sources` are None where it may do what its account may."""

    id: int
    account_id: int
    account: str
    name: str
    prefix: str
    acts: tuple[str, ...] | None
    sources: tuple[str, ...] | None
    created_at: datetime
    created_by: str | None
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    last_address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPasswordRow:
    """Who was shown a first password of an account, and so could come in under its name; `by` is
    None where a command gave it."""

    how: FirstPasswordHow
    at: datetime
    by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """An account with what GLI-19 2.8.9 (a–i) asks of a user's record.

    `functions` is everything that it may do, by the table of roles; `groups` are its roles.
    `first_passwords` are those that were given, the first first; of before that was kept there is
    none.
    """

    id: int
    name: str
    full_name: str
    title: str
    grants: tuple[GrantRow, ...]
    first_passwords: tuple[FirstPasswordRow, ...]
    created_at: datetime
    last_seen_at: datetime | None
    last_address: str | None
    password_set_at: datetime | None
    closed_at: datetime | None
    closed_by: str | None
    is_open: bool
    must_change: bool
    has_second_step: bool

    @property
    def groups(self) -> tuple[tuple[Role, str | None], ...]:
        """The roles that it has now, each with its source."""
        return tuple((grant.role, grant.source) for grant in self.grants)

    @property
    def functions(self) -> tuple[Act, ...]:
        """All that it may do somewhere; nothing where it is closed."""
        roles = {grant.role for grant in self.grants} if self.is_open else set()
        return tuple(act for act, given in TABLE.items() if roles & given)


def find_account(name: str) -> User | None:
    """The active account of that name, None where there is none."""
    if "\x00" in name:
        return None
    return User.objects.filter(username=name, is_active=True).first()


def is_closed(name: str) -> bool:
    """Whether the account of that name is closed; not where there is none."""
    return "\x00" not in name and User.objects.filter(username=name, is_active=False).exists()


def list_accounts() -> tuple[AccountRow, ...]:
    """All accounts by name, with the grants that hold now; three queries."""
    users = _users().order_by("username")[:ACCOUNTS_MAX]
    rows = list(users)
    grants = _grants_by_account(Grant.objects.filter(ended_at=None))
    given = _first_passwords(FirstPassword.objects.all())
    return tuple(_account(user, grants.get(user.pk, ()), given.get(user.pk, ())) for user in rows)


def get_account(account_id: int) -> AccountRow:
    """One account. Raises: NotFound."""
    user = _users().filter(pk=account_id).first()
    if user is None:
        raise NotFound(f"There is no account {account_id}.")
    grants = _grants_by_account(Grant.objects.filter(account_id=account_id, ended_at=None))
    given = _first_passwords(FirstPassword.objects.filter(account_id=account_id))
    return _account(user, grants.get(account_id, ()), given.get(account_id, ()))


def find_row(name: str) -> AccountRow:
    """The account of this name, open or closed. Raises: NotFound."""
    account = None
    if "\x00" not in name:
        account = User.objects.filter(username=name).values_list("pk", flat=True).first()
    if account is None:
        raise NotFound(f"There is no account {name}.")
    return get_account(account)


def grants_of(account_id: int) -> tuple[GrantRow, ...]:
    """All grants of an account, the newest first, also those that have ended."""
    return tuple(
        _grant(grant)
        for grant in Grant.objects.filter(account_id=account_id)
        .select_related("granted_by", "ended_by")
        .order_by("-id")
    )


def last_grant() -> int:
    """The number of the newest grant; 0 where there is none."""
    return Grant.objects.order_by("-id").values_list("pk", flat=True).first() or 0


def list_keys(*, account_id: int | None = None, is_ended: bool | None = None) -> list[KeyRow]:
    """Keys of the API, the newest first: of one account or all, in use or ended or both."""
    keys = ApiToken.objects.select_related("account", "created_by").order_by("-id")
    if account_id is not None:
        keys = keys.filter(account_id=account_id)
    if is_ended is not None:
        keys = keys.filter(revoked_at__isnull=not is_ended)
    return [_key(key) for key in keys[:ACCOUNTS_MAX]]


def known_sources() -> list[str]:
    """Sources whose hands are stored, and those in which somebody has a role."""
    played = Table.objects.values_list("source", flat=True).distinct()[:SOURCES_MAX]
    given = Grant.objects.filter(source__isnull=False).values_list("source", flat=True).distinct()
    return sorted({*played, *(name for name in given[:SOURCES_MAX] if name is not None)})


def _users() -> QuerySet[User]:
    last = Visit.objects.filter(account_id=OuterRef("pk")).order_by("-id")
    passwords = PasswordRecord.objects.filter(account_id=OuterRef("pk")).order_by("-id")
    step = SecondStep.objects.filter(account_id=OuterRef("pk"), confirmed_at__isnull=False)
    return User.objects.select_related("staff", "staff__closed_by").annotate(
        seen_at=Subquery(last.values("seen_at")[:1]),
        seen_from=Subquery(last.values("address")[:1]),
        password_set_at=Subquery(passwords.values("set_at")[:1]),
        step_at=Subquery(step.values("confirmed_at")[:1]),
    )


def _grants_by_account(grants: QuerySet[Grant]) -> Mapping[int, tuple[GrantRow, ...]]:
    found: dict[int, list[GrantRow]] = {}
    for grant in grants.select_related("granted_by", "ended_by").order_by("role", "source"):
        found.setdefault(grant.account_id, []).append(_grant(grant))
    return {account: tuple(rows) for account, rows in found.items()}


def _first_passwords(
    given: QuerySet[FirstPassword],
) -> Mapping[int, tuple[FirstPasswordRow, ...]]:
    found: dict[int, list[FirstPasswordRow]] = {}
    columns = given.order_by("id").values_list(
        "account_id", "how", "given_at", "given_by__username"
    )
    for account, how, at, by in columns:
        row = FirstPasswordRow(how=FirstPasswordHow(how), at=at, by=by)
        found.setdefault(account, []).append(row)
    return {account: tuple(rows) for account, rows in found.items()}


def _grant(grant: Grant) -> GrantRow:
    return GrantRow(
        id=grant.pk,
        account_id=grant.account_id,
        role=Role(grant.role),
        source=grant.source,
        granted_at=grant.granted_at,
        granted_by=_name(grant.granted_by),
        ended_at=grant.ended_at,
        ended_by=_name(grant.ended_by),
    )


def _account(
    user: Any, grants: tuple[GrantRow, ...], given: tuple[FirstPasswordRow, ...]
) -> AccountRow:
    staff: Staff | None = getattr(user, "staff", None)
    return AccountRow(
        id=user.pk,
        name=user.get_username(),
        full_name=staff.full_name if staff else "",
        title=staff.title if staff else "",
        grants=grants,
        first_passwords=given,
        created_at=user.date_joined,
        last_seen_at=user.seen_at,
        last_address=user.seen_from,
        # Before passwords were kept, and at the command line, an account was made with one.
        password_set_at=user.password_set_at or user.date_joined,
        closed_at=staff.closed_at if staff else None,
        closed_by=_name(staff.closed_by) if staff else None,
        is_open=user.is_active,
        must_change=staff.must_change if staff else False,
        has_second_step=user.step_at is not None,
    )


def _key(key: ApiToken) -> KeyRow:
    return KeyRow(
        id=key.pk,
        account_id=key.account_id,
        account=key.account.get_username(),
        name=key.name,
        prefix=key.prefix,
        acts=None if key.acts is None else tuple(key.acts),
        sources=None if key.sources is None else tuple(key.sources),
        created_at=key.created_at,
        created_by=_name(key.created_by),
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        last_used_at=key.last_used_at,
        last_address=key.last_address,
    )


def _name(user: User | None) -> str | None:
    return None if user is None else user.get_username()
