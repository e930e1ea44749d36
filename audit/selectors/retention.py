"""How long what is kept, what is held, and what went under which run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from audit.models import (
    LeafKind,
    LegalHold,
    RecordClass,
    RetentionRun,
    RetentionTerm,
    TermUnit,
)
from audit.selectors.access import Sources
from replay.evidence import Frontier

# What holds where nobody ever set a term, as `audit_retention_in_force` has it, too.
DEFAULTS = dict.fromkeys(RecordClass, (10, TermUnit.YEAR)) | {
    RecordClass.ATTACHMENTS: (90, TermUnit.DAY)
}
HOLDS_SHOWN, RUNS_SHOWN, TERMS_SHOWN = 200, 100, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TermInForce:
    """How long a class is kept in a source, None for each source without a term of its own.

    `is_own`: somebody set it for just this. `cutoff_at`: what was received before is of age.
    """

    record_class: RecordClass
    source: str | None
    term: int | None
    count: int
    unit: TermUnit
    cutoff_at: datetime
    is_own: bool

    @property
    def words(self) -> str:
        return term_words(self.count, self.unit)


def term_words(count: int, unit: str) -> str:
    """`10 years`, `1 day`."""
    plural = TermUnit(unit).label
    return f"{count:,} {plural if count != 1 else plural[:-1]}"


# A class with a source; None: what belongs to no source.
Place = tuple[RecordClass, str | None]

_IN_FORCE = """
SELECT f.term, f.cutoff, t.count, t.unit, t.source
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY p (class, source, number)
CROSS JOIN LATERAL audit_retention_in_force(p.class, p.source) f
LEFT JOIN audit_retentionterm t ON t.id = f.term
ORDER BY p.number
"""


def terms_in_force(places: Sequence[Place]) -> tuple[TermInForce, ...]:
    """The term at each of these places, in their order; for None the longest of all, by which goes
    what belongs to no source. One question, and so one moment."""
    with connection.cursor() as cursor:
        cursor.execute(
            _IN_FORCE, [[name.value for name, _ in places], [source for _, source in places]]
        )
        found = cursor.fetchall()
    return tuple(_term(*place, *row) for place, row in zip(places, found, strict=True))


def term_in_force(record_class: RecordClass, source: str | None) -> TermInForce:
    """The term of a class in a source; see `terms_in_force`."""
    return terms_in_force([(record_class, source)])[0]


def _term(
    record_class: RecordClass,
    source: str | None,
    term: int | None,
    cutoff: datetime,
    count: int,
    unit: str,
    of_source: str | None,
) -> TermInForce:
    if term is None:
        count, unit = DEFAULTS[record_class]
    return TermInForce(
        record_class=record_class,
        source=source,
        term=term,
        count=count,
        unit=TermUnit(unit),
        cutoff_at=cutoff,
        is_own=term is not None and of_source == source,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A term as it was set; `is_in_force`: none was set since for the same."""

    pk: int
    record_class: RecordClass
    source: str | None
    words: str
    reason: str
    set_by: str
    set_at: datetime
    is_in_force: bool


def list_terms(*, sources: Sources) -> tuple[TermRow, ...]:
    """Every term that was ever set, the newest first; those for each source are shown to all."""
    rows = RetentionTerm.objects.order_by("-pk")
    found, seen = [], set()
    for pk, name, source, count, unit, reason, by, at in rows.values_list(
        "pk", "record_class", "source", "count", "unit", "reason", "set_by__username", "set_at"
    ):
        is_newest = (name, source) not in seen
        seen.add((name, source))
        if source is None or sources is None or source in sources:
            found.append(
                TermRow(
                    pk=pk,
                    record_class=RecordClass(name),
                    source=source,
                    words=term_words(count, unit),
                    reason=reason,
                    set_by=by,
                    set_at=at,
                    is_in_force=is_newest,
                )
            )
    return tuple(found[:TERMS_SHOWN])


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRow:
    """A legal hold; `hand_name` is the id of its hand in the log. It stands until it is lifted."""

    pk: int
    source: str
    hand: int | None
    hand_name: str | None
    case: int | None
    reason: str
    placed_by: str
    placed_at: datetime
    lifted_by: str | None
    lifted_at: datetime | None
    lifted_because: str | None


def list_holds(*, sources: Sources) -> tuple[HoldRow, ...]:
    """Holds, those that stand first, then the newest."""
    rows = LegalHold.objects.order_by("end__lifted_at", "-pk")
    if sources is not None:
        rows = rows.filter(source__in=sources)
    return tuple(
        HoldRow(
            pk=pk, source=source, hand=hand, hand_name=name, case=case, reason=reason,
            placed_by=by, placed_at=at, lifted_by=lifted_by, lifted_at=lifted_at,
            lifted_because=because,
        )
        for pk, source, hand, name, case, reason, by, at, lifted_by, lifted_at, because in sorted(
            rows.values_list(
                "pk", "source", "hand_id", "hand__hand_id", "case_id", "reason",
                "placed_by__username", "placed_at", "end__lifted_by__username",
                "end__lifted_at", "end__reason",
            )[:HOLDS_SHOWN],
            key=lambda row: row[9] is not None,
        )
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A retention run; `root` in hexadecimal and `certificate` when it is done."""

    pk: int
    record_class: RecordClass
    source: str | None
    cutoff_at: datetime
    reason: str
    asked_by: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    items: int
    leaves: int
    root: str
    certificate: str
    sha256: str


def list_runs(*, sources: Sources) -> tuple[RunRow, ...]:
    """Runs, the newest first."""
    rows = RetentionRun.objects.order_by("-pk")
    if sources is not None:
        rows = rows.filter(source__in=sources)
    return tuple(_runs(rows[:RUNS_SHOWN]))


def get_run(pk: int, *, sources: Sources) -> RunRow | None:
    """One run; None where there is none in these sources."""
    rows = RetentionRun.objects.filter(pk=pk)
    if sources is not None:
        rows = rows.filter(source__in=sources)
    return next(_runs(rows), None)


def _runs(rows: Any) -> Iterator[RunRow]:
    for (
        pk, name, source, cutoff, reason, by, state, started, finished, items, leaves, root, text,
        sha256,
    ) in rows.values_list(
        "pk", "record_class", "source", "cutoff_at", "reason", "asked_by__username", "state",
        "started_at", "finished_at", "item_count", "leaf_count", "root", "certificate", "sha256",
    ):  # fmt: skip
        yield RunRow(
            pk=pk, record_class=RecordClass(name), source=source, cutoff_at=cutoff, reason=reason,
            asked_by=by, state=state, started_at=started, finished_at=finished, items=items,
            leaves=leaves, root="" if root is None else bytes(root).hex(), certificate=text,
            sha256="" if sha256 is None else bytes(sha256).hex(),
        )  # fmt: skip


# -- what went ------------------------------------------------------------------------------


def runs_of_deleted(kind: LeafKind, rows: Sequence[int]) -> dict[int, int]:
    """Under which run each of these rows of a kind of leaf was deleted, for those that were."""
    if not rows:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT one, b.run_id
            FROM audit_retentiondeletion d
            JOIN audit_retentionbatch b ON b.id = d.batch_id
            CROSS JOIN LATERAL unnest(d.rows) one
            WHERE d.kind = %s AND d.rows && %s::bigint[] AND one = ANY(%s)
            """,
            [kind.value, list(rows), list(rows)],
        )
        return dict(cursor.fetchall())


_DELETED_LEAVES = """
SELECT l.hash
FROM audit_retentionbatch b
JOIN audit_retentiondeletion d ON d.batch_id = b.id
CROSS JOIN LATERAL unnest(d.rows) one
JOIN audit_sealedleaf l ON l.kind = d.kind AND l.row = one
WHERE b.run_id = %s ORDER BY l.index
"""


def deleted_leaves(run: int) -> tuple[int, bytes]:
    """How many leaves the rows had that a run deleted, and the root over them in their order."""
    frontier = Frontier()
    with connection.chunked_cursor() as cursor:
        cursor.execute(_DELETED_LEAVES, [run])
        for (found,) in cursor:
            frontier.append(bytes(found))
    return frontier.size, frontier.root()
