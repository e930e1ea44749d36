"""Certificates as documents and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from audit.selectors.certificates import CertificateDetail, CertificateRow
from audit.selectors.certificates_content import instant_text
from audit.selectors.exports_sheet import Cell, Plain

CERTIFICATE_COLUMNS = (
    "number", "source", "table", "day", "edition", "complete", "hands", "missing", "refused",
    "standing", "made_at", "made_by", "engine", "sha256",
)  # fmt: skip


def document_of(detail: CertificateDetail) -> dict[str, Any]:
    """One certificate whole. `sha256` is over the canonical JSON of `certificate`; `changes` tell
    where the facts of now differ, null where the day is too large for it to be looked up here."""
    row = detail.row
    return {
        **head_of(row),
        "certificate": detail.content,
        "changes": None
        if detail.changes is None
        else [
            {"path": one.path, "then": one.values[0], "now": one.values[1]}
            for one in detail.changes
        ],
    }


def head_of(row: CertificateRow) -> dict[str, Any]:
    """What a list says of a certificate."""
    return {
        "number": row.pk,
        "source": row.source,
        "table": row.table,
        "day": row.day.isoformat(),
        "edition": row.edition,
        "is_complete": row.is_complete,
        "hands": row.hands,
        "missing": row.missing,
        "refused": row.refused,
        "standing": row.standing,
        "made_at": instant_text(row.made_at),
        "made_by": row.made_by,
        "engine": row.engine,
        "sha256": row.sha256,
    }


def certificate_rows(rows: Iterable[CertificateRow]) -> Iterator[tuple[Cell, ...]]:
    """A list of certificates."""
    for row in rows:
        yield (
            row.pk,
            row.source,
            row.table,
            Plain(row.day.isoformat()),
            row.edition,
            "yes" if row.is_complete else "no",
            row.hands,
            row.missing,
            row.refused,
            row.standing,
            Plain(instant_text(row.made_at)),
            row.made_by,
            row.engine,
            row.sha256,
        )


def content_rows(detail: CertificateDetail) -> Iterator[tuple[Cell, ...]]:
    """One certificate as paths and values; an empty list or object has a row of its own."""
    for name, value in head_of(detail.row).items():
        yield name, _cell(value)
    yield from _leaves("certificate", detail.content)


def _leaves(path: str, value: Any) -> Iterator[tuple[Cell, ...]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(f"{path}.{key}", value[key])
    elif isinstance(value, list) and value:
        for number, one in enumerate(value):
            yield from _leaves(f"{path}.{number}", one)
    else:
        yield path, None if isinstance(value, dict | list) else _cell(value)


def _cell(value: str | int | bool | None) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
