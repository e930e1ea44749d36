"""The counts of an upload in words, for whoever hands files in without a page."""

from __future__ import annotations

from collections.abc import Collection

from audit import selectors


def counts_of(row: selectors.UploadRow, *, always: Collection[str] = ()) -> str:
    """What came of the lines of an upload, as `2 clean, 1 rejected`.

    What was counted as none is left out, unless its word is among `always`.
    """
    words = (
        ("clean", row.clean),
        ("consistent, not all checkable", row.consistent),
        ("discrepant", row.discrepant),
        ("void", row.void),
        ("rejected", row.rejected),
        ("not audited", row.failed),
        ("discrepant after the hand before", row.turned),
        ("known before", row.duplicates),
        ("in conflict", row.conflicts),
        ("restated", row.restated),
    )
    return ", ".join(f"{count:,} {word}" for word, count in words if count or word in always)
