"""Cases on the pages of the desk, and a second person to look at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from audit.models import Case
from audit.services import desk
from tests.access import signed_in, trusted

Gather = Callable[..., list[Case]]


@pytest.fixture
def gather(store: Any) -> Gather:
    """Store lines, and gather what is wrong with them; gives the cases by number."""

    def run(*lines: bytes) -> list[Case]:
        store(*lines)
        assert desk.gather_cases().is_done
        return list(Case.objects.order_by("pk"))

    return run


@pytest.fixture
def tom(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("tom.reyes", password="battery staple"))


@pytest.fixture
def toms(tom: Any) -> Client:
    """A browser in which the second person is signed in."""
    return signed_in(tom)
