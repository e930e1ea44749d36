"""Records that lack facts, as operators' feeds do: what they lack has a name.

A check that needs it is not made, and the verdict says so (docs/importers/README.md).

A complete hand never comes here: hand-log/1 and verdict/1 know nothing of gaps.
"""

from __future__ import annotations

from replay.partial.audit import (
    PartiallyAudited,
    Readable,
    audit_partial,
    is_partial,
    judge_partial,
    read_partial,
    reject_partial,
)
from replay.partial.gaps import CHECKS, GAPS, Check, Gap
from replay.partial.pai_gow_record import PartialPaiGow, PartialSeat
from replay.partial.record import (
    FORMAT,
    Assumption,
    PartialHand,
    is_local_time,
)
from replay.partial.verdict import NotCheckable, PartialVerdict
from replay.partial.wenzhou import PartialWager, PartialWenzhou

__all__ = [
    "CHECKS", "FORMAT", "GAPS",
    "Assumption", "Check", "Gap", "NotCheckable", "PartialHand", "PartialPaiGow", "PartialSeat",
    "PartialVerdict", "PartialWager", "PartialWenzhou", "PartiallyAudited",
    "Readable", "audit_partial", "is_local_time", "is_partial", "judge_partial", "read_partial",
    "reject_partial",
]  # fmt: skip
