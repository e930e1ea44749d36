"""What an address carries is read, or refused: no page leaves a word of it aside in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import Resolver404, resolve

from audit.models import JournalEntry, Role
from tests.access import signed_in
from tests.web import test_access_table as table
from tests.web.access_rows import NOT_TAKEN, Row, written

keys = table.keys
# Whoever looks as a seat, or by a link, sees what he saw whatever words are added (SVC-60).
OF_A_HAND = {
    "hand", "step", "steps", "what-if", "api-step", "shared", "shared-step", "shared-steps",
}  # fmt: skip
# Asked by machines of operations, which add words of their own so that no cache answers.
OF_OPERATIONS = {"healthz", "readyz", "metrics"}
# A word that each of these reads; the others are asked for `cursor`, which they know or refuse.
READ = {
    "hand": "rows", "step": "rows", "shared": "rows", "shared-step": "rows", "what-if": "change",
    "steps": "to", "shared-steps": "to", "api-step": "as", "login": "next", "players": "q",
    "journal": "player", "hands": "table", "claims": "player", "api-hands": "table",
}  # fmt: skip


def more(address: str, words: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{words}"


def looked_at(keys: dict[str, Any]) -> Iterator[tuple[Row, str, Client]]:
    """Every address that is looked at, with somebody who may."""
    user = get_user_model().objects.get(username="ines.castro")
    visitor = table.Visitor(user, set(Role))
    for row in written():
        if row.looking == NOT_TAKEN or row.name in OF_OPERATIONS | {"api-nowhere", "api-key"}:
            continue
        browser = Client(headers=visitor.headers) if row.is_api else visitor.browser
        if row.name == "api-docs":
            browser = visitor.browser
        yield row, table.address_of(row, keys), Client() if row.is_public else browser


def refused(browser: Client, address: str) -> bool:
    """Whether it is refused as an address that cannot be read, or that leads nowhere."""
    return browser.get(address).status_code in (400, 404)


def test_an_unknown_word_is_refused_everywhere_but_on_the_pages_of_a_hand(
    keys: dict[str, Any],
) -> None:
    taken = set()
    for row, address, browser in looked_at(keys):
        before = JournalEntry.objects.count()
        answer = browser.get(more(address, "verdct=void"))
        if answer.status_code == 400:
            assert "verdct" in answer.content.decode(), row.name
            assert JournalEntry.objects.count() == before, row.name
        else:
            taken.add(row.name)
    assert taken == OF_A_HAND


def test_a_word_that_stands_twice_or_with_a_nul_is_refused_everywhere(
    keys: dict[str, Any],
) -> None:
    passed = set()
    for row, address, browser in looked_at(keys):
        word = READ.get(row.name, "cursor")
        for query in (f"{word}=&{word}=", f"{word}=%00"):
            if not refused(browser, more(address, query)):
                passed.add((row.name, query))
    assert passed == set()


def test_a_form_is_not_sent_to_an_address_with_words_that_nobody_reads(
    keys: dict[str, Any],
) -> None:
    user = get_user_model().objects.get(username="ines.castro")
    browser = signed_in(user)
    rows = [row for row in written() if row.sending != NOT_TAKEN and not row.is_api]
    assert len(rows) > 30
    for row in rows:
        address = more(table.address_of(row, keys), "nobody=1")
        does = {table.FIELDS.get(row.name, ""): next(iter(row.sent))}
        answer = browser.post(address, {key: one for key, one in does.items() if key})
        assert (row.name, answer.status_code) == (row.name, 400)


def test_what_is_refused_is_said_in_the_language_of_the_page(site: Client) -> None:
    answer = site.get("/desk/claims/?plyer=Ann")
    assert answer.status_code == 400
    assert "There is no parameter “plyer” at this address: it takes player, cursor." in unescape(
        answer.content.decode()
    )
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    site.post("/language", {"language": "zh-hans"})
    for address, words in (
        ("/desk/claims/?plyer=Ann", "此地址没有参数“plyer”，可用的是 player, cursor。"),
        ("/desk/?plyer=Ann", "此地址没有参数“plyer”，它不带参数。"),
        ("/desk/claims/?player=Ann&player=Bo", "“player”出现了不止一次。"),
        ("/desk/claims/?player=%00", "“player”含有名字里没有的字符。"),
    ):
        assert words in site.get(address).content.decode(), address
    table = site.get("/exports/hands.csv?verdct=void")
    assert table["Content-Type"] == "text/plain; charset=utf-8"
    assert table.content.decode().startswith("此地址没有参数“verdct”，可用的是 game, table, ")


def test_a_stranger_and_a_link_are_told_as_well(db: None) -> None:
    answer = Client().get("/login?nxt=/hands/")
    assert answer.status_code == 400
    assert "“nxt”" in answer.content.decode()
    assert Client().get("/login?next=%FF").status_code == 400


@pytest.mark.parametrize(
    "query",
    ["cases/{case}/?left=2", "cases/{case}/?left=yes", "queue/?overdue=2", "queue/?owner=all"],
)
def test_a_value_that_nobody_knows_is_refused_at_the_desk(keys: dict[str, Any], query: str) -> None:
    browser = signed_in(get_user_model().objects.get(username="ines.castro"))
    assert browser.get("/desk/" + query.format(**keys)).status_code == 400


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/totals/?by=colour", 400),
        ("/totals/?by=game", 200),
        ("/exports/hands.csv?mark=maybe", 400),
        ("/exports/hands.csv?cursor=1", 400),
        ("/certificates/export.csv?mark=yes", 400),
        ("/desk/claims/new/?hand=1e3", 404),
        ("/desk/claims/new/?hand=999", 404),
        ("/desk/claims/new/?hand=", 200),
        ("/rules/rulesets/in-force?source=odd", 200),
    ],
)
def test_a_value_out_of_range_is_refused(site: Client, address: str, status: int) -> None:
    assert site.get(address).status_code == status


# -- the site's own links -------------------------------------------------------------------


def test_every_link_and_every_search_of_the_site_is_one_that_it_takes(
    keys: dict[str, Any],
) -> None:
    """Each page's own links and forms that look, with every word that they carry."""
    browser = signed_in(get_user_model().objects.get(username="ines.castro"))
    queue = [table.address_of(row, keys) for row in written() if is_page(row)]
    asked: dict[tuple[str, frozenset[str]], str] = {}
    followed: dict[str, int] = {}
    while queue:
        address = queue.pop()
        parts = urlsplit(address)
        try:
            name = resolve(parts.path).url_name or ""
        except Resolver404:
            continue
        words = frozenset(parse_qs(parts.query, keep_blank_values=True))
        # One of each kind: the same words mean the same on each page of a name.
        if (name, words) in asked:
            continue
        asked[name, words] = address
        answer = browser.get(address)
        followed[address] = answer.status_code
        if not answer.streaming and answer["Content-Type"].startswith("text/html"):
            queue += [urljoin(address, one) for one in ways(answer.content.decode())]
    wrong = {address: status for address, status in followed.items() if status in (400, 500)}
    assert wrong == {}
    assert {"queue", "hands", "claims", "sign-ins", "totals", "reaudit-changes"} <= {
        name for name, words in asked if words
    }


def is_page(row: Row) -> bool:
    return row.looking != NOT_TAKEN and not row.is_api and not row.is_public


def ways(html: str) -> Iterator[str]:
    """Where a page leads: its links, what its script asks for, its forms that look, empty and
    with each field."""
    for address in re.findall(r'(?:href|hx-get|data-[a-z-]+)="([/?][^"#]*)', html):
        yield unescape(address)
    for tag, body in re.findall(r"<form ([^>]*)>(.*?)</form>", html, re.S):
        action = re.search(r'action="([^"]*)"', tag)
        if 'method="get"' in tag and action is not None:
            names = re.findall(r'<(?:input|select|button)\b[^>]*\bname="([^"]+)"', body)
            values = dict.fromkeys(names, "")
            query = "&".join(f"{name}={'0' if name == 'step' else ''}" for name in values)
            yield f"{unescape(action[1])}?{query}"


def test_nobody_is_refused_as_unread_who_may_not_ask_at_all(
    django_user_model: Any, db: None
) -> None:
    browser = signed_in(django_user_model.objects.create_user("nobody.at.all"))
    answer = browser.get("/hands/?verdct=void")
    assert answer.status_code == 403
