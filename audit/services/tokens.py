"""Tokens of the API: made once, shown once, kept as their hash alone."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from audit.models import ApiToken
from audit.selectors.access import EVERYTHING, Access, Act, Sources
from audit.services.journal import record
from replay import say

MARK = "tc_"
PREFIX_LENGTH = len(MARK) + 6
DAYS_MAX = 3_650
# How exactly the last use is kept: a write a request would cost more than it tells.
USE_EXACT_TO = timedelta(minutes=1)


class TokenRefused(Exception):
    """A token that cannot be made or is not there; its text is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token and what may be known of it; `token` is kept nowhere else."""

    token: str
    prefix: str
    account: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedToken:
    """A token that was shown and is good: for whom it acts, and within which bounds.

    `acts` and `sources` are None where nothing narrows what the account may do.
    """

    id: int
    account: User
    acts: frozenset[Act] | None
    sources: Sources


def create_token(
    *,
    name: str,
    days: int,
    account: str | None = None,
    acts: Iterable[Act] | None = None,
    sources: Iterable[str] | None = None,
    access: Access = EVERYTHING,
) -> NewToken:
    """Make a token that acts for an account; the only active one where none is named.

    `acts` and `sources` narrow what it may be used for, to what the account may do at each request.
    Raises: TokenRefused.
    """
    if not 1 <= days <= DAYS_MAX:
        raise TokenRefused(say("A token is good for 1 to {days_max} days.", days_max=DAYS_MAX))
    if not 1 <= len(name) <= 100:
        raise TokenRefused(say("The name of a token has 1 to 100 characters."))
    token = MARK + secrets.token_urlsafe(32)
    expires_at = timezone.now() + timedelta(days=days)
    try:
        with transaction.atomic():
            # Held, so that an account that is closed meanwhile does not keep this key.
            user = _account(account)
            ApiToken.objects.create(
                name=name,
                account=user,
                prefix=token[:PREFIX_LENGTH],
                sha256=_hash(token),
                expires_at=expires_at,
                acts=None if acts is None else sorted({act.value for act in acts}),
                sources=None if sources is None else sorted(set(sources)),
                created_by_id=access.account_id,
            )
            record(
                access=access,
                act=Act.MANAGE_KEYS,
                subject=f"account:{user.pk}",
                detail={"key_made": name},
            )
    except IntegrityError:
        raise TokenRefused(
            say("There is a token named {name}: revoke it first.", name=name)
        ) from None
    return NewToken(
        token=token,
        prefix=token[:PREFIX_LENGTH],
        account=user.get_username(),
        expires_at=expires_at,
    )


def _account(name: str | None) -> User:
    if name is not None:
        found = User.objects.select_for_update().filter(username=name, is_active=True)
        user = found.first()
        if user is None:
            raise TokenRefused(say("There is no active account {name}.", name=name))
        return user
    active = list(User.objects.select_for_update().filter(is_active=True)[:2])
    if len(active) != 1:
        raise TokenRefused(say("Name the account that the token acts for, with --account."))
    return active[0]


@transaction.atomic
def revoke_token(*, name: str, access: Access = EVERYTHING) -> datetime:
    """End the token of this name now. Raises: TokenRefused when none is in use."""
    now = timezone.now()
    if not ApiToken.objects.filter(name=name, revoked_at=None).update(revoked_at=now):
        raise TokenRefused(say("No token named {name} is in use.", name=name))
    record(access=access, act=Act.MANAGE_KEYS, subject="key", detail={"key_ended": name})
    return now


def end_keys_of(*, account_id: int) -> int:
    """End all keys that act for an account, in the transaction that says why; gives how many."""
    return ApiToken.objects.filter(account_id=account_id, revoked_at=None).update(
        revoked_at=timezone.now()
    )


def use_token(token: str, *, address: str | None = None) -> UsedToken | None:
    """What a token may be used for, or None when it is unknown, expired or revoked, or the account
    is closed. `address` is from where it was shown."""
    now = timezone.now()
    found = (
        ApiToken.objects.select_related("account")
        .filter(sha256=_hash(token), revoked_at=None, expires_at__gt=now, account__is_active=True)
        .first()
    )
    if found is None:
        return None
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_EXACT_TO)
    if found.last_used_at is None or found.last_used_at <= now - USE_EXACT_TO:
        ApiToken.objects.filter(stale, pk=found.pk).update(last_used_at=now, last_address=address)
    return UsedToken(
        id=found.pk,
        account=found.account,
        acts=None if found.acts is None else _known(found.acts),
        sources=None if found.sources is None else frozenset(found.sources),
    )


def _known(acts: Iterable[str]) -> frozenset[Act]:
    """The acts of these names; one that there is no more gives nothing."""
    names = {act.value: act for act in Act}
    return frozenset(names[act] for act in acts if act in names)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
