"""The accounts of those who use the service."""

from __future__ import annotations

from django.contrib.auth.models import User


def find_account(name: str) -> User | None:
    """The active account of that name, None where there is none."""
    if "\x00" in name:
        return None
    return User.objects.filter(username=name, is_active=True).first()
