"""Passwords that an account has had, so that the last ones are not chosen again."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.hashers import check_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from audit.models import PasswordRecord

KEPT = 5


class NotUsedBefore:
    """A check of new passwords: none of an account's last five; and it keeps what is set.

    Django calls `validate` before a password is set by a person and `password_changed` whenever one
    was stored.
    """

    def validate(self, password: str, user: Any = None) -> None:
        """Raises: ValidationError."""
        if user is None or user.pk is None:
            return
        known = [record.hash for record in records_of(user.pk)]
        # An account from before such records were kept has its present one alone.
        if user.password and user.password not in known:
            known.append(user.password)
        if any(check_password(password, one) for one in known[:KEPT]):
            raise ValidationError(self.get_help_text(), code="password_used_before")

    def password_changed(self, password: str, user: Any = None) -> None:
        """Keep the hash of what was set; what is older than the last five is kept no longer."""
        if user is None or user.pk is None:
            return
        PasswordRecord.objects.create(account_id=user.pk, hash=user.password)
        old = [record.pk for record in records_of(user.pk)[KEPT:]]
        if old:
            PasswordRecord.objects.filter(pk__in=old).delete()

    def get_help_text(self) -> str:
        return _("A password differs from the last {count} of the account.").format(count=KEPT)


def records_of(account_id: int) -> list[PasswordRecord]:
    """What is kept of an account, the newest first."""
    return list(PasswordRecord.objects.filter(account_id=account_id).order_by("-id"))
