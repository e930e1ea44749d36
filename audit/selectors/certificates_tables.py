"""The tables that hands or refused lines were seen at."""

from __future__ import annotations

from audit.models import Table

TABLES_MAX = 2_000


def known_tables() -> tuple[tuple[str, str], ...]:
    """Source and name of at most TABLES_MAX tables, in the order of their code points."""
    return tuple(
        Table.objects.order_by("source", "name").values_list("source", "name")[:TABLES_MAX]
    )
