"""Keeping and dropping the filters that a person comes back to."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django.db import transaction

from audit.models import SavedFilter
from audit.selectors import BadQuery, HandFilters
from audit.services.texts import storable
from replay import say

NAME_MAX = 60
KEPT_MAX = 50


@transaction.atomic
def save_filter(*, account_id: int, name: str, query: Mapping[str, str]) -> None:
    """Keep a list under a name; the same name again means the new list.

    Raises: BadQuery when there is nothing to keep, it makes no sense, or too many are kept.
    """
    name = " ".join(name.split())
    if not name or len(name) > NAME_MAX or storable(name, NAME_MAX) != name:
        raise BadQuery(
            say("A saved filter needs a name of up to {name_max} characters.", name_max=NAME_MAX)
        )
    if HandFilters.parse(query) == HandFilters():
        raise BadQuery(say("There is no filter to save: narrow the list first."))
    others = SavedFilter.objects.filter(account_id=account_id).exclude(name=name)
    if others.count() >= KEPT_MAX:
        raise BadQuery(
            say("{kept_max} filters are saved already: delete one first.", kept_max=KEPT_MAX)
        )
    SavedFilter.objects.update_or_create(
        account_id=account_id, name=name, defaults={"query": urlencode(query)}
    )


def delete_filter(*, account_id: int, filter_id: int) -> None:
    """Drop one's own filter; nothing happens where it is gone already, or is another's."""
    SavedFilter.objects.filter(pk=filter_id, account_id=account_id).delete()
