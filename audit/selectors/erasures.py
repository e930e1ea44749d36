"""People who were erased: by whom, when, why, and what stands for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from audit.models import Erasure, LeafKind
from audit.selectors.access import Sources
from audit.selectors.sealed_rows import SEALED
from replay.evidence import leaf_data

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


# The columns of each kind that an erasure may rewrite and that stay as it left them; what else a
# row has is in its own leaf.
REWRITTEN: Mapping[LeafKind, tuple[str, ...]] = {
    LeafKind.VERSION: ("raw", "sha256"),
    LeafKind.VERDICT: ("settlement", "digest"),
    LeafKind.FINDING: ("subject",),
    LeafKind.COMPARISON: ("digest",),
    LeafKind.COMPARISON_FINDING: ("subject",),
    LeafKind.DUPLICATE: ("raw", "sha256"),
    LeafKind.REFUSAL: ("raw", "sha256", "reason"),
    LeafKind.UPLOAD: ("name", "restatement", "sha256"),
    LeafKind.SOFTWARE: ("reason",),
    LeafKind.CERTIFICATE: ("facts", "content", "sha256"),
    LeafKind.CASE_ACT: ("text",),
    LeafKind.CLAIM: ("player", "text"),
    LeafKind.REMEDY_ENTRY: ("player",),
    LeafKind.REMEDY_EXPORT: ("csv", "json"),
    LeafKind.BULK_ACT: ("reason",),
    LeafKind.NAME_DECISION: ("name", "other", "reason"),
    # Files of reports are large, and are summed up where they are.
    LeafKind.REPORT: (
        "parameters",
        "series",
        "body_sha256",
        "sha256(json)",
        "sha256(csv)",
        "sha256(pdf)",
        "note",
    ),
    LeafKind.RETENTION_TERM: ("reason",),
    LeafKind.LEGAL_HOLD: ("reason",),
    LeafKind.HOLD_END: ("reason",),
    LeafKind.RETENTION_RUN: ("reason", "certificate", "sha256"),
    LeafKind.ERASURE: ("reason", "ground"),
    LeafKind.JOURNAL: ("player", "subject", "detail"),
    LeafKind.REVIEW: ("note",),
    LeafKind.INCIDENT: ("place", "detail"),
    LeafKind.RULESET: ("reason",),
    LeafKind.RULESET_PUBLICATION: ("publish_reason", "unrehearsed_reason"),
    LeafKind.RULESET_SWITCH: ("reason",),
}


def content_sha256(kind: LeafKind, rows: Mapping[int, int]) -> Iterator[tuple[int, bytes]]:
    """The keys of erased rows with the sum over what their rows hold; `rows` are keys by row."""
    table = SEALED[kind].table
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, {', '.join(REWRITTEN[kind])} FROM {table}"  # noqa: S608 - from constants
            " WHERE id = ANY(%s)",
            [list(rows)],
        )
        for row, *values in cursor:
            yield rows[row], hashlib.sha256(leaf_data("erased", row, values)).digest()
