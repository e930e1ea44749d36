"""What was open to the seat that acted, and whether it was forced."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import say
from audit.web.presenters.steps import by_whom

# So many discards stand open; more are folded away.
DISCARDS_OPEN = 12

_FREEDOMS = {
    "forced": say("forced: nothing else was open"),
    "discard": say("forced to discard, free in which"),
    "free": say("free to choose"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceCard:
    """One choice: its name, its tiles, and whether it was the one that was taken."""

    title: str
    tiles: SafeString
    is_taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCard:
    """`plays` are all choices but discards; `is_long`: the discards are folded away at first."""

    seal: SafeString
    name: str
    freedom: str
    words: str
    rule: SafeString
    by: str
    plays: tuple[ChoiceCard, ...]
    discards: tuple[ChoiceCard, ...]
    is_long: bool
    is_off_list: bool


def present_decision(decision: replay.Decision, step: replay.Step) -> DecisionCard:
    """The choices of a seat beside its step."""
    cards = [(choice, _card(choice)) for choice in decision.choices]
    discards = tuple(card for choice, card in cards if choice.act == "discard")
    return DecisionCard(
        seal=markup.seal(decision.seat),
        name=markup.SEAT_NAMES[decision.seat],
        freedom=_FREEDOMS[decision.freedom],
        words=decision.words,
        rule=markup.rule_link(decision.rule),
        by=by_whom(step) or "",
        plays=tuple(card for choice, card in cards if choice.act != "discard"),
        discards=discards,
        is_long=len(discards) > DISCARDS_OPEN,
        is_off_list=not any(choice.is_taken for choice in decision.choices),
    )


def _card(choice: replay.Choice) -> ChoiceCard:
    return ChoiceCard(
        title=choice.title if choice.act != "discard" else "",
        tiles=markup.tiles(choice.tiles, "s"),
        is_taken=choice.is_taken,
    )
