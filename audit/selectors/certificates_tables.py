"""The tables that hands or refused lines were seen at."""

from __future__ import annotations

from audit.models import Table
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources

TABLES_MAX = 2_000


def known_tables(*, sources: Sources) -> tuple[tuple[str, str], ...]:
    """Source and name of at most TABLES_MAX tables, in the order of their code points."""
    found = Table.objects.filter(in_sources(sources)).order_by("source", "name")
    return tuple(found.values_list("source", "name")[:TABLES_MAX])
