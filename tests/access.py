"""Accounts of tests: what they may do."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from audit.models import Role
from audit.selectors.access import EVERYTHING
from audit.services.granting import grant_everything, grant_role


def trusted(user: User) -> User:
    """Give an account every role in every source, as the first account has them."""
    grant_everything(access=EVERYTHING, account_id=user.pk)
    return user


def with_roles(user: Any, *roles: Role, source: str | None = None) -> Any:
    """Give an account these roles in a source, or in all."""
    for role in roles:
        grant_role(access=EVERYTHING, account_id=user.pk, role=role, source=source)
    return user
