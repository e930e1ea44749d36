"""What counts as a significant event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

# In the order of the report.
TITLES = {
    "large-win": "Large win",
    "large-wager": "Large wager",
    "void": "Void hand",
    "restatement": "Restated hand",
    "decided": "Decision at the desk",
    "reopened": "Case reopened",
    "withdrawn": "Case withdrawn",
    "undone": "Bulk act undone",
    "proposed": "Remedies proposed",
    "approved": "Remedies approved",
    "rejected": "Remedies rejected",
    "exported": "Remedies exported",
    "reaudit": "Re-audit",
    "ruleset": "Change of rules",
    "out-of-force": "Hand that names rules not in force",
    "day-rule": "Gaming day set",
    "self-check": "Self-check failed",
    "altered": "Altered row",
    "sign-in": "Failed sign-in",
    "clock": "Clock step",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One event of a kind of TITLES; texts are empty where there is nothing to say.

    `amount` is written with the decimals of its currency; `hand` is the number of a stored hand.
    """

    at: datetime
    kind: str
    source: str = ""
    table: str = ""
    subject: str = ""
    by: str = ""
    currency: str = ""
    amount: str | None = None
    detail: str = ""
    hand: int | None = None
