"""What lies in another source is not there: no page, list, count or hint (SVC-59, SVC-62)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from audit.models import Role
from tests.access import trusted, with_roles
from tests.web.operators import Operator, operator_of

OURS, THEIRS = "south", "north"
# What an address may hold that belongs to no source.
COMMON = {"number": 1, "name": "changes", "report": "hands", "form": "csv"}
# The same words mean other things in some addresses: a made report, the number of a version.
MEANT = (
    (r"^reports/", "run", "report-run"),
    (r"^reports/", "report", "made-report"),
    (r"^api/v1/hands/", "version", "number"),
)
# Addresses that a secret opens, not an account.
SECRET = ("shared", "shared-steps", "shared-step")
# Where what is posted says which act is meant.
POSTED = {
    "case-act": {"act": "comment", "comment": "mine?"},
    "remedy-act": {"act": "reject", "reason": "mine?"},
    "certificate-run-act": {"act": "resume"},
}
REASON = {"reason": "mine?"}
# What must be asked behind an address.
ASKED = {"steps": "?step=1", "case-letter": "?player={source}-Bo"}
# What is not there is 404, looked at or posted to.
NOT_THERE = ((404, None), (405, 404))
# Addresses whose numbers are no operator's: the accounts' and the rules'.
OF_NO_SOURCE = (
    "account", "account-act", "visit", "api-ruleset", "api-ruleset-bytes", "webhook", "webhook-act",
    "ruleset", "ruleset-file", "ruleset-rehearsal", "ruleset-rehearsal-act",
    "ruleset-rehearsal-progress",
)  # fmt: skip
# A person's own, whatever the sources. To delete what one has not does nothing.
PERSONAL = ("api-key",)
DONE_ANYWAY = ("filter-delete",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    name: str
    route: str
    parameters: tuple[str, ...]

    def filled(self, keys: dict[str, Any]) -> str:
        path = re.sub(r"<(?:\w+:)?([\w-]+)>", lambda found: str(keys[found[1]]), self.route)
        return f"/{path}{ASKED.get(self.name, '')}".format(**keys)


def addresses(resolver: URLResolver | None = None, front: str = "") -> Iterator[Address]:
    for one in (resolver or get_resolver()).url_patterns:
        route = front + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from addresses(one, route)
        elif isinstance(one, URLPattern) and "^" not in route:
            name = one.name or ""
            for where, word, meant in MEANT:
                if re.search(where, route):
                    route = re.sub(rf"<\w+:{word}>", f"<{meant}>", route)
            yield Address(
                name=name,
                route=route,
                parameters=tuple(re.findall(r"<(?:\w+:)?([\w-]+)>", route)),
            )


@pytest.fixture
def people(django_user_model: Any) -> tuple[Any, Any]:
    make = django_user_model.objects.create_user
    first, second = make("ines.castro", password="correct horse"), make("tom.reyes", password="x")
    return trusted(first), trusted(second)


@pytest.fixture
def ours(people: tuple[Any, Any], settings: Any, tmp_path: Path) -> Operator:
    # Each test has a log of its own.
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    return operator_of(OURS, first=people[0], second=people[1])


@pytest.fixture
def site(django_user_model: Any) -> Client:
    """Somebody who holds every role, at our source alone."""
    user = django_user_model.objects.create_user("osman.bey", password="staple battery")
    client = Client()
    client.force_login(with_roles(user, *Role, source=OURS))
    return client


def theirs_of(people: tuple[Any, Any]) -> Operator:
    return operator_of(THEIRS, first=people[0], second=people[1])


def asked(site: Client, address: str, name: str) -> tuple[int, int | None]:
    """The status of looking, and of posting where there is something to post."""
    seen = site.get(address).status_code
    if seen != 405:
        return seen, None
    if name.startswith("api-"):
        return seen, site.post(address, "{}", content_type="application/json").status_code
    return seen, site.post(address, POSTED.get(name, REASON)).status_code


def test_each_word_in_an_address_is_known_here(ours: Operator) -> None:
    known = {*COMMON, *ours.keys}
    unknown = {
        one.name: one.route
        for one in addresses()
        if set(one.parameters) - known and one.name not in (*SECRET, *OF_NO_SOURCE)
    }
    assert unknown == {}


def of_somebody() -> list[Address]:
    """The addresses that hold a number or a name of what belongs to a source."""
    others = (*SECRET, *OF_NO_SOURCE, *DONE_ANYWAY)
    return [
        one for one in addresses() if set(one.parameters) - set(COMMON) and one.name not in others
    ]


def test_svc_62_every_address_with_the_numbers_of_another_operator_is_404(
    people: tuple[Any, Any], ours: Operator, site: Client
) -> None:
    theirs = {**COMMON, **theirs_of(people).keys}
    walked = of_somebody()

    answers = {one.name: asked(site, one.filled(theirs), one.name) for one in walked}

    assert {name: answer for name, answer in answers.items() if answer not in NOT_THERE} == {}
    assert len(walked) > 40
    # And each is there for whoever it belongs to, or the walk would show nothing.
    own = {one.name: asked(site, one.filled({**COMMON, **ours.keys}), one.name) for one in walked}
    gone = {name for name, (seen, posted) in own.items() if 404 in (seen, posted)}
    assert gone == set(PERSONAL)


# What differs from one answer to the next whoever asks: a form's token, the moment, and the sum
# over a table that begins with the moment.
MOMENTARY = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"'
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?"
    r"|(?<=,sha256:)[0-9a-f]{64}"
    r"|\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d(:\d\d)?"
)
# What tells what was asked before, and pages that change with the minute.
CHANGING = ("journal", "journal-csv", "api-journal", "own-account", "healthz", "readyz", "metrics")


def told(answer: Any) -> str:
    """What an answer says, but for what is momentary."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer.status_code} {MOMENTARY.sub('', body.decode('utf-8', 'replace'))}"


def first_change(address: str, before: str, after: str) -> str:
    """Where two answers begin to differ."""
    at = next(
        (place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new),
        min(len(before), len(after)),
    )
    return f"{address}: {before[at - 60 : at + 60]!r} {after[at - 60 : at + 60]!r}"


def everything(site: Client, keys: dict[str, Any]) -> dict[str, str]:
    """What each address says that is not our own numbers' alone."""
    lists = [one for one in addresses() if not set(one.parameters) - set(keys)]
    seen = {
        one.filled(keys): told(site.get(one.filled(keys)))
        for one in lists
        if one.name not in (*SECRET, *OF_NO_SOURCE, *CHANGING, "logout", "bundle")
    }
    return {address: text for address, text in seen.items() if not text.startswith("405 ")}


def test_svc_62_nothing_that_one_sees_changes_when_another_operator_comes(
    people: tuple[Any, Any], ours: Operator, site: Client
) -> None:
    keys = {**COMMON, **ours.keys}
    before = everything(site, keys)

    theirs_of(people)
    after = everything(site, keys)

    assert [
        first_change(one, before[one], after[one]) for one in after if after[one] != before[one]
    ] == []
    assert [one for one, text in after.items() if THEIRS in text] == []
    assert len([text for text in after.values() if text.startswith("200 ")]) > 50
