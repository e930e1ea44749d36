"""Giving roles to accounts and taking them away again; each is a row that only ends."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.models.access import Grant, Role
from audit.selectors.access import Access, Act
from audit.services.journal import record

SOURCE_MAX = 128


class GrantRefused(Exception):
    """A grant that cannot be made or ended; its text is a sentence."""


@transaction.atomic
def grant_role(*, access: Access, account_id: int, role: Role, source: str | None = None) -> int:
    """Give a role in a source, None for every source; gives the grant's number.

    Raises: GrantRefused where the account has it already, or the source is no name.
    """
    if source is not None and not (0 < len(source) <= SOURCE_MAX and "\x00" not in source):
        raise GrantRefused(f"A source has a name of 1 to {SOURCE_MAX} characters.")
    try:
        with transaction.atomic():
            grant = Grant.objects.create(
                account_id=account_id, role=role, source=source, granted_by_id=access.account_id
            )
    except IntegrityError:
        raise GrantRefused("The account has this role there already.") from None
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
    grant = Grant.objects.select_for_update().filter(pk=grant_id, ended_at=None).first()
    if grant is None:
        raise GrantRefused("This grant has ended already, or there is none.")
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
