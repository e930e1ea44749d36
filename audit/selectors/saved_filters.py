"""The filters that a person has saved."""

from __future__ import annotations

from dataclasses import dataclass

from audit.models import SavedFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFilterRow:
    """One saved filter; `query` is what stands behind the address of the list of hands."""

    pk: int
    name: str
    query: str


def saved_filters(account_id: int) -> tuple[SavedFilterRow, ...]:
    """A person's own filters by name."""
    rows = SavedFilter.objects.filter(account_id=account_id).order_by("name")
    return tuple(
        SavedFilterRow(pk=pk, name=name, query=query)
        for pk, name, query in rows.values_list("pk", "name", "query")
    )
