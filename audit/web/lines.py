"""Pieces of HTML of which a hand's page has one for each event: its line in the list, and what
became of its tiles. A template takes several times as long for each.

What is put into a piece is escaped, by `chinese` or here, or safe already; times are digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString

from audit.web.language import here, phrase, phrase_html, told
from audit.web.markup import chinese, die, icon
from audit.web.presenters.events import EventGroup, EventLine
from audit.web.presenters.whereabouts import Passage, TileTrail

# A part of the list takes 3 to 10 kB, so that these are about 1 MB.
GROUPS_KEPT = 128


def event_groups(groups: Iterable[EventGroup]) -> SafeString:
    """The parts of the list of events."""
    language = here()
    return SafeString("".join([drawn_group(one, _told(one), language) for one in groups]))


def _told(group: EventGroup) -> tuple[str, ...]:
    """The words that a part has from the core: what is one in English may be two elsewhere."""
    return told(group.title), told(group.note), *[told(line.text) for line in group.lines]


@lru_cache(maxsize=GROUPS_KEPT)
def drawn_group(group: EventGroup, _words: tuple[str, ...], _language: str | None) -> SafeString:
    """A part of the list, kept by all that it says: for others than the auditor it is mostly as it
    was at the step before. Its words are here, and the language, as part of that."""
    return render_to_string("hands/_event_group.html", {"group": group})


def event_lines(lines: Iterable[EventLine]) -> SafeString:
    """The lines of one part of the list of events."""
    return SafeString("".join([f"{event_line(line)}\n" for line in lines]))


def event_line(line: EventLine) -> SafeString:
    """A line of the list of events, which leads to its step."""
    look = (" ev-found" if line.found else "") + (" ev-late" if line.is_late else "")
    current = ' aria-current="step"' if line.is_current else ""
    dice = "".join(die(value) for value in line.dice or ())
    dice = f'<span class="dice">{dice}</span>' if dice else ""
    tiles = f'<span class="tiles">{line.tiles}</span>' if line.tiles else ""
    stop = _words(here())["stop"] if line.is_stop else ""
    return SafeString(
        f'<li><a class="ev{look}" href="{escape(line.url)}" data-step'
        f' data-key="event-{line.number}"{current}><span class="ev-no">{line.number}</span>'
        f'{line.seal or "<span></span>"}<span class="ev-what">{dice}'
        f'<span>{chinese(line.text)}</span>{tiles}</span><span class="ev-time">{_marks(line)}'
        f"</span></a>{stop}</li>"
    )


def _marks(line: EventLine) -> str:
    """The clock of an event, whether something was found there, who acted, the time to think."""
    words = _words(here())
    at = f'<small class="ev-at">{line.at}</small>' if line.at else ""
    found = words["found"] if line.found else ""
    timer = words["timer"] if line.is_auto else ""
    think = f'<span title="{words["since"]}">+{line.think}</span>' if line.think else ""
    return f"{at}{found}{timer}{words['unknown'] if line.think_unknown else think}"


@lru_cache(maxsize=4)
def _words(_language: str | None) -> dict[str, str]:
    """What lines say again and again, in the language of the request."""
    finding, clock = icon("finding"), icon("clock")
    absent = escape(phrase("The platform acted for an absent player"))
    timer = escape(phrase("by timer"))
    back = escape(phrase("The clock stepped back: how long this took is unknown"))
    stop = escape(phrase("Replay stops here. What follows is shown as logged."))
    return {
        "found": f'<span class="visually-hidden">{escape(phrase("finding"))} </span>{finding}',
        "timer": f'<span class="tag" title="{absent}">{clock}{timer}</span>',
        "unknown": f'<abbr title="{back}">{escape(phrase("unknown"))}</abbr>',
        "since": escape(phrase("time since the event before")),
        "stop": f'<p class="stop">{finding}{stop}</p>',
    }


def trail_items(trails: Iterable[TileTrail]) -> SafeString:
    """What became of the tiles of each kind, each as an item of a list."""
    return SafeString("".join([_trail(one) for one in trails]))


def _trail(one: TileTrail) -> str:
    passages = "".join([passage(each) for each in one.passages])
    return (
        f'<li id="{one.anchor}"><span class="trail-tile">{one.tile}</span>'
        f'<span><b>{chinese(one.name)}</b><span class="passages">{passages}</span></span></li>'
    )


def passage(one: Passage) -> SafeString:
    """A place that a tile passed, which leads to its step."""
    seal = f" {one.seal}" if one.seal else ""
    step = phrase_html(", step {number}", number=one.number)
    return SafeString(f'<a href="{escape(one.url)}" data-step>{chinese(one.words)}{seal}{step}</a>')
