"""What stands between signing in and being let in: a password to be changed, a second step."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from audit.models import Role, SecondStep, Staff
from audit.selectors.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Duties:
    """What an account must do before anything else."""

    must_change_password: bool
    must_set_up_second_step: bool


def duties_of(access: Access) -> Duties:
    """What is still to be done by whoever is signed in; nothing where nobody is."""
    account = access.account_id
    must_change = Staff.objects.filter(account_id=account, must_change=True).exists()
    must_set_up = (
        needs_second_step(access)
        and not SecondStep.objects.filter(account_id=account, confirmed_at__isnull=False).exists()
    )
    return Duties(must_change_password=must_change, must_set_up_second_step=must_set_up)


def needs_second_step(access: Access) -> bool:
    """Whether a role of the account requires one (TILECOURT_SECOND_STEP_ROLES)."""
    required = {Role(name) for name in settings.TILECOURT_SECOND_STEP_ROLES}
    return bool(access.roles & required)
