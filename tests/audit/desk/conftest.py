"""Two people at the desk, and wrong hands for them."""

from __future__ import annotations

from typing import Any

import pytest

from audit.models import Case
from audit.services import desk
from tests.access import trusted
from tests.audit.desk.wrong import Gather
from tests.audit.logs import Ingest, log


@pytest.fixture
def ines(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("ines.castro", password="correct horse"))


@pytest.fixture
def tom(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("tom.reyes", password="battery staple"))


@pytest.fixture
def gather(ingest: Ingest) -> Gather:
    """Take in some lines and gather what is wrong with them; gives the cases by number."""

    def run(*lines: bytes, **kinds: Any) -> list[Case]:
        if lines:
            ingest(log(*lines), **kinds)
        assert desk.gather_cases().is_done
        return list(Case.objects.select_related("cause").order_by("pk"))

    return run
