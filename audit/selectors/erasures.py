"""People who were erased: by whom, when, why, and what stands for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from audit.models import Erasure
from audit.selectors.access import Sources

ERASURES_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRow:
    """An act of erasure; `counts` are the rows that it rewrote by table, `left` what it could not
    judge, in words with a number."""

    pk: int
    source: str
    token: str
    reason: str
    ground: str
    asked_by: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    counts: dict[str, int]
    left: dict[str, int]


def list_erasures(*, sources: Sources) -> tuple[ErasureRow, ...]:
    """Acts of erasure, the newest first."""
    rows = Erasure.objects.order_by("-pk")
    if sources is not None:
        rows = rows.filter(source__in=sources)
    return tuple(_rows(rows[:ERASURES_SHOWN]))


def erasures_of(tokens: Iterable[str], *, sources: Sources) -> dict[str, ErasureRow]:
    """The acts by which these names came to be tokens, by token."""
    rows = Erasure.objects.filter(token__in=list(tokens)).order_by("pk")
    if sources is not None:
        rows = rows.filter(source__in=sources)
    return {row.token: row for row in _rows(rows)}


def _rows(rows: Any) -> list[ErasureRow]:
    names = (
        "pk", "source", "token", "reason", "ground", "asked_by__username", "state", "started_at",
        "finished_at", "counts", "left",
    )  # fmt: skip
    return [
        ErasureRow(**{name.split("__")[0]: value for name, value in zip(names, row, strict=True)})
        for row in rows.values_list(*names)
    ]
