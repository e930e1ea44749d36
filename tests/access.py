"""Accounts of tests: what they may do."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from audit.models import Role
from audit.selectors.access import EVERYTHING
from audit.services.granting import grant_everything, grant_role
from audit.services.visits import Caller, begin_visit

# What every page of somebody who is signed in asks of the store: the session, the account, the
# visit, the roles; and a row of the journal.
WHO_ASKS = 4
JOURNAL = 1


def trusted(user: User) -> User:
    """Give an account every role in every source, as the first account has them."""
    grant_everything(access=EVERYTHING, account_id=user.pk)
    return user


def with_roles(user: Any, *roles: Role, source: str | None = None) -> Any:
    """Give an account these roles in a source, or in all."""
    for role in roles:
        grant_role(access=EVERYTHING, account_id=user.pk, role=role, source=source)
    return user


def signed_in(user: Any, **options: Any) -> Client:
    """A browser in which somebody is signed in, as by the page: the visit has begun."""
    client = Client(**options)
    client.force_login(user)
    session = client.session
    session["visit"] = begin_visit(account_id=user.pk, caller=Caller(address="127.0.0.1"))
    session.save()
    return client
