"""The queue of the desk: cases by money at risk × age, and what an act on many would do.

The order of open cases (docs/desk.md):

    score = money at risk × days since the case was opened (an hour at least)

Money at risk is in whole units of its currency times the weight of that currency
(TILECOURT_CURRENCY_WEIGHTS, 1 where none is set). Currencies are never added: of several the
largest weighed one counts. Equal scores go by number, the oldest first. Closed cases stand by
number, the newest first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

import replay
from audit.models import CaseState, Decision
from audit.selectors.access import Sources
from audit.selectors.belonging import narrowed
from audit.selectors.pages import (
    KEY_MAX,
    BadQuery,
    Page,
    check_limit,
    make_page,
    moment_of,
    number_of,
    read_cursor,
)

TEXT_MAX = 128
OWNERS = ("mine", "free", "others")

_RISK = """
LEFT JOIN LATERAL (
    SELECT max(m.at_risk_minor / power(10::numeric, m.minor_digits) * coalesce(w.weight, 1)) AS risk
    FROM audit_casemoney m
    LEFT JOIN unnest(%(currencies)s::text[], %(weights)s::numeric[]) AS w (currency, weight)
        ON w.currency = m.currency
    WHERE m.case_id = c.id
) r ON true
"""
# In thousandths, as a whole number that a cursor can hold.
_SCORE = """
least(
    floor(coalesce(r.risk, 0) * 1000
        * greatest(extract(epoch FROM %(now)s - c.opened_at) / 86400, 1 / 24.0)),
    9e17
)::bigint
"""

_NEXT_CASE = f"""
SELECT c.id FROM audit_case c {_RISK}
WHERE c.state = 'open' AND (c.assignee_id IS NULL OR c.taken_until <= %(now)s) {{narrowed}}
ORDER BY {_SCORE} DESC, c.id
LIMIT 1
FOR NO KEY UPDATE OF c SKIP LOCKED
"""  # noqa: S608 - from constants

_ROWS = f"""
SELECT * FROM (
    SELECT c.id, c.source, c.state, c.decision, c.assignee_id, u.username, c.taken_until,
        c.opened_at, c.due_at, c.revision, c.hand_count, c.first_played, c.last_played,
        c.earlier_id, c.sequence, k.id AS cause_id, k.game, k.ruleset, k.code, k.rule, k.relation,
        k.explained_by, trim_scale(coalesce(r.risk, 0)) AS risk,
        CASE WHEN c.state = 'open' THEN {_SCORE} ELSE 0 END AS score,
        (SELECT count(*) FROM audit_claim q WHERE q.case_id = c.id) AS claim_count,
        (SELECT coalesce(jsonb_agg(jsonb_build_array(
            m.currency, m.minor_digits, m.at_risk_minor::text) ORDER BY m.currency), '[]')
            FROM audit_casemoney m WHERE m.case_id = c.id) AS money
    FROM audit_case c
    LEFT JOIN audit_cause k ON k.id = c.cause_id
    LEFT JOIN auth_user u ON u.id = c.assignee_id
    {_RISK}
) rows WHERE
"""  # noqa: S608 - from constants


def next_case(now: datetime, *, sources: Sources) -> tuple[str, dict[str, Any]]:
    """How to find and lock the first case of the queue that nobody has and nobody else is taking
    just now: the statement and its parameters."""
    parameters = queue_parameters(now)
    return _NEXT_CASE.format(narrowed=narrowed(sources, "c.source", parameters)), parameters


def queue_parameters(now: datetime) -> dict[str, Any]:
    """What the statements above want to know."""
    weights = settings.TILECOURT_CURRENCY_WEIGHTS
    return {"now": now, "currencies": list(weights), "weights": list(weights.values())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount of one currency in minor units."""

    currency: str
    digits: int
    minor: int

    @property
    def text(self) -> str:
        return replay.format_minor(self.minor, self.digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A case as a list shows it. The cause's fields are empty where only a claim opened it.

    `risk` is the weighed money at risk that counts, `score` that times the age, in thousandths.
    """

    pk: int
    source: str
    state: str
    decision: str
    assignee_id: int | None
    assignee: str | None
    taken_until: datetime | None
    opened_at: datetime
    due_at: datetime
    revision: int
    hand_count: int
    first_played: datetime | None
    last_played: datetime | None
    earlier_pk: int | None
    sequence: int
    cause_pk: int | None
    game: str
    ruleset: str
    code: str
    rule: str
    relation: str
    explained_by: tuple[str, ...]
    risk: str
    score: int
    claim_count: int
    money: tuple[Money, ...]

    @property
    def is_open(self) -> bool:
        return self.state == CaseState.OPEN

    def holder_at(self, now: datetime) -> str | None:
        """Who has the case; a lock that ran out holds nobody."""
        if self.taken_until is not None and self.taken_until <= now:
            return None
        return self.assignee


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilters:
    """What was asked for. `state` is open unless another is; `owner` one of OWNERS or empty."""

    state: str = CaseState.OPEN
    owner: str = ""
    decision: str = ""
    code: str = ""
    source: str = ""
    is_overdue: bool = False

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> QueueFilters:
        """Read `state owner decision code source overdue`. Raises: BadQuery."""
        return cls(
            state=_choice(query, "state", CaseState.values) or CaseState.OPEN,
            owner=_choice(query, "owner", OWNERS),
            decision=_choice(query, "decision", Decision.values),
            code=_choice(query, "code", tuple(replay.CODES)),
            source=_text(query, "source"),
            is_overdue=_choice(query, "overdue", ("1",)) == "1",
        )


def _choice(query: Mapping[str, str], key: str, known: Sequence[str]) -> str:
    value = query.get(key, "")
    if value and value not in known:
        raise BadQuery(replay.say("There is no {key} “{value}”.", key=key, value=value[:TEXT_MAX]))
    return value


def _text(query: Mapping[str, str], key: str) -> str:
    value = query.get(key, "")
    if len(value) > TEXT_MAX or "\0" in value:
        raise BadQuery(replay.say("The {key} is no name.", key=key))
    return value


def list_cases(
    filters: QueueFilters,
    *,
    sources: Sources,
    user_id: int,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[CaseRow]:
    """Cases in the order of the queue. A walk over pages keeps the ages of its first page.

    Raises: BadQuery.
    """
    limit = check_limit(limit)
    at = read_cursor(cursor, 3)
    now = timezone.now() if at is None else moment_of(at.key[0])
    asof = number_of(now)
    parameters = queue_parameters(now) | {"user": user_id, "limit": limit + 1}
    conditions = ["true" + narrowed(sources, "source", parameters)] if sources is not None else []
    conditions += _conditions(filters, parameters)
    is_open = filters.state == CaseState.OPEN
    is_back = at is not None and at.is_back
    # Open: the highest score first, then the lowest number; closed: the highest number first.
    key = "score, -id" if is_open else "score, id"
    if at is not None:
        parameters |= {"score": at.key[1], "pk": -at.key[2] if is_open else at.key[2]}
        conditions.append(f"({key}) {'>' if is_back else '<'} (%(score)s, %(pk)s)")
    way = "ASC" if is_back else "DESC"
    order = ", ".join(f"{part} {way}" for part in key.split(", "))
    rows = _rows(" AND ".join(conditions) + f" ORDER BY {order} LIMIT %(limit)s", parameters)
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (asof, row.score, row.pk))


def _conditions(filters: QueueFilters, parameters: dict[str, Any]) -> list[str]:
    conditions = ["state = %(state)s"]
    parameters["state"] = filters.state
    for name in ("decision", "code", "source"):
        value = getattr(filters, name)
        if value:
            conditions.append(f"{name} = %({name})s")
            parameters[name] = value
    held = "(assignee_id IS NOT NULL AND (taken_until IS NULL OR taken_until > %(now)s))"
    if filters.owner == "mine":
        conditions.append(f"{held} AND assignee_id = %(user)s")
    elif filters.owner == "free":
        conditions.append(f"NOT {held}")
    elif filters.owner == "others":
        conditions.append(f"{held} AND assignee_id <> %(user)s")
    if filters.is_overdue:
        conditions.append("due_at < %(now)s")
    return conditions


def cases_by_number(numbers: Sequence[int], *, sources: Sources) -> list[CaseRow]:
    """These cases, by number; those that do not exist are left out."""
    wanted = [one for one in numbers if 1 <= one <= KEY_MAX]
    parameters = queue_parameters(timezone.now()) | {"numbers": wanted}
    condition = "id = ANY(%(numbers)s)" + narrowed(sources, "source", parameters)
    return _rows(condition + " ORDER BY id", parameters)


def _rows(tail: str, parameters: Mapping[str, Any]) -> list[CaseRow]:
    with connection.cursor() as cursor:
        cursor.execute(_ROWS + tail, parameters)
        names = [column.name for column in cursor.description or ()]
        return [_row(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _row(fields: Mapping[str, Any]) -> CaseRow:
    # A raw cursor of Django gives jsonb as its text.
    money = json.loads(fields["money"])
    return CaseRow(
        pk=fields["id"],
        source=fields["source"],
        state=fields["state"],
        decision=fields["decision"],
        assignee_id=fields["assignee_id"],
        assignee=fields["username"],
        taken_until=fields["taken_until"],
        opened_at=fields["opened_at"],
        due_at=fields["due_at"],
        revision=fields["revision"],
        hand_count=fields["hand_count"],
        first_played=fields["first_played"],
        last_played=fields["last_played"],
        earlier_pk=fields["earlier_id"],
        sequence=fields["sequence"],
        cause_pk=fields["cause_id"],
        game=fields["game"] or "",
        ruleset=fields["ruleset"] or "",
        code=fields["code"] or "",
        rule=fields["rule"] or "",
        relation=fields["relation"] or "",
        explained_by=tuple(fields["explained_by"] or ()),
        risk=f"{fields['risk']:f}",
        score=fields["score"],
        claim_count=fields["claim_count"],
        money=tuple(
            Money(currency=currency, digits=digits, minor=int(minor))
            for currency, digits, minor in money
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The desk in figures. `at_risk` is over all open cases, a currency each."""

    open_count: int
    free_count: int
    mine_count: int
    overdue_count: int
    claim_count: int
    proposed_count: int
    at_risk: tuple[Money, ...]
    decisions: Mapping[str, int]
    oldest: datetime | None


_OVERVIEW = """
SELECT
    count(*) FILTER (WHERE state = 'open'),
    count(*) FILTER (WHERE state = 'open' AND (assignee_id IS NULL OR taken_until <= %(now)s)),
    count(*) FILTER (WHERE state = 'open' AND assignee_id = %(user)s
        AND (taken_until IS NULL OR taken_until > %(now)s)),
    count(*) FILTER (WHERE state = 'open' AND due_at < %(now)s),
    min(opened_at) FILTER (WHERE state = 'open'),
    (SELECT count(*) FROM audit_claim q JOIN audit_case k ON k.id = q.case_id
        WHERE k.state = 'open' {of_case}),
    (SELECT count(*) FROM audit_remedy r JOIN audit_case k ON k.id = r.case_id
        WHERE r.state = 'proposed' {of_case})
FROM audit_case WHERE true {narrowed}
"""

_AT_RISK = """
SELECT m.currency, m.minor_digits, sum(m.at_risk_minor)
FROM audit_casemoney m JOIN audit_case c ON c.id = m.case_id
WHERE c.state = 'open' {narrowed}
GROUP BY m.currency, m.minor_digits ORDER BY m.currency, m.minor_digits
"""

_DECISIONS = """
SELECT decision, count(*) FROM audit_case WHERE state = 'decided' {narrowed} GROUP BY decision
"""


def desk_overview(*, sources: Sources, user_id: int) -> Overview:
    """The figures of the desk's first page; three questions."""
    parameters: dict[str, Any] = {"now": timezone.now(), "user": user_id}
    of_case = narrowed(sources, "k.source", parameters)
    own = narrowed(sources, "source", parameters)
    with connection.cursor() as cursor:
        cursor.execute(_OVERVIEW.format(of_case=of_case, narrowed=own), parameters)
        counted, free, mine, overdue, oldest, claims, proposed = cursor.fetchone()
        of_money = narrowed(sources, "c.source", parameters)
        cursor.execute(_AT_RISK.format(narrowed=of_money), parameters)
        at_risk = tuple(
            Money(currency=currency, digits=digits, minor=int(minor))
            for currency, digits, minor in cursor.fetchall()
        )
        cursor.execute(_DECISIONS.format(narrowed=own), parameters)
        decisions = dict(cursor.fetchall())
    return Overview(
        open_count=counted,
        free_count=free,
        mine_count=mine,
        overdue_count=overdue,
        claim_count=claims,
        proposed_count=proposed,
        at_risk=at_risk,
        decisions=decisions,
        oldest=oldest,
    )
