"""Verifying what was deleted and what was erased: certificates of runs, rows as acts left them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.db import connection

from audit.models import RetentionRun, RetentionState
from audit.selectors.erasures import REWRITTEN, content_sha256
from audit.selectors.retention import deleted_leaves, runs_of_deleted
from audit.selectors.verifying import Verification


def verify_runs(state: Verification) -> Iterator[None]:
    """Look whether each run deleted the leaves that its certificate names; yields after each."""
    done = RetentionRun.objects.filter(state=RetentionState.DONE).order_by("pk")
    for pk, count, root, text, sha256 in done.values_list(
        "pk", "leaf_count", "root", "certificate", "sha256"
    ):
        name = f"retention run {pk}"
        if hashlib.sha256(text.encode()).digest() != bytes(sha256 or b""):
            state.add(f"{name}: its certificate was altered")
        if deleted_leaves(pk) != (count, bytes(root or b"")):
            state.add(f"{name}: what it deleted is not what its certificate says")
        yield


ROWS_AT_ONCE = 2_000
# The newest act over each row, in the order of its key.
_ERASED = """
SELECT e.id, e.row, e.sha256, e.erasure_id FROM audit_erasedrow e
WHERE e.kind = %s AND e.row > %s AND NOT EXISTS (
    SELECT FROM audit_erasedrow n WHERE n.kind = e.kind AND n.row = e.row AND n.id > e.id
)
ORDER BY e.row LIMIT %s
"""


def verify_erasures(state: Verification) -> Iterator[None]:
    """Look whether each row that an erasure rewrote is as it was left; yields batch by batch."""
    for kind in REWRITTEN:
        last = 0
        while True:
            with connection.cursor() as cursor:
                cursor.execute(_ERASED, [kind.value, last, ROWS_AT_ONCE])
                found = cursor.fetchall()
            if not found:
                break
            last = found[-1][1]
            sums = dict(content_sha256(kind, {row: pk for pk, row, _, _ in found}))
            gone = runs_of_deleted(kind, [row for pk, row, _, _ in found if pk not in sums])
            for pk, row, sha256, act in found:
                if sums.get(pk) != bytes(sha256) and row not in gone:
                    words = f"not as act E-{act} left it when a name was erased"
                    state.add(f"{kind.label} {row}: {words}")
            yield
