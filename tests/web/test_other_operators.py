"""What lies in another source is not there: no page, list, count or hint (SVC-59, SVC-62)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from audit.models import Case, CaseAct, Role
from audit.models.journal import JournalEntry
from audit.selectors.access import TABLE, Act, access_of
from audit.selectors.census import take_census
from audit.selectors.filters import TILES
from audit.services.sharing import create_share_link
from audit.services.tokens import create_token
from tests.access import trusted, with_roles
from tests.web.access_rows import written
from tests.web.operators import Operator, operator_of

OURS, THEIRS = "south", "north"
# What an address may hold that belongs to no source.
COMMON = {"number": 1, "name": "changes", "report": "hands", "form": "csv"}
# The same words mean other things in some addresses: a made report, the number of a version.
MEANT = (
    (r"^reports/", "run", "report-run"),
    (r"^retention/", "run", "retention-run"),
    (r"^reports/", "report", "made-report"),
    (r"^api/v1/hands/", "version", "number"),
    (r"^api/v1/reports/", "made", "made-report"),
)
# Addresses that a secret opens, not an account.
SECRET = ("shared", "shared-steps", "shared-step")
# Where what is posted says which act is meant.
POSTED = {
    "case-act": {"act": "comment", "comment": "mine?"},
    "remedy-act": {"act": "reject", "reason": "mine?"},
    "webhook-act": {"act": "end"},
    "certificate-run-act": {"act": "resume"},
    "report-run-act": {"act": "resume"},
}
REASON = {"reason": "mine?"}
# What must be asked behind an address.
ASKED = {
    "steps": "?step=1",
    "case-letter": "?player={source}-Bo",
    "case-letter-pdf": "?player={source}-Bo",
}
# What is not there is 404, looked at or posted to.
NOT_THERE = ((404, None), (405, 404))
# Addresses whose numbers are no operator's: the accounts' and the rules'.
OF_NO_SOURCE = (
    "account", "account-act", "visit", "api-ruleset", "api-ruleset-bytes",
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
    r'name="(csrfmiddlewaretoken|next)" value="[^"]*"'
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?"
    r"|(?<=,sha256:)[0-9a-f]{64}|(?<=\"sha256\":\")[0-9a-f]{64}(?=\"\}\})"
    r"|\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d(:\d\d)?"
)
# What tells what was asked before, and pages that change with the minute.
CHANGING = ("journal", "journal-csv", "api-journal", "own-account", "healthz", "readyz", "metrics")
# They hold the moment in a form of their own; what they tell is told as lines and pages, too.
PACKED = ("api-export-parquet", "case-file-pdf", "case-letter-pdf", "claim-letter-pdf")


def told(answer: Any) -> str:
    """What an answer says, but for what is momentary."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer.status_code} {MOMENTARY.sub('', body.decode('utf-8', 'replace'))}"


def nowhere(theirs: dict[str, Any]) -> dict[str, Any]:
    """In the place of each number and name of theirs one that nobody has."""
    return {
        name: value + 1_000_003 if isinstance(value, int) else "nobody"
        for name, value in theirs.items()
    }


def test_svc_62_what_is_anothers_is_told_as_what_is_not_there(
    people: tuple[Any, Any], ours: Operator, site: Client
) -> None:
    """In the same words and with the same headers, but for the number that was asked for."""
    theirs = dict(theirs_of(people).keys)
    nobodys = nowhere(theirs)
    numbers = {str(value) for keys in (theirs, nobodys) for value in keys.values()}
    number = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, numbers)))})(?![\w-])")

    def answered(one: Address, keys: dict[str, Any]) -> tuple[Any, ...]:
        address = one.filled({**COMMON, **keys})
        answer = site.get(address)
        if answer.status_code == 405:
            sent = POSTED.get(one.name, REASON)
            answer = site.post(address, sent) if not one.name.startswith("api-") else site.post(
                address, "{}", content_type="application/json"
            )  # fmt: skip
        headers = {name: value for name, value in answer.items() if name != "Content-Length"}
        # What is not allowed here is said in a header that is no secret; a policy has its nonce.
        return number.sub("#", told(answer)), sorted(headers), answer.get("Location")

    different = []
    for one in of_somebody():
        seen, expected = answered(one, theirs), answered(one, nobodys)
        if seen != expected:
            different.append((one.name, first_change(one.name, str(expected), str(seen))))
    assert different == []


def first_change(address: str, before: str, after: str) -> str:
    """Where two answers begin to differ."""
    at = next(
        (place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new),
        min(len(before), len(after)),
    )
    return f"{address}: {before[at - 60 : at + 60]!r} {after[at - 60 : at + 60]!r}"


def everything(
    site: Client, keys: dict[str, Any], names: Collection[str] | None = None
) -> dict[str, str]:
    """What each address says that is not our own numbers' alone; or each of these."""
    lists = [
        one
        for one in addresses()
        if not set(one.parameters) - set(keys) and (names is None or one.name in names)
    ]
    seen = {
        one.filled(keys): told(site.get(one.filled(keys)))
        for one in lists
        if one.name not in (*SECRET, *OF_NO_SOURCE, *CHANGING, *PACKED, "logout", "bundle")
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


@pytest.mark.timeout(240)
@pytest.mark.parametrize("role", [Role.SUPPORT, Role.AUDITOR, Role.ADMINISTRATOR])
def test_svc_62_one_role_elsewhere_shows_nothing_that_takes_another(
    people: tuple[Any, Any], ours: Operator, site: Client, django_user_model: Any, role: Role
) -> None:
    """Whoever has every role here and one there sees there what that role may see alone."""
    with_roles(django_user_model.objects.get(username="osman.bey"), role, source=THEIRS)
    acts = {row.name: row.looking for row in written()}
    beyond = {
        name
        for name, act in acts.items()
        if act in TABLE and act != Act.OWN_ACCOUNT and role not in TABLE[Act(act)]
    }
    keys = {**COMMON, **ours.keys}
    before = everything(site, keys, beyond)

    theirs = {**COMMON, **theirs_of(people).keys}
    after = everything(site, keys, beyond)

    assert [
        first_change(one, before[one], after[one]) for one in after if after[one] != before[one]
    ] == []
    assert [one for one, text in after.items() if THEIRS in text] == []
    assert len([text for text in after.values() if text.startswith("200 ")]) > 8
    seen = {
        one.name: site.get(one.filled(theirs)).status_code
        for one in of_somebody()
        if one.name in beyond
    }
    assert {name: status for name, status in seen.items() if status != 404} == {}


def test_svc_62_a_key_that_is_narrowed_sees_no_more_than_its_sources(
    people: tuple[Any, Any], ours: Operator
) -> None:
    """Whatever the account of the key may see, and though it is he who handed all of it in."""
    made = create_token(name="narrow", days=1, account=people[0].get_username(), sources=[OURS])
    program = Client(headers={"Authorization": f"Bearer {made.token}"})
    names = {one.name for one in addresses() if one.name.startswith("api-")} - {"api-docs"}
    keys = {**COMMON, **ours.keys}
    before = everything(program, keys, names)

    theirs = {**COMMON, **theirs_of(people).keys}
    after = everything(program, keys, names)

    assert [
        first_change(one, before[one], after[one]) for one in after if after[one] != before[one]
    ] == []
    assert [one for one, text in after.items() if THEIRS in text] == []
    assert len([text for text in after.values() if text.startswith("200 ")]) > 25
    walked = [one for one in of_somebody() if one.name in names and one.name not in PERSONAL]
    answers = {one.name: asked(program, one.filled(theirs), one.name) for one in walked}
    assert {name: answer for name, answer in answers.items() if answer not in NOT_THERE} == {}


# What a list can be asked for that names somebody: the parameter, and what is named of an operator.
QUESTIONS = (
    ("/hands/", "source", "{source}"),
    ("/hands/", "table", "{source}-T1"),
    ("/hands/", "player", "{source}-Ann"),
    ("/hands/", "q", "{source}-1"),
    ("/overview/", "source", "{source}"),
    ("/totals/", "source", "{source}"),
    ("/totals/export.csv", "source", "{source}"),
    ("/exports/hands.csv", "player", "{source}-Ann"),
    ("/exports/findings.csv", "source", "{source}"),
    ("/exports/figures.csv", "source", "{source}"),
    ("/certificates/", "source", "{source}"),
    ("/certificates/export.csv", "source", "{source}"),
    ("/players/", "q", "{source}-Ann"),
    ("/desk/queue/", "source", "{source}"),
    ("/desk/claims/", "player", "{source}-Bo"),
    ("/reaudits/new", "source", "{source}"),
    ("/api/v1/hands/", "source", "{source}"),
    ("/api/v1/findings/", "source", "{source}"),
    ("/api/v1/certificates/", "source", "{source}"),
    ("/api/v1/exports/hands.csv", "source", "{source}"),
    ("/api/v1/exports/totals.csv", "source", "{source}"),
    ("/api/v1/cases/", "source", "{source}"),
    ("/api/v1/claims/", "player", "{source}-Bo"),
    ("/api/v1/players/", "name", "{source}-Ann"),
)
NOBODY = "nowhere-at-all"
# All cases of an operator here are decided.
BESIDE = {"/desk/queue/": {"state": "decided"}}


def test_svc_62_to_ask_for_another_operator_by_name_is_to_ask_for_nobody(
    people: tuple[Any, Any], ours: Operator, site: Client
) -> None:
    theirs_of(people)

    def answer(address: str, parameter: str, value: str, source: str) -> str:
        text = told(
            site.get(address, {parameter: value.format(source=source), **BESIDE.get(address, {})})
        )
        return text.replace(source, "?")

    unequal = [
        question for question in QUESTIONS if answer(*question, THEIRS) != answer(*question, NOBODY)
    ]

    assert unequal == []
    # Asked for by their names, ours are there: the questions are good ones.
    silent = [one for one in QUESTIONS if answer(*one, OURS) == answer(*one, NOBODY)]
    assert silent == []


def test_svc_62_the_number_of_anothers_upload_or_hand_finds_nothing(
    people: tuple[Any, Any], ours: Operator, site: Client
) -> None:
    theirs = theirs_of(people)
    never = 10**9

    def answer(address: str, number: int) -> str:
        text = told(site.get(address.format(number)))
        return re.sub(rf'((?<!<option )value="|upload=|hand=|<bdi>|","\'){number}\b', "?", text)

    asked_of = (
        ("/hands/?upload={}", "upload"),
        ("/exports/hands.csv?upload={}", "upload"),
        ("/reaudits/new?upload={}", "upload"),
        ("/desk/claims/new/?hand={}", "hand"),
    )
    for address, key in asked_of:
        assert answer(address, theirs.keys[key]) == answer(address, never), address
        assert answer(address, ours.keys[key]) != answer(address, never), address


def test_svc_62_nothing_can_be_done_to_what_is_another_operators(
    people: tuple[Any, Any], ours: Operator, site: Client
) -> None:
    theirs = theirs_of(people)
    case = Case.objects.get(pk=theirs.keys["case"])
    census = {one.table: one.checksum for one in take_census() if one.table not in OURSELVES}
    posts: tuple[tuple[str, dict[str, Any]], ...] = (
        ("/desk/bulk/", {"case": case.pk}),
        (
            "/desk/bulk/do",
            {"seen": f"{case.pk}:{case.revision}", "kind": "reopened", "reason": "mine?"},
        ),
        (
            "/desk/claims/new/",
            {
                "source": THEIRS, "hands": f"{THEIRS}-1", "player": f"{THEIRS}-Bo", "text": "mine?",
                "claimed_at": "2025-03-02T10:00", "offset": "+08:00",
            },
        ),
        ("/players/decide", {
            "source": THEIRS, "name": f"{THEIRS}-Ann", "other": f"{THEIRS}-Аnn", "act": "one",
            "reason": "mine?",
        }),
        ("/certificates/make", {"source": THEIRS, "day": "2025-03-01"}),
        ("/certificates/make", {"day": "2025-03-01"}),
        ("/certificates/days/", {
            "source": THEIRS, "starts_at": "06:00", "numbering": "none", "time_zone": "UTC",
        }),
        ("/certificates/days/", {"starts_at": "06:00", "numbering": "none", "time_zone": "UTC"}),
        ("/reaudits/new", {"do": "start", "reason": "mine?", "source": THEIRS}),
    )  # fmt: skip

    answers = [told(site.post(address, fields)) for address, fields in posts]

    after = {one.table: one.checksum for one in take_census() if one.table not in OURSELVES}
    assert {table for table, checksum in after.items() if checksum != census[table]} == BULK
    assert [text for text in answers if f"{THEIRS}-T1" in text] == []
    assert CaseAct.objects.filter(actor__username="osman.bey").count() == 0


# What one leaves behind of oneself: the journal, the visit, a bulk act that did nothing.
OURSELVES = ("audit_journal", "audit_visit", "audit_sealpending")
BULK = {"audit_bulkact"}


@pytest.mark.parametrize("tile", TILES)
def test_svc_59_no_list_is_asked_as_a_seat(ours: Operator, site: Client, tile: str) -> None:
    asked_for = {"tile": tile, "as": "seat-3"}

    assert site.get("/hands/", asked_for).status_code == 403
    assert site.get("/exports/hands.csv", asked_for).status_code == 400
    assert site.get("/api/v1/hands/", asked_for).status_code == 400
    assert Client().get("/hands/", asked_for).status_code == 302


def test_svc_59_a_link_of_a_seat_answers_no_question(
    people: tuple[Any, Any], ours: Operator
) -> None:
    link = create_share_link(
        access=access_of(people[0]),
        hand=ours.keys["hand"],
        viewpoint="seat-3",
        hours=1,
        reason="so",
    )
    page = f"/shared/{link.secret}/"

    answers = {
        told(Client().get(page, {name: tile, "sort": tile}))
        for tile in TILES
        for name in ("tile", "q", "combination")
    }

    assert answers == {told(Client().get(page))}


def test_each_look_is_in_the_journal_with_its_source_and_each_search_with_its_count(
    ours: Operator, site: Client
) -> None:
    hand, case = ours.keys["hand"], ours.keys["case"]
    for address in (
        f"/hands/{hand}/steps/1/",
        f"/hands/{hand}/record",
        f"/hands/{hand}/verdict",
        f"/desk/cases/{case}/letter/?player={OURS}-Bo",
        f"/hands/?table={OURS}-T1",
        "/hands/?q=nothing",
        f"/players/?q={OURS}-Ann",
        f"/api/v1/hands/{hand}/steps/1/",
    ):
        assert site.get(address).status_code == 200, address

    rows = JournalEntry.objects.filter(actor="osman.bey").order_by("id")
    assert list(rows.values_list("subject", "source", "hand", "player", "detail__shown")) == [
        (f"GET step hand:{hand} number:1", OURS, hand, None, None),
        (f"GET record hand:{hand}", OURS, hand, None, None),
        (f"GET verdict hand:{hand}", OURS, hand, None, None),
        (f"GET case-letter case:{case}", OURS, None, f"{OURS}-Bo", None),
        ("GET hands", None, None, None, 3),
        ("GET hands", None, None, None, 0),
        ("GET players", None, None, f"{OURS}-Ann", 2),
        (f"GET api-step hand:{hand} number:1", OURS, hand, None, None),
    ]


def test_a_case_is_given_to_nobody_who_may_not_work_on_it_and_whose_name_one_does_not_learn(
    ours: Operator, site: Client, django_user_model: Any
) -> None:
    make = django_user_model.objects.create_user
    stranger = with_roles(make("nora.lim", password="x"), Role.INVESTIGATOR, source=THEIRS)
    support = with_roles(make("sara.wong", password="x"), Role.SUPPORT, source=OURS)
    address = f"/desk/cases/{ours.keys['case']}/"
    given = {"act": "assign", "note": "yours"}

    assert site.post(f"{address}act", {"act": "reopen", "reason": "again"}).status_code == 302
    page = told(site.get(address))
    refused = [
        told(site.post(f"{address}act", {**given, "to": one.pk})) for one in (stranger, support)
    ]

    assert [text[:3] for text in refused] == ["400", "400"]
    named = [name for name in ("nora.lim", "sara.wong") if name in "".join([page, *refused])]
    assert named == []
    assert "osman.bey" in page
    own = django_user_model.objects.get(username="osman.bey")
    assert site.post(f"{address}act", {**given, "to": own.pk}).status_code == 302
