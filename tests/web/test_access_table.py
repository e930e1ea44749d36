"""Every address of the site as every role: what docs/access.md says is what happens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from audit import services
from audit.models import JournalEntry, Role, Visit
from audit.selectors.access import TABLE, WHOLE_SERVICE, Act
from tests.access import signed_in, trusted, with_roles
from tests.web.access_rows import (
    DOCUMENT,
    NOT_TAKEN,
    Row,
    declared,
    patterns,
    said_of,
    written,
)
from tests.web.operators import draft_of, operator_of

ROLES_TITLE = "| act | " + " | ".join(role.value for role in Role) + " | reaches |"
COMMON = {
    "number": 1, "name": "changes", "report": "hands", "form": "csv", "secret": "nothing",
    "hook": 1, "ruleset": "tien-gow/classic", "revision": 1, "key": 1,
}  # fmt: skip
# The same words mean other things in some addresses.
MEANT = {
    "/reports/": {"run": "report-run", "report": "made-report"},
    "/api/v1/hands/": {"version": "number"},
    "/api/v1/reports/": {"made": "made-report"},
    "/retention/runs/": {"run": "retention-run"},
    "/rules/rulesets/": {"reaudit": "rehearsal"},
}
# What must be asked for by name.
ASKED = {
    "case-letter": "?{letter}", "case-letter-pdf": "?{letter}", "steps": "?step={number}",
}  # fmt: skip
OF_ANY_HAND = JournalEntry.objects.exclude(hand=None)
# In which field a form says what it does.
FIELDS = {one.name: getattr(one.callback, "needed_field", "") for _, one in patterns()}
# Whoever has no role has no first page.
HOME = "home"
# Addresses that name a verdict, or a record, and show its hand.
OF_HAND = ("api-verdict", "reaudit-change")
# What whoever sees hands is shown of one, among others.
SHOWN = {"hand", "step", "what-if", "record", "verdict", "api-hand", "api-step", "api-verdict"}
# What says so to whoever may everything: no address, and the key of another account.
NOTHING_THERE = {"api-nowhere", "api-key"}
# Whoever signs out is out: these come last, each in a browser of its own.
LAST = ("out-everywhere", "logout")


def rows_of_pages() -> list[Row]:
    return sorted(written(), key=lambda row: LAST.index(row.name) + 1 if row.name in LAST else 0)


# -- what is written, and what the code says -----------------------------------------------


def test_the_table_of_roles_is_that_of_the_code() -> None:
    text = DOCUMENT.read_text()
    assert ROLES_TITLE in text
    found = {
        name: ([mark == "yes" for mark in marks.split(" | ")], reach)
        for name, marks, reach in re.findall(
            r"^\| `([\w-]+)` \| ((?:(?:yes|·) \| ){5}(?:yes|·)) \| ([\w ]+) \|$", text, re.M
        )
    }
    assert found == {
        act.value: (
            [act == Act.OWN_ACCOUNT or role in roles for role in Role],
            "the whole service" if act in WHOLE_SERVICE or act == Act.OWN_ACCOUNT else "a source",
        )
        for act, roles in TABLE.items()
    }


def test_every_address_has_its_row_and_every_row_its_address() -> None:
    said = {row.name: row for row in written()}
    found = {pattern.name: route for route, pattern in patterns()}

    missing = {name: route for name, route in found.items() if name not in said}
    assert missing == {}, "write each new address into docs/access.md"
    assert {name: row.route for name, row in said.items()} == found


def test_every_row_names_the_acts_of_its_view() -> None:
    said = {row.name: row for row in written()}
    for route, pattern in patterns():
        row = said[pattern.name or ""]
        looks, takes = row.looking != NOT_TAKEN, row.sending != NOT_TAKEN
        assert row == said_of(route, pattern, looks=looks, takes=takes)


def test_a_view_without_an_act_is_one_of_the_public_ones() -> None:
    open_ones = {pattern.name for _, pattern in patterns() if declared(pattern.callback) is None}
    assert open_ones == {row.name for row in written() if row.is_public}


# -- what happens ---------------------------------------------------------------------------


@pytest.fixture
def keys(django_user_model: Any, settings: Any, tmp_path: Path) -> dict[str, Any]:
    """Something of everything in the store, by what stands for it in an address."""
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    make = django_user_model.objects.create_user
    first, second = trusted(make("ines.castro")), trusted(make("tom.reyes"))
    found = dict(operator_of("south", first=first, second=second).keys)
    signed_in(first)
    found |= draft_of(first)
    found |= {"account": second.pk, "visit": Visit.objects.latest("pk").pk}
    return COMMON | found | {"letter": letter_of(signed_in(first), found["case"])}


def address_of(row: Row, keys: dict[str, Any]) -> str:
    meant = next((words for front, words in MEANT.items() if row.route.startswith(front)), {})
    route = re.sub(r"<(\w+)>", lambda word: str(keys[meant.get(word[1], word[1])]), row.route)
    return route.replace("…", "nowhere") + ASKED.get(row.name, "").format(**keys)


def letter_of(site: Client, case: int) -> str:
    """What the page of a case asks for its letter with."""
    link = re.search(r'letter/\?([^"]*)"', site.get(f"/desk/cases/{case}/").content.decode())
    assert link is not None
    return unescape(link[1])


class Visitor:
    """Somebody with some roles: the pages by a session, the API by a key."""

    def __init__(self, user: Any, roles: set[Role]) -> None:
        self.user, self.roles = user, roles
        self.browser = signed_in(user)
        token = services.create_token(name="mine", days=1, account=user.get_username()).token
        self.headers = {"Authorization": f"Bearer {token}"}

    def may(self, act: str) -> bool:
        return act == Act.OWN_ACCOUNT or bool(TABLE[Act(act)] & self.roles)

    def look(self, row: Row, address: str) -> int:
        headers = self.headers if row.is_api else {}
        answer = self.browser.get(address, headers=headers)
        return finished(answer)

    def send(self, row: Row, address: str, does: str) -> int:
        if row.is_api:
            client = Client()
            how: dict[str, Any] = {"content_type": "application/json", "headers": self.headers}
            answer = client.post(address, "{}", **how)
        else:
            answer = self.browser.post(address, {FIELDS[row.name]: does} if does else {})
        return finished(answer)


def finished(answer: Any) -> int:
    """The status of an answer, which is read to its end where it streams."""
    if answer.streaming:
        assert b"".join(answer.streaming_content)
    return int(answer.status_code)


def expected(visitor: Visitor, row: Row, act: str, status: int) -> str | None:
    """What is wrong with a status; None where nothing is. `act` is NOT_TAKEN where the method is
    not taken, which only those hear who may do what the address is for."""
    if act == NOT_TAKEN:
        return None if status in (403, 405) else f"{status} where the method is not taken"
    if not visitor.may(act):
        return None if status == 403 else f"{status} without the role"
    return f"{status} with the role" if status in (401, 403, 405) or status >= 500 else None


@pytest.mark.parametrize("role", [*Role, None])
def test_each_role_gets_as_far_as_is_written(
    keys: dict[str, Any], django_user_model: Any, role: Role | None
) -> None:
    user = django_user_model.objects.create_user("osman.bey", password="staple battery")
    visitor = Visitor(with_roles(user, *([role] if role else [])), {role} if role else set())
    wrong: dict[str, str] = {}
    shown: set[str] = set()
    for row in rows_of_pages():
        if row.is_public:
            continue
        if row.name in LAST:
            visitor.browser = signed_in(user)
        address = address_of(row, keys)
        is_named = "<hand>" in row.route
        noted = JournalEntry.objects.filter(hand=keys["hand"]) if is_named else OF_ANY_HAND.all()
        before = noted.count()
        status = visitor.look(row, address)
        if row.name == HOME and role is None:
            assert status == 403
        elif fault := expected(visitor, row, row.looking, status):
            wrong[f"GET {address}"] = fault
        if status == 200 and (is_named or row.name in OF_HAND):
            shown.add(row.name)
            left = noted.count() - before
            assert left == 1, f"{address} left {left} rows in the journal"
        for does, act in row.sent.items():
            status = visitor.send(row, address, does)
            if fault := expected(visitor, row, act, status):
                wrong[f"POST {address} {does}"] = fault
    assert wrong == {}
    assert visitor.may(Act.SEE_HANDS) == (shown >= SHOWN), shown


def test_each_address_that_is_asked_for_stands_for_something(keys: dict[str, Any]) -> None:
    """Who may everything finds something everywhere: a refusal above is not of a nothing."""
    user = get_user_model().objects.get(username="ines.castro")
    visitor = Visitor(user, set(Role))
    nowhere = {
        row.name
        for row in written()
        if not row.is_public and row.looking != NOT_TAKEN and row.name not in LAST
        if visitor.look(row, address_of(row, keys)) == 404
    }
    assert nowhere == NOTHING_THERE


def strangers() -> Iterator[Row]:
    yield from (row for row in written() if not row.is_public)


def test_a_stranger_gets_nowhere(keys: dict[str, Any]) -> None:
    client = Client()
    for row in strangers():
        address = address_of(row, keys)
        for send in (client.get, client.post):
            answer = send(address)
            if row.is_api and answer.status_code != 302:
                assert answer.status_code in (401, 415), (row.name, answer.status_code)
            else:
                assert answer.status_code == 302, (row.name, answer.status_code)
                assert answer["Location"].startswith("/login?next="), row.name
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM audit_journal WHERE actor = ''")
        assert cursor.fetchone() == (0,)
