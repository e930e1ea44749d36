"""Functions made of templates draw what Django draws, in each language, or are not made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from django.shortcuts import render
from django.template import Context, Engine, Template
from django.template.loader import get_template, render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

import replay
from audit import selectors
from audit.models import Hand
from audit.web import compiling, compiling_nodes, kept, parts
from audit.web.compiling import NotCompilable, compiled, draw, draw_page
from audit.web.views import viewer
from replay import say
from tests.web.lines import GOLDEN

LANGUAGES = ("en", "zh-hant", "zh-hans")
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
LOAD = "{% load i18n static tilecourt %}"


class Seat:
    """What a template looks into: no items, a method, a property that may be missing."""

    name = "<East> & 'more'"
    safe = mark_safe("<b>East</b>")
    word = say("East")
    count = 1234567
    ratio = 0.5
    nothing = None
    is_turn = True
    tiles = ("33", "16")
    pairs: Mapping[str, int] = {"a": 1, "items": 2}

    def loud(self) -> str:
        return "<loud>"

    def asks(self, more: str) -> str:
        return more


CONTEXT: Mapping[str, Any] = {
    "seat": Seat(), "seats": [Seat(), Seat()], "none": None, "empty": "", "zero": 0, "one": 1,
    "many": 3, "pair": ("x", "<y>"), "rows": [("a", 1), ("b", None)], "made": {"key": "<v>"},
    "text": "a-1 莊 <b>", "day": datetime(2026, 3, 1, 12, 30, tzinfo=UTC), "number": 5,
    "odd": "100 % of %(it)s {here}", "csrf_token": "<token>",
}  # fmt: skip

SAME = (
    "plain <b>text</b> 100 % {x} 'q' \"d\" \\ \n%(a)s",
    "{{ seat.name }}{{ seat.safe }}{{ seat.word }}{{ seat.count }}{{ seat.ratio }}",
    "{{ seat.nothing }}{{ seat.is_turn }}{{ seat.loud }}[{{ seat.asks }}][{{ seat.gone }}]",
    "[{{ gone }}][{{ gone.more }}]{{ day }}{{ odd }}[{{ none.real }}]{{ text.upper }}",
    "{{ made.key }}{{ made.gone }}{{ pair.1 }}{{ pair.7 }}{{ rows.0.1 }}{{ seat.tiles.0 }}",
    "{{ seat.pairs.a }}{{ seat.pairs.items }}{{ 7 }}{{ 'lit<' }}{{ _('Seat') }}",
    "{{ text|chinese }}{{ seat.safe|chinese }}{{ gone|default:'-' }}{{ gone|default:seat.name }}",
    "{{ none|default:'<i>' }}{{ empty|default:text|chinese }}{{ seat.name|slice:':2' }}",
    "{{ seat.safe|slice:':4' }}{{ rows|length }}{{ gone|length }}{{ text|urlencode:'' }}",
    "{{ day|date:'Y-m-d H:i' }}{{ day|date:'c' }}{{ seat.safe|upper }}{{ seat.name|upper }}",
    "{{ seat.name|linebreaksbr }}{{ seat.safe|linebreaksbr }}{{ 'const<'|upper }}",
    "{% if seat.is_turn and not zero %}a{% elif one %}b{% else %}c{% endif %}",
    "{% if gone %}a{% elif gone.more %}b{% else %}c{% endif %}{% if not gone %}d{% endif %}",
    "{% if gone is None %}a{% endif %}{% if seat.nothing is not None %}b{% endif %}",
    "{% if seat.name == text or one == 1 %}a{% endif %}{% if gone == none %}b{% endif %}",
    "{% if many > one %}a{% endif %}{% if none > one %}b{% endif %}",
    "{% if gone > gone %}a{% endif %}{% if rows|length > one %}b{% endif %}",
    "{% if gone|length %}a{% endif %}{% if one != 2 %}b{% endif %}",
    "{% if one is seat %}a{% endif %}{% if '' == empty %}b{% endif %}",
    "{% if gone != empty %}a{% endif %}{% if made.gone != none %}b{% endif %}",
    "{% for one in seats %}{{ forloop.counter }}{{ one.name }}{% endfor %}{{ one }}",
    "{% for key, value in rows %}{{ key }}={{ value }}{{ forloop.counter }};{% endfor %}{{ key }}",
    "{% for a in gone %}x{% endfor %}{% for a in none %}y{% endfor %}",
    "{% for a in rows %}{% for b in a %}{{ forloop.counter }}{{ b }}{% endfor %};{% endfor %}",
    "{% for a in rows %}{% for b in a %}{% endfor %}{{ forloop.counter }}{% endfor %}{{ a }}",
    "{% for key, value in made.items %}{{ key }}{{ value }}{% endfor %}",
    "{% with a=seat.name b=gone %}{{ a }}{{ b }}{% if b is None %}!{% endif %}{% endwith %}",
    "{{ one }}{% with one=many many=one %}{{ one }}{{ many }}{% endwith %}{{ one }}",
    "{% translate 'Seat' %}{% translate 'not there' as word %}{{ word }}{{ word|upper }}",
    "{% if one %}{% with a=1 %}{% translate 'Seat' as word %}{{ word }}{% endwith %}{% endif %}",
    "{% translate \"Replay <span lang='x'>100 %</span>\" %}{{ _('Seat')|lower }}",
    "{% blocktranslate with number=seat.name %}, step {{ number }}{% endblocktranslate %}",
    "{% blocktranslate %}Table <bdi>{{ text }}</bdi> 100 %{% endblocktranslate %}",
    "{% blocktranslate with table=seat.gone %}Table <bdi>{{ table }}</bdi>{% endblocktranslate %}",
    "{% blocktranslate count found=many %}finding{% plural %}findings{% endblocktranslate %}",
    "{% blocktranslate count n=one %}{{ n }} at <{% plural %}{{ n }} at > <{% endblocktranslate %}",
    (
        "{% blocktranslate count count=many with forced=seat.name %}{{ forced }} of {{ count }} "
        "decision was forced{% plural %}{{ forced }} of {{ count }} decisions were forced"
        "{% endblocktranslate %}"
    ),
    "{% icon 'finding' %}{% character '莊' %}{% mark ': ' %}",
    "{% both none text %}{% both '莊' 'x' %}",
    "{% tile seat.tiles.0 %}{% tile '33' size='s' %}{% rule_link none %}{% die 3 %}",
    "{% static 'css/base.css' %}{% csrf_token %}{{ True }}{{ None }}{% if True %}a{% endif %}",
    "{% for a in pair %}{{ a }}{% if not forloop.last %}, {% endif %}{% endfor %}",
    "{% block main %}{{ text }}{% endblock %}{% languages %}",
    "{% url 'hands' %}?a={% url 'hand' number %}",
    "{% include '_pager.html' with back=_('Earlier rows') on=seat.name previous=text next=gone %}",
    "{% include 'uploads/_named.html' with upload=number name=seat.name only %}",
    "{% include '_verdict.html' with kind='discrepant' count=many only %}",
    "{% for kind in pair %}{% include '_verdict.html' with count=one %}{% endfor %}",
)

REFUSED = (
    "{% now 'Y' %}",
    "{% for a in seats reversed %}{% endfor %}",
    "{% for a in seats %}{% empty %}none{% endfor %}",
    "{% for a in seats %}{{ forloop.first }}{% endfor %}",
    "{{ forloop.counter }}",
    "{% if one < many %}{% endif %}",
    "{% if one in pair %}{% endif %}",
    "{% if one %}{% translate 'Seat' as word %}{% endif %}{{ word }}",
    "{% translate text %}",
    "{% blocktranslate trimmed %} a {% endblocktranslate %}",
    "{% blocktranslate asvar word %}a{% endblocktranslate %}",
    "{% icon 'warn' as drawn %}",
    "{% with a=one %}{% languages %}{% endwith %}",
    "{% static text %}",
    "{% static 'css/base.css' as address %}",
    "{% extends text %}",
    "{% block main %}{{ block.super }}{% endblock %}",
    "{% url 'hand' hand=number %}",
    "{% url 'hand' number as address %}",
    "{% include text %}",
    "{% autoescape off %}{{ text }}{% endautoescape %}",
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("words", SAME)
def test_what_is_drawn_is_what_django_draws(words: str, language: str) -> None:
    template = Template(LOAD + words)
    with translation.override(language):
        assert compiled(template)(CONTEXT) == template.render(Context(dict(CONTEXT)))


@pytest.mark.parametrize("words", REFUSED)
def test_what_no_function_is_made_of_is_refused(words: str) -> None:
    with pytest.raises(NotCompilable):
        compiled(Template(words if "extends" in words else LOAD + words))


def test_blocks_are_those_of_the_template_that_fills_them_last() -> None:
    engine = Engine(
        loaders=[
            (
                "django.template.loaders.locmem.Loader",
                {
                    "page": "<{% block a %}page a{% endblock %}|{% block b %}page b{% endblock %}|"
                    "{% block c %}page {{ c }}{% endblock %}>",
                    "area": "{% extends 'page' %}{% block a %}area a{% endblock %}"
                    "{% block b %}area b{% endblock %} lost",
                    "hand": "{% extends 'area' %}lost{% block b %}{{ c }}"
                    "{% block d %}d{% endblock %}{% endblock %}",
                },
            )
        ]
    )
    for name in ("page", "area", "hand"):
        template = engine.get_template(name)
        assert compiled(template)({"c": "<c>"}) == template.render(Context({"c": "<c>"}))


def test_each_language_has_a_function_of_its_own() -> None:
    drawn = []
    for language in (*LANGUAGES, "en"):
        with translation.override(language):
            drawn.append(draw("_verdict.html", {"kind": "void"}))
    words = [re.search(r"</svg>(\S+)</span>", text) for text in drawn]
    assert [word and word[1] for word in words] == ["Void", "作廢", "作废", "Void"]


def test_a_sentence_that_was_translated_with_other_places_is_told_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiling_nodes, "gettext", lambda words: words.replace("number", "nombre"))
    words = "{% load i18n %}{% blocktranslate %}step {{ number }}{% endblocktranslate %}"
    assert compiled(Template(words))({"number": 7}) == "step 7"


def test_while_templates_are_worked_on_django_draws_them(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "_function_of", None)
    settings.DEBUG = True
    assert draw("_verdict.html", {"kind": "void"}) == render_to_string(
        "_verdict.html", {"kind": "void"}
    )


# Hands of each game: clean, with clocks and timers, with names of all kinds, with refused plays.
TOLD_BY = ("base-hands", "names-accepted", "repeats-clocks-timers", "tien-gow-play")


def scenarios() -> list[bytes]:
    """Of each file a few hands of each game, of each game some with findings, and one of a wall."""
    lines: list[bytes] = []
    for name in TOLD_BY:
        of_game: dict[str, list[bytes]] = {}
        for line in (GOLDEN / "odd" / f"{name}.ndjson").read_bytes().splitlines():
            with suppress(replay.Refusal):
                of_game.setdefault(replay.read(line).game.name, []).append(line)
        lines += [line for found in of_game.values() for line in found[:2]]
    for game in replay.GAMES:
        lines += (GOLDEN / game / "planted.ndjson").read_bytes().splitlines()[:3]
    clean = (GOLDEN / "tien-gow" / "clean.ndjson").read_bytes().splitlines()
    return [*lines, next(line for line in clean if b'"stacks"' in line)]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_part_of_a_page_is_what_django_draws(
    site: Any, store: Any, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    seen: dict[str, int] = {}

    def both(name: str, context: Mapping[str, Any]) -> Any:
        drawn = draw(name, context)
        assert drawn == get_template(name).template.render(Context(dict(context)))  # type: ignore[attr-defined]
        seen[name] = seen.get(name, 0) + 1
        return drawn

    def both_pages(request: Any, name: str, context: Mapping[str, Any]) -> Any:
        drawn = draw_page(request, name, context)
        # The token of a form is another one each time.
        pages = [TOKEN.sub(b"", one.content) for one in (drawn, render(request, name, context))]
        assert pages[0] == pages[1]
        seen[name] = seen.get(name, 0) + 1
        return drawn

    kept.forget()
    monkeypatch.setattr(parts, "drawn", both)
    monkeypatch.setattr(viewer, "draw_page", both_pages)
    store(*scenarios())
    site.cookies["tilecourt_language"] = language
    for pk in Hand.objects.order_by("pk").values_list("pk", flat=True):
        assert site.get(f"/hands/{pk}/").status_code == 200
        played = selectors.played_hand(pk, sources=None)
        last = len(json.loads(played.raw)["events"])
        # Nobody sits at a door of Wenzhou Pai Gow.
        seat = "" if played.hand.game == "wenzhou-pai-gow" else "?as=seat-2"
        for looks in ("", "?as=public", seat):
            for number in sorted({0, last // 2, last}):
                assert site.get(f"/hands/{pk}/steps/{number}/{looks}").status_code == 200
    assert set(seen) == {
        "hands/hand.html",
        "hands/_head.html",
        "hands/_step.html",
        "hands/_events.html",
        "hands/_trails.html",
        "hands/_wall.html",
        "hands/_result.html",
    }
    assert replay.GAMES.keys() == set(Hand.objects.values_list("game", flat=True))
