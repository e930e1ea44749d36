"""What the API tells of how a ruleset was tried before it was published."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Role
from audit.services.rulesets import approve_ruleset
from audit.services.rulesets_rehearsing import rehearse_ruleset
from tests.access import signed_in, with_roles
from tests.audit.conftest import ingest
from tests.audit.logs import log
from tests.audit.reauditing import many, run
from tests.audit.rulesets import access_for, add

__all__ = ["ingest"]

ADDRESS = "/api/v1/rulesets/banker-pai-gow/bs-2022/{revision}/"


@pytest.fixture
def published(db: Any, django_user_model: Any, ingest: Any) -> None:
    """One revision that was tried on one hand of three."""
    ingest(log(*many(3)))
    author = access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)
    approver = access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)
    key = add(author)
    name = "banker-pai-gow/bs-2022@2"
    run(rehearse_ruleset(access=author, name=name, reason="what if", newest=1))
    approve_ruleset(access=approver, revision_pk=key, reason="x", unrehearsed_reason="all alike")


def tried(user: Any, revision: int) -> tuple[Any, ...]:
    told = signed_in(user).get(ADDRESS.format(revision=revision)).json()
    return told["rehearsed"], told["rehearsed_of"], told["rehearsed_few"]


def test_it_tells_on_how_many_hands_of_how_many(published: None) -> None:
    user = with_roles(User.objects.create_user("amy.ng"), Role.AUDITOR)
    assert tried(user, 2) == (1, 3, "all alike")
    assert tried(user, 1) == (None, None, None), "it was shipped"


@pytest.mark.parametrize(("role", "source"), [(Role.SUPPORT, None), (Role.AUDITOR, "odd")])
def test_the_number_of_hands_is_for_those_who_see_every_source(
    published: None, role: Role, source: str | None
) -> None:
    user = with_roles(User.objects.create_user("amy.ng"), role, source=source)
    assert tried(user, 2) == (None, None, None)
