"""What the pages of the desk print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.utils import timezone

import replay
from audit.models import ActKind, CaseState, Decision
from audit.selectors.desk_cases import ActRow, CaseDetail
from audit.selectors.desk_exposure import Exposure, ExposureRow
from audit.selectors.desk_members import MemberRow
from audit.selectors.desk_queue import CaseRow, Overview
from audit.selectors.pages import Page
from audit.services.desk.remedies import MOVES_MONEY
from audit.web import desk_words as words
from audit.web import markup
from audit.web.language import phrase, phrases, told
from audit.web.presenters.findings import FindingCard, present_finding

FILTERS = ("state", "owner", "decision", "code", "source", "overdue")
BAR = 84


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """A case as a list prints it. `holder` has it now; `look` names its chip."""

    row: CaseRow
    title: str
    relation: str
    age: str
    due: str
    is_overdue: bool
    holder: str | None
    score: str
    look: str
    standing: str


def case_line(row: CaseRow, now: datetime) -> CaseLine:
    return CaseLine(
        row=row,
        title=words.title_of(row),
        relation=_relation(row),
        age=words.span_words(now - row.opened_at),
        due=words.due_words(row.due_at, now),
        is_overdue=row.is_open and row.due_at < now,
        holder=row.holder_at(now),
        score=f"{row.score // 1000}.{row.score % 1000:03d}",
        look={"open": "warning", "decided": "clean"}.get(row.state, "void"),
        standing=_standing(row),
    )


def _relation(row: CaseRow) -> str:
    if row.explained_by:
        more = len(row.explained_by) - 1
        return phrase("right if {option}", option=words.option_words(row.explained_by[0])) + (
            phrase(", or by {more} more", more=more) if more else ""
        )
    return words.relation_words(row.relation)


def _standing(row: CaseRow) -> str:
    if row.state == CaseState.DECIDED:
        return words.DECISIONS[Decision(row.decision)][0]
    return str(CaseState(row.state).label)


def present_queue(
    page: Page[CaseRow], query: Mapping[str, str], codes: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """The queue with its filters; `query` is what was asked for."""
    now = timezone.now()
    asked = {key: query[key] for key in FILTERS if query.get(key)}

    def address(**changes: str | None) -> str:
        fields = {key: value for key, value in (asked | changes).items() if value}
        return "?" + urlencode(fields)

    state = asked.get("state", CaseState.OPEN)
    return {
        "lines": [case_line(row, now) for row in page.rows],
        "asked": asked,
        "state": state,
        "others": {key: value for key, value in asked.items() if key == "state"},
        "back": None if page.previous_cursor is None else address(cursor=page.previous_cursor),
        "onward": None if page.next_cursor is None else address(cursor=page.next_cursor),
        "states": [
            {"title": one.label, "url": address(state=one.value), "is_current": state == one.value}
            for one in CaseState
        ],
        "owners": (
            ("", phrase("Anybody")),
            ("mine", phrase("Mine")),
            ("free", phrase("Nobody")),
            ("others", phrase("Others")),
        ),
        "codes": codes,
        "decisions": [(one.value, words.DECISIONS[one][0]) for one in Decision],
        "is_filtered": bool(set(asked) - {"state"}),
    }


def present_overview(overview: Overview, mine: Page[CaseRow], first: Page[CaseRow]) -> dict[
    str, Any
]:  # fmt: skip
    now = timezone.now()
    return {
        "figures": overview,
        "oldest": words.span_words(now - overview.oldest) if overview.oldest else None,
        "decisions": [
            (one.value, words.DECISIONS[one][0], overview.decisions.get(one.value, 0))
            for one in Decision
        ],
        "mine": [case_line(row, now) for row in mine.rows],
        "first": [case_line(row, now) for row in first.rows],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLine:
    """One player of the exposure; the bar runs from the middle, owed to the right.

    The amounts are empty where no hand of the player has both figures.
    """

    player: str
    hands: int
    unknown: int
    logged: str
    recomputed: str
    net: str
    currency: str
    standing: str
    bar_x: str
    bar_width: str
    is_owed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberLine:
    """One hand of the case with its primary finding."""

    row: MemberRow
    at_risk: str
    card: FindingCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActLine:
    """One act: who did what, in a sentence, with what it points to."""

    row: ActRow
    who: str
    what: str


def present_case(detail: CaseDetail, *, user_id: int, left: bool) -> dict[str, Any]:
    """The page of a case."""
    now = timezone.now()
    row = detail.row
    holder = row.holder_at(now)
    members = detail.members
    extra = {"left": "1"} if left else {}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else "?" + urlencode({**extra, "cursor": cursor}) + "#hands"

    return {
        "case": row,
        "line": case_line(row, now),
        "title": words.title_of(row),
        "game": replay.GAMES.get(row.game),
        "cause": _cause(row),
        "netted": _netted(detail),
        "players": player_lines(detail.exposure),
        "player_count": detail.exposure.player_count,
        "members": [member_line(one) for one in members.rows],
        "left": left,
        "left_count": detail.left_count,
        "unknown_count": detail.unknown_count,
        "tables": detail.tables,
        "also": [(code, _title(code), count) for code, count in detail.also],
        "newer": address(members.previous_cursor),
        "older": address(members.next_cursor),
        "acts": [act_line(one) for one in detail.acts],
        "oldest_act": detail.acts[-1].number if detail.acts else 1,
        "claims": detail.claims,
        "claimed": detail.claimed,
        "pointable": dict([*detail.claimed, *((one.hand_pk, one.hand_id) for one in members.rows)]),
        "remedies": detail.remedies,
        "relatives": detail.relatives,
        "holder": holder,
        "is_mine": holder is not None and row.assignee_id == user_id,
        "is_others": holder is not None and row.assignee_id != user_id,
        "decisions": [(one.value, *words.DECISIONS[one]) for one in Decision],
        "moves_money": row.state == CaseState.DECIDED and row.decision in MOVES_MONEY,
    }


def _title(code: str) -> str:
    known = replay.CODES.get(code)
    return told(known.title) if known is not None else code


def _cause(row: CaseRow) -> dict[str, Any] | None:
    """Why these hands stand together."""
    if row.cause_pk is None:
        return None
    return {
        "rule": markup.rule_link(row.rule or None),
        "because": words.because_of(row),
        "relation": words.relation_words(row.relation),
        "formulas": words.formulas_of(row.relation),
        "options": [(label, words.option_words(label)) for label in row.explained_by],
    }


def player_lines(exposure: Exposure) -> list[PlayerLine]:
    largest = max((abs(one.difference) for one in exposure.rows), default=0)
    return [_player_line(one, largest) for one in exposure.rows]


def _player_line(one: ExposureRow, largest: int) -> PlayerLine:
    # In tenths of a unit of the drawing, by whole numbers.
    width = abs(one.difference) * BAR * 10 // largest if largest else 0
    width = max(width, 5) if one.difference else 0
    start = BAR * 10 + 40 - (width if one.difference < 0 else 0)
    is_known = one.unknown_count < one.hand_count

    def amount(units: int) -> str:
        return words.signed(units, one.digits) if is_known else ""

    return PlayerLine(
        player=one.player,
        hands=one.hand_count,
        unknown=one.unknown_count,
        logged=amount(one.logged),
        recomputed=amount(one.recomputed),
        net=amount(one.difference),
        currency=one.currency,
        standing=_owed(one.difference, one.unknown_count),
        bar_x=f"{start // 10}.{start % 10}",
        bar_width=f"{width // 10}.{width % 10}" if width else "",
        is_owed=one.difference > 0,
    )


def _netted(detail: CaseDetail) -> str:
    """What players are owed in all; of hands none of which can be recomputed that is not known."""
    if detail.exposure.netted:
        return phrase(
            "{money} owed after netting",
            money=words.money_words(detail.exposure.netted),
        )
    if 0 < detail.row.hand_count == detail.unknown_count:
        return phrase("what is owed is not known")
    return phrase("nothing owed after netting")


def _owed(difference: int, unknown: int) -> str:
    if difference == 0:
        return phrase("not known") if unknown else phrase("even")
    return phrase("is owed") if difference > 0 else phrase("kept too much")


def member_line(row: MemberRow) -> MemberLine:
    finding = row.finding
    card = None
    if finding is not None and finding.code in replay.CODES:
        step = 0 if finding.event is None else finding.event + 1
        card = present_finding(finding, step=step, options={})
    return MemberLine(
        row=row,
        at_risk=f"{row.currency} {markup.grouped(replay.format_minor(row.at_risk, row.digits))}",
        card=card,
    )


def act_line(act: ActRow) -> ActLine:
    """An act as a sentence; texts and names are printed beside it."""
    return ActLine(row=act, who=act.actor or phrase("Audit"), what=_what(act))


def _what(act: ActRow) -> str:
    hands = phrases("{count} hand", "{count} hands", act.count)
    if act.kind == ActKind.JOINED:
        return phrase("joined {hands}: same ruleset, finding and difference", hands=hands)
    if act.kind == ActKind.LEFT:
        return phrase("took {hands} out: they no longer show this", hands=hands)
    if act.kind == ActKind.DECIDED:
        return phrase("decided: {decision}", decision=words.DECISIONS[Decision(act.decision)][0])
    if act.kind == ActKind.LAPSED:
        return phrase("released the case: the time for which it was taken ran out")
    return str(ActKind(act.kind).label)
