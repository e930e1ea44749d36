"""Who is exposed in a case, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from audit.selectors.desk_queue import Money

PLAYERS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureRow:
    """What one player got by the log and gets by the rules, over the hands that stand.

    The sums are over the hands in which both are known; `unknown_count` are the others.
    `difference` is recomputed less logged: what the player is still owed, negative for too much.
    """

    player: str
    currency: str
    digits: int
    hand_count: int
    unknown_count: int
    logged: int
    recomputed: int

    @property
    def difference(self) -> int:
        return self.recomputed - self.logged


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The players of a case, the largest difference first; `player_count` counts all of them.

    `netted` is what is still owed when a player's hands are set off against each other.
    """

    rows: tuple[ExposureRow, ...]
    player_count: int
    netted: tuple[Money, ...]


_PLAYERS = """
WITH players AS (
    SELECT m.currency, m.minor_digits, a.player, count(*) AS hands,
        count(*) FILTER (WHERE a.logged_minor IS NULL OR a.recomputed_minor IS NULL) AS unknown,
        coalesce(sum(a.logged_minor) FILTER (WHERE a.recomputed_minor IS NOT NULL), 0) AS logged,
        coalesce(sum(a.recomputed_minor) FILTER (WHERE a.logged_minor IS NOT NULL), 0)
            AS recomputed
    FROM audit_casehand m JOIN audit_caseamount a ON a.member_id = m.id
    WHERE m.case_id = %(case)s AND m.left_at IS NULL
    GROUP BY m.currency, m.minor_digits, a.player
)
"""

_EXPOSURE = f"""
{_PLAYERS}
SELECT player, currency, minor_digits, hands, unknown, logged, recomputed, count(*) OVER ()
FROM players
WHERE logged <> recomputed OR unknown > 0
ORDER BY abs(recomputed - logged) / power(10::numeric, minor_digits) DESC, player, currency
LIMIT %(limit)s
"""  # noqa: S608 - from constants

_NETTED = f"""
{_PLAYERS}
SELECT currency, minor_digits, sum(recomputed - logged) FROM players
WHERE recomputed > logged GROUP BY currency, minor_digits ORDER BY currency, minor_digits
"""  # noqa: S608 - from constants


def exposure_of_case(case_id: int, *, limit: int = PLAYERS_SHOWN) -> Exposure:
    """The players of a case whose figures differ or are not known; two questions."""
    with connection.cursor() as cursor:
        cursor.execute(_EXPOSURE, {"case": case_id, "limit": limit})
        found = cursor.fetchall()
        cursor.execute(_NETTED, {"case": case_id})
        netted = cursor.fetchall()
    return Exposure(
        rows=tuple(
            ExposureRow(
                player=row[0],
                currency=row[1],
                digits=row[2],
                hand_count=row[3],
                unknown_count=row[4],
                logged=int(row[5]),
                recomputed=int(row[6]),
            )
            for row in found
        ),
        player_count=found[0][7] if found else 0,
        netted=tuple(
            Money(currency=currency, digits=digits, minor=int(minor))
            for currency, digits, minor in netted
        ),
    )
