"""What stands between signing in and being let in: a password to be changed, a second step."""

from __future__ import annotations

from django.conf import settings

from audit.models import Role, SecondStep, Staff
from audit.selectors.access import Access


def must_change_password(account_id: int) -> bool:
    """Whether the password was given by somebody else, and is good for choosing another alone."""
    return Staff.objects.filter(account_id=account_id, must_change=True).exists()


def must_set_up_second_step(access: Access) -> bool:
    """Whether a second step is required of the account, and there is none."""
    if not needs_second_step(access):
        return False
    step = SecondStep.objects.filter(account_id=access.account_id, confirmed_at__isnull=False)
    return not step.exists()


def needs_second_step(access: Access) -> bool:
    """Whether a role of the account requires one (TILECOURT_SECOND_STEP_ROLES)."""
    required = {Role(name) for name in settings.TILECOURT_SECOND_STEP_ROLES}
    return bool(required) and bool(access.roles & required)
