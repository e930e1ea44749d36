"""The table after a step, as drawn and as text.

Tien Gow is drawn as a court with four seats around it, banker-bidding Pai Gow as the bank against
three hands, Wenzhou as the bank against three doors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import listed, phrase, phrases, say, told
from audit.web.walks import Money

Layout = Literal["court", "match", "doors"]
LAYOUTS: dict[str, Layout] = {"banker-pai-gow": "match", "wenzhou-pai-gow": "doors"}

# A door may carry thousands of wagers; the settlement has them all.
WAGERS_SHOWN = 12

BANKER = say("Banker")
PLACED_WORDS = {
    "plain": "",
    "best": say("best so far"),
    "down": say("face down"),
    "refused": say("refused"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCard:
    """One seat's card. `pile` counts the 棟 that it has won; the template draws as many backs."""

    seat: int
    place: str
    name: str
    player: str
    is_banker: bool
    is_turn: bool
    seal: SafeString
    tiles: SafeString
    has_tiles: bool
    is_down: bool
    pile: int | None
    backs: range
    brought: str
    so_far: str | None
    so_far_url: str | None
    due: str | None
    banker_note: str
    lines: tuple[str, ...]
    hand_name: str | None
    hand_name_hant: str | None
    hand_note: str | None
    outcome: str | None
    outcome_reason: str | None
    outcome_rule: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCard:
    """What a seat has put on the table in this trick."""

    place: str
    state: str
    order: int
    title: str
    note: str
    tiles: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerLine:
    """One wager on a door."""

    bet: str
    player: str
    side: str
    stake: str
    profit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorCard:
    """A position of Wenzhou Pai Gow; `more` counts the wagers that are not shown."""

    title: str
    seal: str
    tiles: SafeString
    is_turn: bool
    hand_name: str | None
    hand_name_hant: str | None
    hand_note: str | None
    outcome: str | None
    outcome_reason: str | None
    outcome_rule: str | None
    wagers: tuple[WagerLine, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCard:
    """The whole table. `text` holds one sentence a seat, then one for each play on the table."""

    layout: Layout
    seats: tuple[SeatCard, ...]
    bank: SeatCard | None
    foes: tuple[SeatCard, ...]
    bank_door: DoorCard | None
    doors: tuple[DoorCard, ...]
    placed: tuple[PlacedCard, ...]
    dice: tuple[int, int] | None
    dice_note: str | None
    heading: str
    notes: tuple[str, ...]
    corner_notes: tuple[str, ...]
    text: tuple[str, ...]


def present_board(
    board: replay.Board, layout: Layout, money: Money, moved: Mapping[int, str]
) -> BoardCard:
    """The board for the eye and, in `text`, for the ear.

    `moved` gives for a seat the address of the step that made its amount so far.
    """
    sizes = {"court": "m", "match": "l", "doors": "l"}
    cards = tuple(_seat_card(view, sizes[layout], layout, money, moved) for view in board.seats)
    bank = next((card for card in cards if card.is_banker), None)
    foes: tuple[SeatCard, ...] = tuple(card for card in cards if card is not bank)
    if bank is not None and layout == "match":
        banker = bank.seat
        # Beside the bank the others stand in the order in which they show their tiles (PG-11).
        foes = tuple(sorted(foes, key=lambda card: (banker - card.seat) % 4))
        bank = _seat_card(board.seats[cards.index(bank)], "xl", layout, money, moved)
    return BoardCard(
        layout=layout,
        seats=cards,
        bank=bank,
        foes=foes,
        bank_door=_door_card(board.doors[0], "xl", money) if board.doors else None,
        doors=tuple(_door_card(door, "l", money) for door in board.doors[1:]),
        placed=tuple(_placed_card(placed) for placed in board.placed),
        dice=board.dice,
        dice_note=board.dice_note,
        heading=board.heading,
        notes=board.notes,
        corner_notes=board.corner_notes,
        text=(
            *(_seat_text(view, money) for view in board.seats),
            *(_placed_text(placed) for placed in board.placed),
            *(_door_text(door) for door in board.doors),
        ),
    )


def _seat_card(
    view: replay.SeatView, size: str, layout: Layout, money: Money, moved: Mapping[int, str]
) -> SeatCard:
    is_down = layout != "court" and not view.is_shown and bool(view.holding)
    return SeatCard(
        seat=view.seat,
        place=markup.SEAT_PLACES[view.seat],
        name=markup.SEAT_NAMES[view.seat],
        player=view.player,
        is_banker=view.is_banker,
        is_turn=view.is_turn,
        seal=markup.seal(view.seat, is_banker=view.is_banker and layout == "match"),
        tiles=markup.linked_tiles(view.holding, size, "down" if is_down else "")
        + markup.linked_tiles(view.gone, size, "gone"),
        has_tiles=bool(view.holding or view.gone),
        is_down=is_down,
        pile=view.tricks,
        backs=range(min(view.tricks or 0, 8)),
        brought=money.plain(view.carry_in_minor),
        so_far=None if view.so_far_minor is None else money.signed(view.so_far_minor),
        so_far_url=moved.get(view.seat),
        due=None if view.due_minor is None else money.signed(view.due_minor),
        banker_note=_banker_words(view),
        lines=view.lines,
        hand_name=view.hand_name,
        hand_name_hant=view.hand_name_hant,
        hand_note=view.hand_note,
        outcome=view.outcome,
        outcome_reason=view.outcome_reason,
        outcome_rule=view.outcome_rule,
    )


def _banker_words(view: replay.SeatView) -> str:
    note = view.banker_note or BANKER
    return told(note) if note.startswith("Banker") else phrase("Banker, {note}", note=note)


def _placed_card(placed: replay.Placed) -> PlacedCard:
    return PlacedCard(
        place=markup.SEAT_PLACES[placed.seat],
        state=placed.state,
        order=placed.order,
        title=placed.title,
        note=placed.note,
        tiles=markup.linked_tiles(placed.tiles, "l", "down" if placed.state == "down" else ""),
    )


def _door_card(door: replay.DoorView, size: str, money: Money) -> DoorCard:
    return DoorCard(
        title=door.title,
        seal=told(door.title_hant)[:1],
        tiles=markup.linked_tiles(door.tiles, size),
        is_turn=door.is_turn,
        hand_name=door.hand_name,
        hand_name_hant=door.hand_name_hant,
        hand_note=door.hand_note,
        outcome=door.outcome,
        outcome_reason=door.outcome_reason,
        outcome_rule=door.outcome_rule,
        wagers=tuple(
            WagerLine(
                bet=wager.bet,
                player=wager.player,
                side=told(markup.SIDES[wager.side]),
                stake=money.plain(wager.stake_minor),
                profit=None if wager.profit_minor is None else money.signed(wager.profit_minor),
            )
            for wager in door.wagers[:WAGERS_SHOWN]
        ),
        more=max(0, len(door.wagers) - WAGERS_SHOWN),
    )


def _door_text(door: replay.DoorView) -> str:
    parts = [phrase("{door}: {tiles}", door=door.title, tiles=_names(door.tiles))]
    parts.extend(word for word in (door.hand_name, door.outcome) if word)
    if door.wagers:
        parts.append(phrases("{count} wager", "{count} wagers", len(door.wagers)))
    return phrase("{facts}.", facts=listed(parts, "; "))


def _names(codes: tuple[str, ...]) -> str:
    if replay.BACK in codes:
        return phrases("{count} tile face down", "{count} tiles face down", len(codes))
    return listed(markup.spoken(code) for code in codes) or phrase("none")


def _seat_text(view: replay.SeatView, money: Money) -> str:
    parts = [phrase("{seat}, {player}", seat=markup.SEAT_NAMES[view.seat], player=view.player)]
    if view.is_banker:
        parts.append(_banker_words(view))
    if view.is_turn:
        parts.append(phrase("to act"))
    parts.append(phrase("holds {names}", names=_names(view.holding)))
    if view.hand_name:
        parts.append(view.hand_name)
    if view.tricks is not None:
        parts.append(phrase("has taken {tricks} 棟", tricks=view.tricks))
    parts.extend(view.lines)
    parts.append(phrase("brought {amount}", amount=money.plain(view.carry_in_minor)))
    if view.so_far_minor is not None:
        parts.append(phrase("so far {amount}", amount=money.signed(view.so_far_minor)))
    if view.due_minor is not None:
        parts.append(phrase("due {amount}", amount=money.signed(view.due_minor)))
    if view.outcome:
        parts.append(view.outcome)
    return phrase("{facts}.", facts=listed(parts, "; "))


def _placed_text(placed: replay.Placed) -> str:
    state = PLACED_WORDS[placed.state]
    facts = [_names(placed.tiles), placed.title, *([state] if state else [])]
    return phrase(
        "On the table, {order}: {seat}, {facts}.",
        order=placed.order,
        seat=markup.SEAT_NAMES[placed.seat],
        facts=listed(facts),
    )
