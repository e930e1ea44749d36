"""BBIN, game 3006: Wenzhou Pai Gow, live dealer (docs/importers/bbin-3006.md).

A ticket is what one player bet in one round; all tickets of a round that a file has become one
record.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

import replay
from audit.importers.doors import PLAYS, outcomes_of
from audit.importers.feed import Converted, CutFile, Facts, Feed, Piece, refuse
from audit.importers.reading import (
    Fields,
    digits_of,
    joined_rows,
    minor,
    read_rows,
    rows_of,
    strict,
)

NAME = "bbin-3006"
GAME_TYPE = "3006"
# By their plain names. The first line is what the importer reads, the others are known and kept.
FIELDS = frozenset(
    {"username", "wagersid", "wagersdate", "serialid", "gametype", "wagerdetail", "result",
     "card", "betamount", "payoff", "currency", "commissionable",
     "roundno", "gamecode", "exchangerate", "resulttype", "ispaid", "origin", "orderdate",
     "modifieddate", "commission", "client", "portal", "platform", "uptime"}
)  # fmt: skip
ANSWER_FIELDS = frozenset({"result", "pagination", "data"})
_RATE = re.compile(r"(?:1:)?((?:0|[1-9][0-9]{0,3})(?:\.[0-9]{1,6})?)", re.ASCII)
_AMOUNT = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,8})?", re.ASCII)
# The product version whose lose bets pay 0.93, and its win bets 0.99.
OTHER_RULESET = "wenzhou-pai-gow/live-0.93@1"
OTHER_ODDS = frozenset({("win", "0.99"), ("lose", "0.93")})

GAPS = ["tiles", "dice", "deal_order", "limits", "hand_number", "table_sequence", "time_zone",
        "bet_valid_bets"]  # fmt: skip


def cut(data: bytes) -> CutFile:
    """The tickets of each round as one record, in the order in which rounds appear.

    Raises: Refusal for a file that is neither tickets nor an answer with them.
    """
    rows, others = rows_of(data, key="data")
    if others.get("result", "true") != "true":
        raise refuse("$.result", f"not true, so the pull failed: {others['result']}")
    rounds: dict[str, list[tuple[int, bytes]]] = {}
    for number, (at, raw) in enumerate(rows):
        rounds.setdefault(_round_of(raw, number), []).append((at, raw))
    pieces = tuple(
        Piece(number=number, offset=found[0][0], data=joined_rows(raw for _, raw in found))
        for number, found in enumerate(rounds.values(), start=1)
    )
    drift = {name: value for name, value in others.items() if name not in ANSWER_FIELDS}
    return CutFile(pieces=pieces, drift=drift)


def _round_of(raw: bytes, number: int) -> str:
    """What keeps a round apart; a row that names none stands alone and is refused there."""
    try:
        row = strict(raw, "$")
        fields = Fields(row if isinstance(row, dict) else {}, "$", FIELDS)
        return f"{fields.text('gametype')} {fields.text('serialid')}"
    except replay.Refusal:
        return f"row {number}"


def convert(data: bytes, facts: Facts) -> Converted:
    """One round as hand-log/1-partial. Raises: Refusal with the place."""
    tickets = [Fields(row, f"$[{at}]", FIELDS) for at, row in enumerate(read_rows(data))]
    first = tickets[0]
    for ticket in tickets:
        if ticket.text("gametype") != GAME_TYPE:
            raise refuse(ticket.place("gametype"), f"{ticket.text('gametype')} is another game")
        for name in ("serialid", "currency", "result", "card", "gamecode"):
            if ticket.has(name) and ticket.value(name) != first.value(name):
                raise refuse(ticket.place(name), "not as in the first ticket of the round")
    lists = [_plays(ticket) for ticket in tickets]
    digits = digits_of(
        amount
        for ticket, plays in zip(tickets, lists, strict=True)
        for amount in (*_amounts(ticket), *(part for play in plays for part in play[2:]))
    )
    wagers: list[dict[str, Any]] = []
    totals: dict[str, list[int]] = {}
    for ticket, plays in zip(tickets, lists, strict=True):
        _take(ticket, plays, digits, wagers, totals)
    outcomes = outcomes_of(first.text("result")) if first.has("result") else None
    times = sorted({_time(ticket) for ticket in tickets})
    record: dict[str, Any] = {
        "format": "hand-log/1-partial",
        "game": FEED.game,
        "feed": NAME,
        "source": facts["source"],
        "hand_id": first.text("serialid"),
        "ruleset": _ruleset(wagers),
        "table": first.text("gamecode") if first.has("gamecode") else GAME_TYPE,
        "started_at": times[0],
        "currency": first.text("currency"),
        "minor_digits": digits,
        "gaps": GAPS if outcomes is not None else [*GAPS, "outcomes"],
        "assumptions": [
            {"name": "started_at", "text": "The time is that of the round's first ticket."},
            {"name": "payout", "text": "A payout is what was won or lost, without the stake."},
            {
                "name": "ruleset",
                "text": f"The odds of the tickets are those of {_ruleset(wagers)}.",
            },
        ],
        "wagers": wagers,
        "players": [
            {
                "player": player,
                "profit": replay.format_minor(profit, digits),
                "valid_bet": replay.format_minor(valid_bet, digits),
            }
            for player, (profit, valid_bet) in totals.items()
        ],
    }
    if outcomes is not None:
        record["outcomes"] = outcomes
    drift = {name: value for ticket in tickets for name, value in ticket.drift.items()}
    return Converted(line=msgspec.json.encode(record), drift=drift)


def _plays(ticket: Fields) -> list[tuple[str, str, str, str]]:
    """The ticket's list: `play,odds,stake,payout`, joined by `*`. Raises: Refusal."""
    place = ticket.place("wagerdetail")
    plays = []
    for number, text in enumerate(ticket.text("wagerdetail").split("*"), start=1):
        parts = [part.strip(" ") for part in text.split(",")]
        if len(parts) != 4:
            raise refuse(place, f"entry {number} is not play, odds, stake, payout: {text[:60]}")
        play, odds, stake, payout = parts
        rate = _RATE.fullmatch(odds)
        if play not in PLAYS:
            raise refuse(place, f"entry {number}: no play {play[:20]}")
        if rate is None:
            raise refuse(place, f"entry {number}: no odds: {odds[:20]}")
        for amount in (stake, payout):
            is_zero = not amount.strip("-0.")
            if _AMOUNT.fullmatch(amount) is None or (is_zero and amount.startswith("-")):
                raise refuse(place, f"entry {number}: no amount: {amount[:40]}")
        plays.append((play, rate[1], stake, payout))
    return plays


def _amounts(ticket: Fields) -> tuple[str, str, str]:
    return ticket.money("betamount"), ticket.money("payoff"), ticket.money("commissionable")


def _take(
    ticket: Fields,
    plays: list[tuple[str, str, str, str]],
    digits: int,
    wagers: list[dict[str, Any]],
    totals: dict[str, list[int]],
) -> None:
    """Add a ticket's wagers, and its sums to those of its player. Raises: Refusal."""
    bet, payoff, valid_bet = (minor(amount, digits) for amount in _amounts(ticket))
    staked = sum(minor(stake, digits) for _, _, stake, _ in plays)
    if staked != bet:
        raise refuse(
            ticket.place("betamount"),
            f"not the stakes of its list, {replay.format_minor(staked, digits)}",
        )
    number, player = ticket.text("wagersid"), ticket.text("username")
    for position, (play, odds, stake, payout) in enumerate(plays, start=1):
        door, side = PLAYS[play]
        wagers.append(
            {
                "bet": f"{number}/{position}",
                "player": player,
                "door": door,
                "side": side,
                "stake": replay.format_minor(minor(stake, digits), digits),
                "profit": replay.format_minor(minor(payout, digits), digits),
                "odds": odds,
            }
        )
    total = totals.setdefault(player, [0, 0])
    total[0] += payoff
    total[1] += valid_bet


def _ruleset(wagers: list[dict[str, Any]]) -> str:
    """The ruleset of the other product version where a wager has its odds, else the usual one: any
    odds that are not of that are then told by the audit."""
    is_other = any((wager["side"], wager["odds"]) in OTHER_ODDS for wager in wagers)
    return OTHER_RULESET if is_other else FEED.ruleset


def _time(ticket: Fields) -> str:
    text, has_zone = ticket.time("wagersdate")
    if has_zone:
        raise refuse(ticket.place("wagersdate"), f"a time with a zone is not known: {text[:40]}")
    return text


FEED = Feed(
    name=NAME,
    title=replay.say("BBIN, game 3006"),
    game="wenzhou-pai-gow",
    ruleset="wenzhou-pai-gow/live-2015@1",
    needs_source=True,
    any_order=True,
    cut=cut,
    convert=convert,
)
