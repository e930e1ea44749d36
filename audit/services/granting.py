"""Giving roles to accounts and taking them away again; each is a row that only ends."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models.access import Grant, Role
from audit.selectors.access import Access, Act
from audit.services.journal import record
from audit.services.webhooks import pause_webhooks_of

SOURCE_MAX = 128
# Any number will do, so long as nothing else of this project takes the same lock.
MANAGERS_LOCK = 7_301_002


class GrantRefused(Exception):
    """A grant that cannot be made or ended; its text is a sentence."""


@transaction.atomic
def grant_role(*, access: Access, account_id: int, role: Role, source: str | None = None) -> int:
    """Give a role in a source, None for every source; gives the grant's number.

    Raises: GrantRefused where the account has it already or is closed, the source is no name, or
    somebody would give a role to themselves: nobody gets at hands alone, also not an administrator.
    """
    if access.account_id == account_id:
        raise GrantRefused(_("Nobody gives roles to themselves: another administrator does."))
    if not _is_open(account_id):
        raise GrantRefused(_("The account is closed: open it again first."))
    if source is not None and not (0 < len(source) <= SOURCE_MAX and "\x00" not in source):
        raise GrantRefused(
            _("A source has a name of 1 to {most} characters.").format(most=SOURCE_MAX)
        )
    try:
        with transaction.atomic():
            grant = Grant.objects.create(
                account_id=account_id, role=role, source=source, granted_by_id=access.account_id
            )
    except IntegrityError:
        raise GrantRefused(_("The account has this role there already.")) from None
    record(
        access=access,
        act=Act.MANAGE_ACCOUNTS,
        subject=f"account:{account_id}",
        source=source,
        detail={"granted": role.value},
    )
    return grant.pk


def grant_everything(*, access: Access, account_id: int) -> None:
    """Give every role in every source; what the account has already stays."""
    for role in Role:
        known = Grant.objects.filter(account_id=account_id, role=role, source=None, ended_at=None)
        if not known.exists():
            grant_role(access=access, account_id=account_id, role=role)


@transaction.atomic
def end_grant(*, access: Access, grant_id: int) -> None:
    """Take a role away; it acts at the account's next request. Raises: GrantRefused."""
    hold_managers()
    grant = Grant.objects.select_for_update().filter(pk=grant_id, ended_at=None).first()
    if grant is None:
        raise GrantRefused(_("This grant has ended already, or there is none."))
    is_manager = grant.role == Role.ADMINISTRATOR and grant.source is None
    if is_manager and not has_other_managers(grant.account_id):
        raise GrantRefused(_("This is the last account that manages accounts."))
    _end(access, grant)


def end_grants_of(*, access: Access, account_id: int) -> int:
    """Take all roles of an account away, in the transaction that closes it; gives how many."""
    open_ones = Grant.objects.select_for_update().filter(account_id=account_id, ended_at=None)
    ended = list(open_ones.order_by("pk"))
    for grant in ended:
        _end(access, grant)
    return len(ended)


def _end(access: Access, grant: Grant) -> None:
    grant.ended_at = timezone.now()
    grant.ended_by_id = access.account_id
    grant.save(update_fields=["ended_at", "ended_by"])
    pause_webhooks_of(account_id=grant.account_id, is_closed=False)
    record(
        access=access,
        act=Act.MANAGE_ACCOUNTS,
        subject=f"account:{grant.account_id}",
        source=grant.source,
        detail={"ended": grant.role},
    )


def _is_open(account_id: int) -> bool:
    """Whether the account is open; it is not closed before this transaction has ended."""
    found = User.objects.select_for_update().filter(pk=account_id, is_active=True)
    return found.values_list("pk", flat=True).first() is not None


def hold_managers() -> None:
    """Keep others from taking managers of accounts away until this transaction ends: two who close
    each other's accounts at once would leave none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MANAGERS_LOCK])


def has_other_managers(account_id: int) -> bool:
    """Whether an open account beside this one manages accounts."""
    managers = Grant.objects.filter(
        role=Role.ADMINISTRATOR, source=None, ended_at=None, account__is_active=True
    )
    return managers.exclude(account_id=account_id).exists()
