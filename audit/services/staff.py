"""Opening and closing accounts, naming the people who hold them, and their passwords."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import FirstPassword, FirstPasswordHow, Staff, VisitEnd
from audit.selectors.access import Access, Act
from audit.services.accounts import FirstAccount
from audit.services.granting import end_grants_of, has_other_managers, hold_managers
from audit.services.journal import record
from audit.services.sharing import revoke_links_of
from audit.services.tokens import end_keys_of
from audit.services.visits import end_visits_of
from audit.services.webhooks import pause_webhooks_of

NAME_MAX = 150
PASSWORD_BYTES = 12


class AccountRefused(Exception):
    """What cannot be done with an account; its text is one sentence or several."""


@transaction.atomic
def open_account(*, access: Access, name: str, full_name: str, title: str = "") -> FirstAccount:
    """Open an account with a first password, which is good for choosing another alone.

    Raises: AccountRefused for a name that is taken, or is none.
    """
    user = User(username=name)
    try:
        user.clean_fields(exclude=("password",))
    except ValidationError as error:
        raise AccountRefused(" ".join(error.messages)) from None
    if User.normalize_username(name) != name:
        raise AccountRefused(_("Write the name with plain letters."))
    _check_person(full_name, title)
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        raise AccountRefused(_("There is an account of this name already.")) from None
    Staff.objects.create(account=user, full_name=full_name, title=title, must_change=True)
    _note_first(access, user.pk, FirstPasswordHow.OPENED)
    _record(access, user.pk, {"did": "opened", "name": name})
    return FirstAccount(name=name, password=password)


@transaction.atomic
def name_person(*, access: Access, account_id: int, full_name: str, title: str) -> None:
    """Say who holds the account. Raises: AccountRefused."""
    _check_person(full_name, title)
    _locked(account_id)
    Staff.objects.update_or_create(
        account_id=account_id, defaults={"full_name": full_name, "title": title}
    )
    _record(access, account_id, {"did": "named", "full_name": full_name, "title": title})


@transaction.atomic
def close_account(*, access: Access, account_id: int) -> None:
    """Close an account: its visits end at their next request; its roles, its keys and the links
    that it shared for good, so that opening it again gives none of them back. Webhooks that it
    answers for are paused until another administrator lets them go on.

    Raises: AccountRefused for one's own, and for the last that manages accounts.
    """
    if access.account_id == account_id:
        raise AccountRefused(_("Nobody closes their own account: another administrator does."))
    hold_managers()
    user = _locked(account_id)
    if not user.is_active:
        raise AccountRefused(_("The account is closed already."))
    if not has_other_managers(account_id):
        raise AccountRefused(_("This is the last account that manages accounts."))
    user.is_active = False
    user.save(update_fields=["is_active"])
    now = timezone.now()
    Staff.objects.update_or_create(
        account_id=account_id, defaults={"closed_at": now, "closed_by_id": access.account_id}
    )
    end_visits_of(account_id=account_id, how=VisitEnd.CLOSED)
    # Webhooks before roles, so that each says by what it was paused.
    ended = {
        "webhooks_paused": pause_webhooks_of(account_id=account_id, is_closed=True),
        "keys_ended": end_keys_of(account_id=account_id),
        "roles_ended": end_grants_of(access=access, account_id=account_id),
        "links_revoked": revoke_links_of(access=access, account_id=account_id),
    }
    _record(access, account_id, {"did": "closed", **ended})


@transaction.atomic
def reopen_account(*, access: Access, account_id: int) -> FirstAccount:
    """Open a closed account again, with a first password and without a role: what it had ended
    when it was closed. Raises: AccountRefused."""
    user = _locked(account_id)
    if user.is_active:
        raise AccountRefused(_("The account is open."))
    user.is_active = True
    user.save(update_fields=["is_active"])
    Staff.objects.filter(account_id=account_id).update(closed_at=None, closed_by=None)
    _note_first(access, account_id, FirstPasswordHow.REOPENED)
    _record(access, account_id, {"did": "opened again"})
    return _give_password(user)


@transaction.atomic
def reset_password(*, access: Access, account_id: int) -> FirstAccount:
    """Give an account a first password, which is good for choosing another alone. Whatever signs in
    as the account ends: its visits, and its keys, which somebody who knew the old password may have
    taken. Raises: AccountRefused for a closed account, and for one's own."""
    if access.account_id == account_id:
        raise AccountRefused(_("Change your own password on your own page."))
    user = _locked(account_id)
    if not user.is_active:
        raise AccountRefused(_("The account is closed."))
    end_visits_of(account_id=account_id, how=VisitEnd.PASSWORD)
    ended = end_keys_of(account_id=account_id)
    _note_first(access, account_id, FirstPasswordHow.RESET)
    _record(access, account_id, {"did": "password reset", "keys_ended": ended})
    return _give_password(user)


@transaction.atomic
def unlock_account(*, access: Access, account_id: int) -> None:
    """End the pause after wrong tries now. Raises: AccountRefused."""
    user = _locked(account_id)
    AxesProxyHandler.reset_attempts(username=user.get_username())
    _record(access, account_id, {"did": "pause ended"})


@transaction.atomic
def change_password(
    *,
    access: Access,
    user: User,
    old: str,
    new: str,
    visit_id: int | None,
    ends_keys: bool = False,
) -> int:
    """Change one's own password; all other visits of the account end, and its keys where that is
    wanted. Gives how many keys ended.

    Raises: AccountRefused where the old one is wrong, or the new one breaks a rule.
    """
    if not user.check_password(old):
        raise AccountRefused(_("The present password is not this one."))
    try:
        validate_password(new, user)
    except ValidationError as error:
        raise AccountRefused(" ".join(error.messages)) from None
    user.set_password(new)
    user.save(update_fields=["password"])
    Staff.objects.update_or_create(account_id=user.pk, defaults={"must_change": False})
    end_visits_of(account_id=user.pk, how=VisitEnd.PASSWORD, but=visit_id)
    ended = end_keys_of(account_id=user.pk) if ends_keys else 0
    _record_own(access, user.pk, {"did": "password changed", "keys_ended": ended})
    return ended


@transaction.atomic
def sign_out_everywhere(*, access: Access) -> int:
    """End all that signs in as one's own account: every visit, also this one, and every key. Gives
    how many keys ended."""
    assert access.account_id is not None, "nobody else has an account of their own"
    end_visits_of(account_id=access.account_id, how=VisitEnd.SIGNED_OUT)
    ended = end_keys_of(account_id=access.account_id)
    _record_own(access, access.account_id, {"did": "signed out everywhere", "keys_ended": ended})
    return ended


def _give_password(user: User) -> FirstAccount:
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    user.set_password(password)
    user.save(update_fields=["password"])
    Staff.objects.update_or_create(account_id=user.pk, defaults={"must_change": True})
    return FirstAccount(name=user.get_username(), password=password)


def _locked(account_id: int) -> User:
    user = User.objects.select_for_update().filter(pk=account_id).first()
    if user is None:
        raise AccountRefused(_("There is no such account."))
    return user


def _check_person(full_name: str, title: str) -> None:
    for text in (full_name, title):
        if len(text) > NAME_MAX or "\x00" in text:
            raise AccountRefused(
                _("A name and a title have up to {most} characters.").format(most=NAME_MAX)
            )


def _note_first(access: Access, account_id: int, how: FirstPasswordHow) -> None:
    """Keep who was shown a first password: until it is changed they can come in by it."""
    FirstPassword.objects.create(account_id=account_id, how=how, given_by_id=access.account_id)


def _record_own(access: Access, account_id: int, detail: Mapping[str, Any]) -> None:
    record(access=access, act=Act.OWN_ACCOUNT, subject=f"account:{account_id}", detail=detail)


def _record(access: Access, account_id: int, detail: Mapping[str, Any]) -> None:
    record(access=access, act=Act.MANAGE_ACCOUNTS, subject=f"account:{account_id}", detail=detail)
