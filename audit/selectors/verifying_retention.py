"""Verifying retention runs: what a certificate says was deleted, against the log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from audit.models import RetentionRun, RetentionState
from audit.selectors.retention import deleted_leaves
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
