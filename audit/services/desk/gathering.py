"""Finding the hands that belong into a case, or no longer do, without a word from who stored them.

Three walks, each in key order with a mark of its own, so that any of them can be cut off and goes
on later:

* new findings (`finding`, `comparisonfinding`): quick, by a high-water mark. Keys are drawn before
  their rows are committed, so the mark moves only over keys that were drawn by transactions which
  have all ended: see `_complete_through`.
* dockets (`docket`): hands looked at before whose current verdict or comparison is another now,
  because they were restated, audited again, or compared with another hand; those that are in
  conflict since, or no longer; and those for which another hand stands now.
* hands (`hand`): every stored hand with findings has a docket. This one finds nothing as long as
  the first does what it says; it makes sure that no fault of ours hides a hand for good.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection, transaction

from audit.models import GatherMark
from audit.selectors.months import in_month_of
from audit.services.desk.filing import file_hands

# Hands that are filed in one transaction; whoever decides one of their cases waits so long.
BATCH = 1_000
# Rows that a walk reads at once where few of them are of interest.
STRIDE = 20_000
# What one call looks at of the hands that are known already; a million take ten calls.
DOCKET_STRIDES = 5
SECONDS = 20.0

_VERSION = "JOIN audit_handversion v ON v.id = w.version_id AND " + in_month_of(
    "v.hand_id", "w.version_id"
)
_VERDICT = "JOIN audit_verdict w ON w.id = {of} AND " + in_month_of("w.version_id", "{of}")

_HANDS_OF = {
    "finding": f"""
        SELECT f.id, v.hand_id
        FROM (
            SELECT id, verdict_id FROM audit_finding
            WHERE id > %(after)s AND id <= %(through)s ORDER BY id LIMIT %(limit)s
        ) f
        {_VERDICT.format(of="f.verdict_id")}
        {_VERSION}
        ORDER BY f.id
    """,  # noqa: S608 - from constants
    "comparisonfinding": f"""
        SELECT f.id, v.hand_id
        FROM (
            SELECT id, comparison_id FROM audit_comparisonfinding
            WHERE id > %(after)s AND id <= %(through)s ORDER BY id LIMIT %(limit)s
        ) f
        JOIN audit_comparison c ON c.id = f.comparison_id
        {_VERDICT.format(of="c.verdict_id")}
        {_VERSION}
        ORDER BY f.id
    """,  # noqa: S608 - from constants
}

# The last key of a stride, and whether the walk comes to its end with it.
_STRIDE = """
SELECT max(k), count(*) < %(limit)s FROM (
    SELECT {key} AS k FROM {table} WHERE {key} > %(after)s ORDER BY {key} LIMIT %(limit)s
) stride
"""

_CHANGED = """
SELECT d.hand_id FROM audit_docket d JOIN audit_hand h ON h.id = d.hand_id
WHERE d.hand_id > %(after)s AND d.hand_id <= %(through)s
    AND (h.verdict_id <> d.verdict_id OR h.comparison_id IS DISTINCT FROM d.comparison_id
        OR h.contending_verdicts IS DISTINCT FROM d.contending_verdicts
        OR h.is_replaced AND d.member_id IS NOT NULL)
ORDER BY d.hand_id
"""

_UNSEEN = """
SELECT h.id FROM audit_hand h
WHERE h.id > %(after)s AND h.id <= %(through)s AND h.finding_count > 0
    AND NOT EXISTS (SELECT FROM audit_docket d WHERE d.hand_id = h.id)
ORDER BY h.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """How many hands moved, and whether all walks came to their ends in the time given."""

    hands: int
    is_done: bool


def gather_cases(*, seconds: float = SECONDS) -> Gathered:
    """Bring the cases up to what is stored now. Safe to run twice, and beside itself.

    Stops after so many seconds and tells so; the next call goes on from there.
    """
    until = time.monotonic() + seconds
    hands = 0
    for walk in (_walk_findings, _walk_dockets, _walk_hands):
        for moved in walk():
            hands += moved
            if time.monotonic() > until:
                return Gathered(hands=hands, is_done=False)
    return Gathered(hands=hands, is_done=True)


def _walk_findings() -> Iterable[int]:
    for stream in _HANDS_OF:
        while True:
            moved = _finding_batch(stream)
            if moved is None:
                break
            yield moved


def _finding_batch(stream: str) -> int | None:
    """File the hands of the next findings; None where none are left that are complete."""
    with transaction.atomic():
        mark = _mark(stream)
        through = _complete_through(mark)
        if through is None:
            return None
        with connection.cursor() as cursor:
            cursor.execute(
                _HANDS_OF[stream], {"after": mark.done_through, "through": through, "limit": BATCH}
            )
            rows = cursor.fetchall()
        moved = file_hands({hand for _, hand in rows}) if rows else 0
        mark.done_through = rows[-1][0] if len(rows) == BATCH else through
        mark.save(update_fields=["done_through"])
        return moved


def _mark(stream: str) -> GatherMark:
    """The mark of a walk, locked."""
    GatherMark.objects.bulk_create([GatherMark(stream=stream)], ignore_conflicts=True)
    return GatherMark.objects.select_for_update().get(pk=stream)


def _complete_through(mark: GatherMark) -> int | None:
    """The key up to which no finding can still appear; None where nothing is left up to there.

    A writer has its number (xid) before it draws keys. So what has been committed up to
    `seen_through` is all that ever will be, once every transaction with a number below the one
    drawn right after looking, `seen_xid`, has ended.
    """
    with connection.cursor() as cursor:
        if mark.done_through >= mark.seen_through:
            cursor.execute(f"SELECT max(id) FROM audit_{mark.stream}")  # noqa: S608 - our own name
            (newest,) = cursor.fetchone()
            if newest is None or newest <= mark.done_through:
                return None
            cursor.execute("SELECT pg_current_xact_id()::text::bigint")
            (xid,) = cursor.fetchone()
            mark.seen_through, mark.seen_xid = newest, xid
            mark.save(update_fields=["seen_through", "seen_xid"])
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        (oldest,) = cursor.fetchone()
    return mark.seen_through if oldest >= mark.seen_xid else None


def _walk_dockets() -> Iterable[int]:
    """On over the dockets from where the last walk stopped: all of them where they are few."""
    return _along("docket", "audit_docket", "hand_id", _CHANGED, strides=DOCKET_STRIDES)


def _walk_hands() -> Iterable[int]:
    """One stride over the stored hands: there are many, and nothing is expected here."""
    return _along("hand", "audit_hand", "id", _UNSEEN, strides=1)


def _along(stream: str, table: str, key: str, wanted: str, *, strides: int) -> Iterable[int]:
    for _ in range(strides):
        moved, is_end = _stride(stream, _STRIDE.format(table=table, key=key), wanted)
        yield moved
        if is_end:
            return


def _stride(stream: str, statement: str, wanted: str) -> tuple[int, bool]:
    """File what a stride finds; gives how many hands moved, and whether it was the last one."""
    with transaction.atomic():
        mark = _mark(stream)
        with connection.cursor() as cursor:
            cursor.execute(statement, {"after": mark.done_through, "limit": STRIDE})
            through, is_end = cursor.fetchone()
            found: list[int] = []
            if through is not None:
                cursor.execute(wanted, {"after": mark.done_through, "through": through})
                found = [hand for (hand,) in cursor.fetchall()]
        moved = sum(file_hands(part) for part in _parts(found[: 4 * BATCH]))
        if len(found) > 4 * BATCH:
            through, is_end = found[4 * BATCH - 1], False
        mark.done_through = 0 if is_end else through
        mark.save(update_fields=["done_through"])
        return moved, bool(is_end)


def _parts(hands: list[int]) -> Iterable[list[int]]:
    for start in range(0, len(hands), BATCH):
        yield hands[start : start + BATCH]
