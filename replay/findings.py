"""What the replay disagrees with: findings, their codes and the order they stand in (FORMAT 3).

A finding is data. Raising is for bad input, `assert` for our own faults; see docs/architecture.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from replay.telling import say

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
        Code("event-order", say("An event out of its place, doubled or missing"), stops=True),
        Code("time-backwards", say("The clock of the log goes backwards")),
        Code("out-of-turn", say("A seat acts when it is another's turn"), stops=True),
        Code("tile-excess", say("A tile appears more often than the set holds it"), stops=True),
        Code("deal-count", say("A seat gets the wrong number of tiles"), stops=True),
        Code("deal-order", say("The deal does not run as the dice say"), stops=True),
        Code("deal-wall", say("The deal does not follow from the logged wall"), stops=True),
        Code("tile-not-held", say("A tile that the seat does not hold"), stops=True),
        Code("bid-illegal", say("A bid that was not offered"), stops=True),
        Code("bet-illegal", say("A bet that was not offered"), stops=True),
        Code("auto-default", say("A time-out that is not the default"), stops=True),
        Code("banker-wrong", say("A seat that the bids do not make banker"), stops=True),
        Code("banker-multiple", say("The banker's multiple is not the bid"), stops=True),
        Code("reveal-order", say("A reveal out of its turn"), stops=True),
        Code("rank-mismatch", say("The logged rank is not that of the tiles")),
        Code("compare-mismatch", say("The logged comparison went to the wrong side")),
        Code("lead-illegal", say("Tiles that may not be led"), stops=True),
        Code("follow-illegal", say("A follow that the rules refuse"), stops=True),
        Code(
            "not-eligible",
            say("A face-up play by a seat that may not take the last trick"),
            stops=True,
        ),
        Code("declaration-invalid", say("A declaration that the rules refuse"), stops=True),
        Code("trick-mismatch", say("The logged trick is not the one that was played")),
        Code("bonus-mismatch", say("The logged immediate payment is not the one that was earned")),
        Code("winner-mismatch", say("The logged winner is not the seat that ended the hand")),
        Code("tricks-mismatch", say("The logged tricks differ from those taken")),
        Code("units-mismatch", say("The logged units differ from those due")),
        Code("next-mismatch", say("The logged next banker differs")),
        Code("wager-illegal", say("A wager that the rules refuse"), stops=True),
        Code("wager-hedged", say("Win and lose on one door"), severity="warning"),
        Code("outcome-mismatch", say("The logged outcome of a door differs")),
        Code("profit-mismatch", say("The logged profit differs from the one due")),
        Code("theoretical-mismatch", say("The theoretical amount differs")),
        Code("gross-mismatch", say("The gross result differs")),
        Code("rake-mismatch", say("The rake differs")),
        Code("net-mismatch", say("The net result differs")),
        Code("valid-bet-mismatch", say("The valid bet volume differs")),
        Code("carry-out-mismatch", say("The amount carried out differs")),
        Code("not-conserved", say("The logged figures do not balance")),
        Code("result-missing", say("The hand has no result")),
        Code("round-tile-reused", say("A tile was dealt again before a new shuffle"), across=True),
        Code(
            "round-incomplete",
            say("The second hand of a round is missing"),
            severity="warning",
            across=True,
        ),
        Code(
            "carry-discontinuity",
            say("Carry-in is not the last carry-out"),
            severity="warning",
            across=True,
        ),
        Code("banker-succession", say("The bank went to the wrong seat"), across=True),
        Code("streak-mismatch", say("The length of the bank is wrong"), across=True),
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
