"""Giving roles to accounts and taking them away again; each is a row that only ends."""

from __future__ import annotations

from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models.access import Grant, Role
from audit.selectors.access import Access, Act
from audit.services.journal import record

SOURCE_MAX = 128
# Any number will do, so long as nothing else of this project takes the same lock.
MANAGERS_LOCK = 7_301_002


class GrantRefused(Exception):
    """A grant that cannot be made or ended; its text is a sentence."""


@transaction.atomic
def grant_role(*, access: Access, account_id: int, role: Role, source: str | None = None) -> int:
    """Give a role in a source, None for every source; gives the grant's number.

    Raises: GrantRefused where the account has it already, the source is no name, or somebody
    would give a role to themselves: nobody gets at hands alone, also not an administrator.
    """
    if access.account_id == account_id:
        raise GrantRefused(_("Nobody gives roles to themselves: another administrator does."))
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
    grant.ended_at = timezone.now()
    grant.ended_by_id = access.account_id
    grant.save(update_fields=["ended_at", "ended_by"])
    record(
        access=access,
        act=Act.MANAGE_ACCOUNTS,
        subject=f"account:{grant.account_id}",
        source=grant.source,
        detail={"ended": grant.role},
    )


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
