"""The second step of signing in: codes of an authenticator (RFC 6238), and codes for its loss."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_otp.oath import TOTP

from audit.models import RecoveryCode, SecondStep
from audit.selectors.access import Access, Act
from audit.services.journal import record
from replay import say

SECRET_BYTES = 20
SECONDS = 30
DIGITS = 6
# A clock may be one step off, either way.
STEPS_OFF = 1
CODES = 10
ISSUER = "Tilecourt"
_PURPOSE = b"tilecourt second step 1:"


class SecondStepRefused(Exception):
    """What cannot be done with the second step; its text is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """What an authenticator is given: the secret as people type it, and as its picture says it."""

    secret: str
    address: str


def begin_enrolment(*, account_id: int, name: str) -> Enrolment:
    """Give the secret that waits to be confirmed, a new one where none does.

    Raises: SecondStepRefused where one is in use already.
    """
    step = SecondStep.objects.filter(account_id=account_id).first()
    if step is not None and step.confirmed_at is not None:
        raise SecondStepRefused(say("The second step is set up already."))
    secret = None if step is None else _open(bytes(step.secret))
    if secret is None:
        secret = secrets.token_bytes(SECRET_BYTES)
        SecondStep.objects.update_or_create(
            account_id=account_id, defaults={"secret": _box().encrypt(secret), "last_step": 0}
        )
    text = base64.b32encode(secret).decode()
    label = quote(f"{ISSUER}:{name}", safe="")
    address = f"otpauth://totp/{label}?secret={text}&issuer={ISSUER}&digits={DIGITS}"
    return Enrolment(secret=text, address=f"{address}&period={SECONDS}&algorithm=SHA1")


@transaction.atomic
def confirm_enrolment(*, access: Access, code: str) -> Sequence[str]:
    """Put the second step in force by a code of the authenticator; gives the recovery codes.

    They are kept nowhere else. Raises: SecondStepRefused.
    """
    assert access.account_id is not None, "only somebody who is signed in has an own account"
    step = (
        SecondStep.objects.select_for_update()
        .filter(account_id=access.account_id, confirmed_at=None)
        .first()
    )
    if step is None:
        raise SecondStepRefused(say("There is nothing to confirm."))
    if not _take(step, code):
        raise SecondStepRefused(say("This is not the code that the authenticator shows now."))
    step.confirmed_at = timezone.now()
    step.save(update_fields=["confirmed_at"])
    _record(access, access.account_id, "second step set up")
    return _new_codes(access.account_id)


@transaction.atomic
def renew_codes(*, access: Access, code: str) -> Sequence[str]:
    """Make new recovery codes; the old ones open nothing any more. Raises: SecondStepRefused."""
    assert access.account_id is not None, "only somebody who is signed in has an own account"
    if not check_code(account_id=access.account_id, code=code):
        raise SecondStepRefused(say("This is not the code that the authenticator shows now."))
    _record(access, access.account_id, "recovery codes renewed")
    return _new_codes(access.account_id)


@transaction.atomic
def remove_second_step(*, access: Access, account_id: int) -> bool:
    """Take the second step away with its codes; whether there was one."""
    RecoveryCode.objects.filter(account_id=account_id).delete()
    removed, _ = SecondStep.objects.filter(account_id=account_id).delete()
    if removed:
        _record(access, account_id, "second step removed")
    return bool(removed)


def has_second_step(account_id: int) -> bool:
    """Whether signing in asks this account for a second step."""
    return SecondStep.objects.filter(account_id=account_id, confirmed_at__isnull=False).exists()


@transaction.atomic
def check_code(*, account_id: int, code: str) -> bool:
    """Whether this is a code of the authenticator now; each is good once."""
    step = (
        SecondStep.objects.select_for_update()
        .filter(account_id=account_id, confirmed_at__isnull=False)
        .first()
    )
    return step is not None and _take(step, code)


def use_recovery_code(*, account_id: int, code: str) -> bool:
    """Whether this is a recovery code of the account; it is used up by that."""
    unused = RecoveryCode.objects.filter(account_id=account_id, used_at=None, sha256=_hash(code))
    return bool(unused.update(used_at=timezone.now()))


def codes_left(account_id: int) -> int:
    """How many recovery codes are left."""
    return RecoveryCode.objects.filter(account_id=account_id, used_at=None).count()


def _take(step: SecondStep, code: str) -> bool:
    """Whether the code is right and was not taken before; it is taken by that."""
    text = "".join(code.split())
    secret = _open(bytes(step.secret))
    if secret is None or not (text.isascii() and text.isdecimal() and len(text) == DIGITS):
        return False
    totp = TOTP(secret, step=SECONDS, digits=DIGITS)
    totp.time = time.time()
    if not totp.verify(int(text), tolerance=STEPS_OFF, min_t=step.last_step + 1):
        return False
    step.last_step = totp.t()
    step.save(update_fields=["last_step"])
    return True


def _new_codes(account_id: int) -> Sequence[str]:
    RecoveryCode.objects.filter(account_id=account_id).delete()
    codes = [_code() for _ in range(CODES)]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(account_id=account_id, sha256=_hash(code)) for code in codes
    )
    return codes


def _code() -> str:
    """Eighty bits, in four groups of four letters and digits."""
    text = base64.b32encode(secrets.token_bytes(10)).decode().lower()
    return "-".join(text[place : place + 4] for place in range(0, 16, 4))


def _hash(code: str) -> bytes:
    plain = "".join(code.split()).replace("-", "").lower()
    return hashlib.sha256(plain.encode("utf-8", "surrogateescape")).digest()


def _box() -> MultiFernet:
    """Enciphers by the site's key, and opens by it or one that it followed."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet(
        [
            Fernet(base64.urlsafe_b64encode(hashlib.sha256(_PURPOSE + key.encode()).digest()))
            for key in keys
        ]
    )


def _open(secret: bytes) -> bytes | None:
    """The secret; None where it was enciphered by a key that the site has no more."""
    try:
        return _box().decrypt(secret)
    except InvalidToken:
        return None


def _record(access: Access, account_id: int, what: str) -> None:
    record(
        access=access,
        act=Act.OWN_ACCOUNT if access.account_id == account_id else Act.MANAGE_ACCOUNTS,
        subject=f"account:{account_id}",
        detail={"did": what},
    )
