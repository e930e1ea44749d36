"""Sources, and the page of a hand whose record lacks facts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import SafeString
from msgspec import UNSET

import replay
from audit import importers
from audit.selectors.sources import FeedRecord, SourceDetail
from audit.web import markup
from audit.web.language import phrase, say, told
from audit.web.presenters.findings import FindingCard, present_finding

RAW_MAX = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GapLine:
    """A gap with how many hands it affects, and the checks that it prevents."""

    name: str
    lacking: str
    count: int
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCheckedLine:
    """A check that was not made: what it would be, its rules, what the record does not say.

    `seats` are those that it was not made for, where it was made for others.
    """

    title: str
    code: str
    rules: tuple[SafeString, ...]
    lacking: tuple[str, ...]
    seats: tuple[SafeString, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLine:
    """What the record says of a seat; None for what it does not say. `due` has the recomputed
    figures where there are any."""

    seal: SafeString
    name: str
    player: str | None
    is_banker: bool
    tiles: SafeString
    hand_name: str
    bid: int | None
    bet: int | None
    carry_in: str | None
    figures: tuple[tuple[str | None, str | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerLine:
    """One wager: who bets what on which door, and what it was paid."""

    bet: str
    player: str
    door: SafeString
    side: str
    stake: str
    odds: str | None
    profit: str
    due: str | None


FIGURES = ("gross", "rake", "net", "valid_bet")
FIGURE_NAMES = (say("Gross"), say("Rake"), say("Net"), say("Valid bet"))


def present_sources(rows: Sequence[Any]) -> dict[str, Any]:
    """The list of sources."""
    return {"rows": [(row, feed_title(row.feed)) for row in rows]}


def feed_title(feed: str) -> str:
    """The feed in words; hand logs where it is empty."""
    if not feed:
        return phrase("Hand logs (hand-log/1)")
    known = importers.FEEDS.get(feed)
    return feed if known is None else told(known.title)


def present_source(detail: SourceDetail) -> dict[str, Any]:
    """The page of one source."""
    game = ""
    assumptions: tuple[Any, ...] = ()
    if detail.latest is not None:
        readable = _readable(detail.latest)
        if readable is not None:
            game = readable.game.name
            assumptions = tuple(readable.hand.assumptions)
    return {
        "source": detail.row,
        "feed": feed_title(detail.row.feed),
        "drift": detail.drift,
        "assumptions": assumptions,
        "gaps": _gap_lines(detail, game),
        "records": detail.records,
    }


def _readable(record: FeedRecord) -> replay.Readable | None:
    try:
        choose = importers.named(record.ruleset)
        return importers.read(record.feed, record.raw, record.facts, choose=choose)[0]
    except replay.Refusal:
        # An importer became stricter than the one that took it in.
        return None


def _gap_lines(detail: SourceDetail, game: str) -> tuple[GapLine, ...]:
    checks = replay.CHECKS.get(game, ())
    return tuple(
        GapLine(
            name=name,
            lacking=told(gap.lacking),
            count=detail.gaps[name],
            checks=tuple(told(check.title) for check in checks if name in check.needs),
        )
        for name, gap in replay.GAPS.items()
        if name in detail.gaps
    )


# -- one hand -------------------------------------------------------------------------------


def present_partial(
    readable: replay.Readable,
    audited: replay.PartiallyAudited,
    record: FeedRecord,
    options: Mapping[str, object],
    findings: Sequence[replay.Finding],
) -> dict[str, Any]:
    """A hand as far as its record tells it, what was found, and what could not be checked."""
    hand = readable.hand
    verdict = audited.verdict
    checks = {check.name: check for check in replay.CHECKS[readable.game.name]}
    in_part = {one.check: one.seats is not None for one in verdict.not_checkable}
    raw = pretty(record.raw)
    return {
        "feed": feed_title(record.feed),
        "feed_code": record.feed,
        "findings": [_card(finding, options) for finding in findings],
        "not_checked": [
            NotCheckedLine(
                title=told(checks[one.check].title),
                code=one.check,
                rules=tuple(markup.rule_link(rule) for rule in one.rules),
                lacking=tuple(told(replay.GAPS[gap].lacking) for gap in one.gaps),
                seats=tuple(markup.seal(seat) for seat in one.seats or ()),
            )
            for one in verdict.not_checkable
        ],
        "checked": [
            (
                told(check.title),
                tuple(markup.rule_link(rule) for rule in check.rules),
                check.name in in_part,
            )
            for check in checks.values()
            if in_part.get(check.name, True)
        ],
        "assumptions": hand.assumptions,
        "seats": _seats(hand, verdict.settlement),
        "wagers": _wagers(hand, verdict.settlement),
        "outcomes": _outcomes(hand),
        "base": None if getattr(hand, "base", UNSET) is UNSET else hand.base,
        "multiple": _multiple(hand),
        "figure_names": FIGURE_NAMES,
        "is_settled": verdict.settlement is not None,
        "has_zone": "time_zone" not in hand.gaps,
        "has_currency": "currency" not in hand.gaps,
        "raw": raw[:RAW_MAX],
        "is_raw_cut": len(raw) > RAW_MAX,
    }


def pretty(raw: bytes) -> str:
    """A record for the eye: JSON by lines where it is JSON; its exact bytes are one click away."""
    try:
        return json.dumps(
            json.loads(raw, parse_int=_Kept, parse_float=_Kept), ensure_ascii=False, indent=1
        )
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "backslashreplace")


class _Kept(str):
    """A number as it was written: it is shown in quotes rather than in other digits."""

    __slots__ = ()


def _card(finding: replay.Finding, options: Mapping[str, object]) -> FindingCard:
    """A finding as on any hand's page; but where there is no replay only a tile too many stops."""
    card = present_finding(finding, step=0, options=options)
    return replace(card, stops=finding.code == "tile-excess")


def _multiple(hand: Any) -> int | None:
    banker = getattr(hand, "banker", None)
    return None if banker is None or banker.multiple is UNSET else banker.multiple


def _seats(hand: Any, settlement: dict[str, Any] | None) -> tuple[SeatLine, ...]:
    due = {} if settlement is None else {one["seat"]: one for one in settlement.get("seats", ())}
    return tuple(
        SeatLine(
            seal=markup.seal(seat.seat, is_banker=seat.seat == hand.banker.seat),
            name=markup.SEAT_NAMES[seat.seat],
            player=_told(seat.player),
            is_banker=seat.seat == hand.banker.seat,
            tiles=markup.tiles(seat.tiles, "m"),
            hand_name="" if seat.rank is UNSET else seat.rank,
            bid=_told(seat.bid),
            bet=_told(seat.bet),
            carry_in=_amount(seat.carry_in),
            figures=tuple(
                (_amount(getattr(seat, name)), _amount(due.get(seat.seat, {}).get(name)))
                for name in FIGURES
            ),
        )
        for seat in sorted(getattr(hand, "seats", ()), key=lambda one: one.seat)
    )


def _wagers(hand: Any, settlement: dict[str, Any] | None) -> tuple[WagerLine, ...]:
    due = {} if settlement is None else {one["bet"]: one for one in settlement.get("bets", ())}
    return tuple(
        WagerLine(
            bet=one.bet,
            player=one.player,
            door=markup.chinese(markup.POSITIONS[one.door]),
            side=told(markup.SIDES[one.side]),
            stake=markup.minus(one.stake),
            odds=_told(one.odds),
            profit=markup.minus(one.profit),
            due=_amount(due.get(one.bet, {}).get("profit")),
        )
        for one in getattr(hand, "wagers", ())
    )


def _outcomes(hand: Any) -> tuple[tuple[SafeString, str], ...]:
    outcomes = getattr(hand, "outcomes", UNSET)
    if outcomes is UNSET:
        return ()
    return tuple(
        (
            markup.chinese(markup.POSITIONS[door]),
            phrase("wins") if winner == "door" else phrase("loses"),
        )
        for door, winner in outcomes.items()
    )


def _told(value: Any) -> Any:
    return None if value is UNSET else value


def _amount(value: Any) -> str | None:
    return None if value is UNSET or value is None else markup.minus(value)
