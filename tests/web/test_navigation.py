"""Which areas the main navigation offers to whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from audit.models import Role
from audit.selectors.access import access_of
from audit.web.navigation import AREAS, Area, Group, areas_for
from tests.access import signed_in, with_roles

pytestmark = [pytest.mark.integration, pytest.mark.django_db]


def shape(entries: Any) -> list[Any]:
    """The areas by name, those of a group as a tuple."""
    return [
        one.name if isinstance(one, Area) else tuple(area.name for area in one.areas)
        for one in entries
    ]


def opened(user: Any) -> list[Any]:
    return shape(areas_for(access_of(user)))


def test_each_area_has_a_page_and_stands_once() -> None:
    names = [
        area.name for one in AREAS for area in (one.areas if isinstance(one, Group) else (one,))
    ]
    assert len(set(names)) == len(names) == 16
    assert len({reverse(name) for name in names}) == 16


def test_a_group_of_one_area_is_that_area(django_user_model: Any) -> None:
    author = with_roles(django_user_model.objects.create_user("wen"), Role.RULES_AUTHOR)
    assert opened(author) == ["rules"]


def test_nobody_is_offered_what_is_refused(django_user_model: Any) -> None:
    for role in Role:
        user = with_roles(django_user_model.objects.create_user(role.value), role)
        client, offered = signed_in(user), []
        for one in opened(user):
            offered += [one] if isinstance(one, str) else one
        assert offered
        assert {name: client.get(reverse(name)).status_code for name in offered} == dict.fromkeys(
            offered, 200
        )


def test_who_has_no_role_is_offered_nothing(django_user_model: Any) -> None:
    assert opened(django_user_model.objects.create_user("new")) == []
