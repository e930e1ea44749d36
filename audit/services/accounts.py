"""The account that a new installation starts with."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection, transaction

from audit.models import FirstPassword, FirstPasswordHow
from audit.selectors.access import EVERYTHING
from audit.services.granting import grant_everything

NAME = "auditor"
# Any number will do, so long as nothing else of this project takes the same lock.
LOCK = 7_301_001


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAccount:
    """A name and a password that is kept nowhere else."""

    name: str
    password: str


@transaction.atomic
def create_first_account() -> FirstAccount | None:
    """Make the first account with a password of its own; None when there is any account.

    It holds every role in every source, because one person tries the product. Two people are still
    needed where two are: who proposes cannot approve.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if User.objects.exists():
        return None
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser(NAME, password=password)
    FirstPassword.objects.create(account=user, how=FirstPasswordHow.OPENED)
    grant_everything(access=EVERYTHING, account_id=user.pk)
    return FirstAccount(name=NAME, password=password)
