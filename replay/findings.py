"""What the replay disagrees with: findings, their codes and the order they stand in (FORMAT 3).

A finding is data. Raising is for bad input, `assert` for our own faults; see docs/architecture.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

Severity = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One disagreement, as it stands in a verdict.

    `event` is the 0-based index in `events`, or None; `logged` and `expected` are texts in the
    forms of FORMAT 6.5; `rule` is a rule id of the rulebook.
    """

    code: str
    severity: Severity = "error"
    event: int | None = None
    seat: int | None = None
    subject: str | None = None
    logged: str | None = None
    expected: str | None = None
    rule: str | None = None
    confidence: str | None = None
    follows: bool = False
    explained_by: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A finding code: whether it stops the replay (FORMAT 6.3, 19), its severity and its words.

    `across`: it is about the hand before at the table (FORMAT 6.6), which `compare` finds.
    """

    code: str
    title: str
    stops: bool = False
    severity: Severity = "error"
    across: bool = False


CODES: dict[str, Code] = {
    code.code: code
    for code in (
        Code("event-order", "An event out of its place, doubled or missing", stops=True),
        Code("time-backwards", "The clock of the log goes backwards"),
        Code("out-of-turn", "A seat acts when it is another's turn", stops=True),
        Code("tile-excess", "A tile appears more often than the set holds it", stops=True),
        Code("deal-count", "A seat gets the wrong number of tiles", stops=True),
        Code("deal-order", "The deal does not run as the dice say", stops=True),
        Code("deal-wall", "The deal does not follow from the logged wall", stops=True),
        Code("tile-not-held", "A tile that the seat does not hold", stops=True),
        Code("bid-illegal", "A bid that was not offered", stops=True),
        Code("bet-illegal", "A bet that was not offered", stops=True),
        Code("auto-default", "A time-out that is not the default", stops=True),
        Code("banker-wrong", "A banker who is not among the highest bidders", stops=True),
        Code("banker-multiple", "The banker's multiple is not the bid", stops=True),
        Code("reveal-order", "A reveal out of its turn", stops=True),
        Code("rank-mismatch", "The logged rank is not that of the tiles"),
        Code("compare-mismatch", "The logged comparison went to the wrong side"),
        Code("lead-illegal", "Tiles that may not be led", stops=True),
        Code("follow-illegal", "A follow that the rules refuse", stops=True),
        Code(
            "not-eligible", "A face-up play by a seat that may not take the last trick", stops=True
        ),
        Code("declaration-invalid", "A declaration that the rules refuse", stops=True),
        Code("trick-mismatch", "The logged trick is not the one that was played"),
        Code("bonus-mismatch", "The logged immediate payment is not the one that was earned"),
        Code("winner-mismatch", "The logged winner is not the seat that took the last trick"),
        Code("tricks-mismatch", "The logged tricks differ from those taken"),
        Code("units-mismatch", "The logged units differ from those due"),
        Code("next-mismatch", "The logged next banker differs"),
        Code("wager-illegal", "A wager that the rules refuse", stops=True),
        Code("wager-hedged", "Win and lose on one door", severity="warning"),
        Code("outcome-mismatch", "The logged outcome of a door differs"),
        Code("profit-mismatch", "The logged profit differs from the one due"),
        Code("theoretical-mismatch", "The theoretical amount differs"),
        Code("gross-mismatch", "The gross result differs"),
        Code("rake-mismatch", "The rake differs"),
        Code("net-mismatch", "The net result differs"),
        Code("valid-bet-mismatch", "The valid bet volume differs"),
        Code("carry-out-mismatch", "The amount carried out differs"),
        Code("not-conserved", "The logged figures do not balance"),
        Code("result-missing", "The hand has no result"),
        Code("round-tile-reused", "A tile was dealt again before a new shuffle", across=True),
        Code(
            "round-incomplete",
            "The second hand of a round is missing",
            severity="warning",
            across=True,
        ),
        Code(
            "carry-discontinuity",
            "Carry-in is not the last carry-out",
            severity="warning",
            across=True,
        ),
        Code("banker-succession", "The bank went to the wrong seat", across=True),
        Code("streak-mismatch", "The length of the bank is wrong", across=True),
    )
}


def finding(
    code: str,
    *,
    event: int | None = None,
    seat: int | None = None,
    subject: str | None = None,
    logged: object = None,
    expected: object = None,
    rule: str | None = None,
    follows: bool = False,
) -> Finding:
    """Make a finding with the severity of its code; numbers become texts (FORMAT 6.4, 28)."""
    return Finding(
        code=code,
        severity=CODES[code].severity,
        event=event,
        seat=seat,
        subject=subject,
        logged=None if logged is None else str(logged),
        expected=None if expected is None else str(expected),
        rule=rule,
        follows=follows,
    )


def joined(values: object) -> str:
    """Write a list as findings do: joined by commas, no blanks (FORMAT 6.4, 28)."""
    assert isinstance(values, (list, tuple))
    return ",".join(str(value) for value in values)
