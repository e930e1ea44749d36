"""What a hand is counted as: the kind of its verdict, or `conflict` where its records contradict
each other, for then none of their verdicts is the hand's.

`verdict_kind` of such a hand is the gravest that one of its records has: lists are searched by it.
"""

from __future__ import annotations

from audit.models import HandKind

# Of a hand `h`.
KIND = f"CASE WHEN h.is_conflict THEN '{HandKind.CONFLICT.value}' ELSE h.verdict_kind END"


def kind_of(verdict_kind: str, *, is_conflict: bool) -> str:
    """The same for a hand that was read."""
    return HandKind.CONFLICT.value if is_conflict else verdict_kind
