"""What a template needs to print the shapes of the core: thin names for `audit.web.markup`."""

from functools import cache

from django import template
from django.template.loader import render_to_string
from django.utils.translation import get_language

import replay
from audit.web import figures, lines, markup, seats
from audit.web.access import access_of_request
from audit.web.navigation import Area, Group, areas_for
from audit.web.presenters.hands import logged_words
from audit.web.stored import stored, stored_filter

register = template.Library()

LANGUAGE_TAGS = {"en": "en", "zh-hant": "zh-Hant", "zh-hans": "zh-Hans"}
# Each in its own words: whoever cannot read the page finds his language by them.
LANGUAGE_NAMES = {
    "en": {"name": "English", "short": "EN"},
    "zh-hant": {"name": "繁體中文", "short": "繁"},
    "zh-hans": {"name": "简体中文", "short": "简"},
}

register.simple_tag(markup.tile, name="tile")
register.simple_tag(markup.tiles, name="tiles")
register.simple_tag(markup.tile_back, name="tile_back")
register.simple_tag(markup.die, name="die")
register.simple_tag(markup.icon, name="icon")
register.simple_tag(markup.seal, name="seal")
register.simple_tag(markup.sprite, name="sprite")
register.simple_tag(markup.rule_link, name="rule_link")
register.simple_tag(markup.confidence_mark, name="confidence_mark")
register.simple_tag(markup.both, name="both")
register.simple_tag(markup.character, name="character")
register.filter("figure", figures.figure)
register.filter("column_titles", figures.column_titles)
register.filter("column_words", figures.column_words)
register.filter("settlement_rows", figures.settlement_rows)
register.filter("way_row", figures.way_row)
register.filter("event_groups", lines.event_groups)
register.filter("event_lines", lines.event_lines)
register.filter("trail_items", lines.trail_items)
register.filter("seat_cards", seats.seat_cards)
register.filter("chinese", markup.chinese)
register.filter("items", markup.items)
register.filter("stored", stored)
register.filter("stored_filter", stored_filter)
register.filter("word", markup.word)
register.filter("minus", markup.minus)
register.filter("thousands", markup.thousands)
register.filter("grouped", markup.grouped)
register.filter("code_title", markup.code_title)
register.filter("logged", logged_words)


@register.simple_tag
def engine() -> str:
    """The version of the engine that this process runs."""
    return replay.ENGINE


# Marks between the parts of a line, as Chinese sets them.
_WIDE_MARKS = {
    ", ": "，", ",": "，", ". ": "。", ".": "。", "; ": "；", ";": "；", ": ": "：", ":": "：",
    " (": "（", "(": "（", ")": "）", " ": "",
}  # fmt: skip


@register.simple_tag
def mark(narrow: str) -> str:
    """A comma, a stop, a colon or a bracket as the language of the page writes it.

    A blank is what stands between two sentences: nothing, where a stop is as wide as a letter.
    """
    return narrow if markup.is_english() else _WIDE_MARKS[narrow]


@register.simple_tag
def fixed(name: str) -> str:
    """A template of ours that asks for nothing but the language, drawn once for each."""
    return _fixed(name, get_language())


@cache
def _fixed(name: str, _language: str | None) -> str:
    return render_to_string(name)


@register.simple_tag
def language_tag() -> str:
    """The language of the page as HTML writes it."""
    return LANGUAGE_TAGS[get_language() or "en"]


@register.inclusion_tag("_navigation.html", takes_context=True)
def navigation(context: template.Context) -> dict[str, object]:
    """The areas that whoever asks may open; that of this page is marked, and its group."""
    here = context.get("section")
    entries = areas_for(access_of_request(context["request"]))
    return {"entries": [_entry(one, here) for one in entries]}


def _entry(one: Area | Group, here: object) -> dict[str, object]:
    if isinstance(one, Area):
        return {"name": one.name, "title": one.title, "is_current": one.name == here}
    areas = [_entry(area, here) for area in one.areas]
    return {
        "title": one.title,
        "areas": areas,
        "is_current": any(area["is_current"] for area in areas),
    }


@register.inclusion_tag("_languages.html", takes_context=True)
def languages(context: template.Context) -> dict[str, object]:
    """The form that chooses the language; it leads back to the page that it stands on."""
    request = context.get("request")
    here = get_language()
    return {
        "csrf_token": context.get("csrf_token"),
        "languages": [
            {"code": code, "tag": tag, "is_current": code == here, **LANGUAGE_NAMES[code]}
            for code, tag in LANGUAGE_TAGS.items()
        ],
        "next": request.path if request and request.method == "GET" else "",
    }


@register.filter
def add_float(number: float, more: float) -> float:
    """A coordinate a little further on; the filter `add` knows whole numbers only."""
    return round(number + more, 1)
