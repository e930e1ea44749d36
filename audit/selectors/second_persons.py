"""Acts that took two people who may have been one: what the access review is shown of them.

Whoever was shown a first password of an account, or made a key that acts for it, can act under its
name. So two people of an act may have been one where the one had the other's account in hand
before, or where somebody else had both. In a small room that is usual, and nothing forbids it; it
is to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db import connection

from audit.selectors.access import Sources

ACTS_SHOWN = 200


class ActOfTwo(StrEnum):
    """What takes two people: who wrote and who published or put in force, who proposed and who
    approved, who set a term and who deletes by it."""

    RULESET = "ruleset"
    SWITCH = "switch"
    REMEDY = "remedy"
    RETENTION = "retention"


class Tie(StrEnum):
    """How the two may have been one: the first had the second's account in hand (`first`), the
    second the first's (`second`), or somebody else both (`same`)."""

    FIRST = "first"
    SECOND = "second"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class TiedAct:
    """One act. `label` is a ruleset, a remedy's number, or what was deleted. `keeper` had an
    account in hand, by each of `ways`: opened, reopened, reset, key."""

    kind: ActOfTwo
    label: str
    source: str | None
    at: datetime
    first: str
    second: str
    tie: Tie
    keeper: str
    ways: tuple[str, ...]


_ACTS = """
SELECT 'ruleset' AS kind, name AS label, NULL AS source, published_at AS at,
    author_id AS first, published_by_id AS second
FROM audit_rulesetrevision WHERE published_by_id IS NOT NULL
UNION ALL
SELECT 'switch', s.ruleset, s.source, s.declared_at, r.author_id, s.declared_by_id
FROM audit_rulesetswitch s
JOIN audit_rulesetrevision r ON r.name = s.ruleset AND r.state <> 'withdrawn'
WHERE s.kind = 'start'
UNION ALL
SELECT 'remedy', 'R-' || r.id, c.source, r.settled_at, r.proposed_by_id, r.settled_by_id
FROM audit_remedy r JOIN audit_case c ON c.id = r.case_id WHERE r.state IN ('approved', 'exported')
UNION ALL
SELECT 'retention', r.record_class, r.source, r.started_at, t.set_by_id, r.asked_by_id
FROM audit_retentionrun r JOIN audit_retentionterm t ON t.id = r.term_id
"""
_TIED = f"""
WITH keeper AS (
    SELECT account_id AS account, given_by_id AS keeper, given_at AS at, how AS way
    FROM audit_firstpassword WHERE given_by_id <> account_id
    UNION ALL
    SELECT account_id, created_by_id, created_at, 'key'
    FROM audit_apitoken WHERE created_by_id <> account_id
), act AS ({_ACTS}), tied AS (
    SELECT a.*, 'first' AS tie, k.keeper, k.way FROM act a
    JOIN keeper k ON k.account = a.second AND k.keeper = a.first AND k.at <= a.at
    UNION ALL
    SELECT a.*, 'second', k.keeper, k.way FROM act a
    JOIN keeper k ON k.account = a.first AND k.keeper = a.second AND k.at <= a.at
    UNION ALL
    SELECT a.*, 'same', k.keeper, w.way FROM act a
    JOIN keeper k ON k.account = a.first AND k.at <= a.at AND k.keeper <> a.second
    JOIN keeper o ON o.account = a.second AND o.at <= a.at AND o.keeper = k.keeper
    CROSS JOIN LATERAL (VALUES (k.way), (o.way)) w (way)
)
SELECT t.kind, t.label, t.source, t.at, f.username, s.username, t.tie, k.username,
    array_agg(DISTINCT t.way ORDER BY t.way)
FROM tied t JOIN auth_user f ON f.id = t.first JOIN auth_user s ON s.id = t.second
JOIN auth_user k ON k.id = t.keeper
WHERE (%(since)s::timestamptz IS NULL OR t.at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR t.at < %(until)s)
    AND (%(sources)s::text[] IS NULL OR t.source = ANY(%(sources)s))
GROUP BY t.kind, t.label, t.source, t.at, f.username, s.username, t.tie, k.username
ORDER BY t.at DESC, t.kind, t.label, t.tie, k.username
LIMIT %(most)s
"""  # noqa: S608 - from constants


def tied_acts(
    *,
    sources: Sources,
    since: datetime | None = None,
    until: datetime | None = None,
    most: int | None = ACTS_SHOWN,
) -> tuple[TiedAct, ...]:
    """The latest acts whose two people may have been one, a row for each way in which that may be;
    `most` is None for all of them.

    What belongs to no source is told of every source alone.
    """
    asked = {
        "since": since,
        "until": until,
        "sources": None if sources is None else sorted(sources),
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(_TIED, asked)
        return tuple(_tied(cursor.fetchall()))


def _tied(
    rows: Iterable[tuple[str, str, str | None, datetime, str, str, str, str, list[str]]],
) -> Iterable[TiedAct]:
    for kind, label, source, at, first, second, tie, keeper, ways in rows:
        yield TiedAct(
            kind=ActOfTwo(kind),
            label=label,
            source=source,
            at=at,
            first=first,
            second=second,
            tie=Tie(tie),
            keeper=keeper,
            ways=tuple(ways),
        )
