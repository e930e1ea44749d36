"""Rows that name a row which is not there.

Where the database does not check a foreign key row by row (`db_constraint=False`), this looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection, models

_MISSING = """
SELECT count(*), min(o."{key}") FROM "{table}" o
WHERE o."{column}" IS NOT NULL {window}
    AND NOT EXISTS (SELECT FROM "{target}" t WHERE t."{target_column}" = o."{column}")
"""
# What may name something that went under a retention run: a hold that was lifted, and a comparison
# with a verdict of which its leaf's words were kept.
_MAY_BE_GONE = {("audit_legalhold", "hand_id"), ("audit_legalhold", "case_id")}
_EARLIER = ("audit_comparison", "earlier_id")
_DEPARTED = "AND NOT EXISTS (SELECT FROM audit_departedverdict d WHERE d.verdict = o.earlier_id)"
# A number and no subquery, so that the planner knows how few rows it has to look at.
_LAST = 'SELECT max("{key}") FROM "{table}"'
_WINDOW = 'AND o."{key}" > %s'


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`rows` rows of `table` name in `column` what is not there; `first` is the key of one."""

    table: str
    column: str
    rows: int
    first: int | None


def missing_references(*, newest: int | None = None) -> tuple[Reference, ...]:
    """Each column that the database does not check, in order; of its `newest` rows, or of all."""
    found = []
    with connection.cursor() as cursor:
        for field in _unchecked():
            table = field.model._meta.db_table  # noqa: SLF001 - it is public
            rows, first = _missing(cursor, field, newest)
            found.append(Reference(table=table, column=field.column, rows=rows, first=first))
    return tuple(found)


def _unchecked() -> list[models.ForeignKey[Any, Any]]:
    fields = [
        field
        for model in apps.get_app_config("audit").get_models()
        for field in model._meta.local_fields  # noqa: SLF001
        if isinstance(field, models.ForeignKey)
        and not field.db_constraint  # type: ignore[attr-defined]
        and (model._meta.db_table, field.column) not in _MAY_BE_GONE  # noqa: SLF001
    ]
    return sorted(fields, key=lambda field: (field.model._meta.db_table, field.column))  # noqa: SLF001


def _missing(
    cursor: Any, field: models.ForeignKey[Any, Any], newest: int | None
) -> tuple[int, int | None]:
    """How many rows name what is not there, and the key of the first."""
    key = field.model._meta.pk  # noqa: SLF001
    assert key is not None
    parts = {
        "key": key.column,
        "table": field.model._meta.db_table,  # noqa: SLF001
        "column": field.column,
        "target": field.target_field.model._meta.db_table,  # noqa: SLF001
        "target_column": field.target_field.column,
    }
    known = _DEPARTED if (parts["table"], parts["column"]) == _EARLIER else ""
    if newest is None:
        cursor.execute(_MISSING.format(window=known, **parts))
    else:
        cursor.execute(_LAST.format(**parts))
        (last,) = cursor.fetchone()
        window = f"{_WINDOW.format(**parts)} {known}"
        cursor.execute(_MISSING.format(window=window, **parts), [(last or 0) - newest])
    rows, first = cursor.fetchone()
    return rows, first
