"""Cursors: nothing is skipped or told twice while rows come and go; each is of its list alone."""

from __future__ import annotations

import base64
import itertools
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings

from audit.models import Hand, Upload
from audit.services.certifying import continue_run, request_certificates
from tests.api.conftest import Send
from tests.audit.reauditing import engine, reaudited, without_rake
from tests.web.lines import BASE, PAI_GOW, changed, with_net

HANDS = "/api/v1/hands/"


def walked(ask: Send, address: str, name: str = "hands", *, between: Any = None) -> list[str]:
    """The ids on all pages, onward; `between` happens after each page."""
    ids: list[str] = []
    joint = "&" if "?" in address else "?"
    cursor = ""
    while True:
        told = ask(f"{address}{joint}cursor={cursor}").json()
        ids += [one["id"] if "id" in one else one["hand"] for one in told[name]]
        if told["next"] is None:
            return ids
        cursor = told["next"]
        if between is not None:
            between()


def many(count: int, **fields: Any) -> list[bytes]:
    """Hands that all began at one instant."""
    return [changed(PAI_GOW, hand_id=f"h{number:03}", **fields) for number in range(count)]


@pytest.mark.parametrize("order", ["received", "played"])
def test_svc_55_all_hands_of_one_instant_are_walked_once(
    stored: Any, ask: Send, order: str
) -> None:
    stored(*many(60))
    ids = walked(ask, f"{HANDS}?limit=7&order={order}")
    assert len(ids) == len(set(ids)) == 60


def test_svc_55_seven_rows_in_threes_forward_and_back(stored: Any, ask: Send) -> None:
    stored(*many(7))
    seen = []
    told = ask(f"{HANDS}?limit=3").json()
    for way in ("next", "next", "previous", "previous"):
        seen.append([one["hand_id"] for one in told["hands"]])
        told = ask(f"{HANDS}?limit=3&cursor={told[way]}").json()
    seen.append([one["hand_id"] for one in told["hands"]])
    assert seen == [
        ["h006", "h005", "h004"], ["h003", "h002", "h001"], ["h000"],
        ["h003", "h002", "h001"], ["h006", "h005", "h004"],
    ]  # fmt: skip
    assert told["previous"] is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("/api/v1/uploads/", "uploads"), ("/api/v1/uploads/{upload}/refused/", "refused"),
        ("/api/v1/certificates/?all=1", "certificates"), ("/api/v1/reaudits/", "reaudits"),
        ("/api/v1/reaudits/{reaudit}/changes", "changes"),
    ],
)  # fmt: skip
def test_svc_55_every_list_takes_a_size_and_leads_forward_and_back(
    stored: Any, ask: Send, account: Any, address: str, name: str
) -> None:
    for number in range(7):
        stored(changed(PAI_GOW, hand_id=f"other {number}", table=f"T{number}"), *[b"{}"] * 7)
    day = date(2025, 3, 1)
    assert not continue_run(run_id=request_certificates(day=day, user=account, sources=None))
    with engine(alter=without_rake):
        jobs = [reaudited() for _ in range(7)]
    upload = Upload.objects.latest("pk").pk
    address = address.format(upload=upload, reaudit=jobs[0].pk)
    whole = ask(f"{address}{'&' if '?' in address else '?'}limit=500").json()[name]
    assert len(whole) >= 7
    joint = "&" if "?" in address else "?"
    pages = [ask(f"{address}{joint}limit=3").json()]
    while (cursor := pages[-1]["next"]) is not None:
        pages.append(ask(f"{address}{joint}limit=3&cursor={cursor}").json())
    assert [one for page in pages for one in page[name]] == whole
    assert {len(page[name]) for page in pages[:-1]} == {3}
    for page, ahead in itertools.pairwise(reversed(pages)):
        back = ask(f"{address}{joint}limit=3&cursor={page['previous']}").json()
        assert back[name] == ahead[name]
    assert pages[0]["previous"] is None


def test_svc_55_hands_that_come_meanwhile_displace_none(stored: Any, ask: Send) -> None:
    stored(*many(30))
    there = {str(pk) for pk in Hand.objects.values_list("pk", flat=True)}
    coming = iter(range(100))

    def come() -> None:
        number = next(coming)
        stored(
            changed(PAI_GOW, hand_id=f"late-{number}", started_at="2020-01-01T00:00:00Z"),
            changed(PAI_GOW, hand_id=f"early-{number}", started_at="2035-01-01T00:00:00Z",
                    ended_at="2035-01-01T00:01:00Z"),
        )  # fmt: skip

    ids = walked(ask, f"{HANDS}?limit=4", between=come)
    assert len(ids) == len(set(ids))
    assert there <= set(ids)


def test_svc_55_a_restated_hand_is_told_once_where_it_would_have_moved(
    stored: Any, ask: Send, send: Send
) -> None:
    """By when they came in a hand has one place for good, whatever becomes of it."""
    stored(*many(12))
    told = ask(f"{HANDS}?limit=5").json()
    first = told["hands"][0]["hand_id"]
    moved = changed(
        PAI_GOW, hand_id=first, started_at="2020-01-01T00:00:00Z", ended_at="2020-01-01T00:01:00Z"
    )
    assert send(moved, query="?restatement=the+clock").status_code == 201
    stored(changed(PAI_GOW, hand_id="other"))
    assert Hand.objects.get(hand_id=first).played_at.year == 2020
    rest = []
    while told["next"] is not None:
        told = ask(f"{HANDS}?limit=5&cursor={told['next']}").json()
        rest += [one["hand_id"] for one in told["hands"]]
    assert rest == [f"h{number:03}" for number in range(6, -1, -1)]


def test_a_hand_that_leaves_the_filter_is_left_out_and_no_other(
    stored: Any, ask: Send, send: Send
) -> None:
    wrong = [with_net(line, 1, "-99.00") for line in many(10)]
    stored(*wrong)
    told = ask(f"{HANDS}?verdict=discrepant&limit=4").json()
    assert [one["hand_id"] for one in told["hands"]] == ["h009", "h008", "h007", "h006"]
    right = changed(PAI_GOW, hand_id="h004")
    assert send(right, query="?restatement=a+slip").status_code == 201
    stored(changed(PAI_GOW, hand_id="other"))
    assert Hand.objects.get(hand_id="h004").verdict_kind == "clean"
    told = ask(f"{HANDS}?verdict=discrepant&limit=4&cursor={told['next']}").json()
    assert [one["hand_id"] for one in told["hands"]] == ["h005", "h003", "h002", "h001"]


@pytest.mark.parametrize("name", ["findings", "verdicts"])
def test_by_hand_a_page_has_whole_hands(stored: Any, ask: Send, name: str) -> None:
    stored(*[with_net(line, 1, "-99.00") for line in many(9)])
    ids = walked(ask, f"/api/v1/{name}/?limit=2")
    assert len(ids) == len(set(ids)) == 9


@pytest.fixture
def cursor(stored: Any, ask: Send) -> str:
    stored(*BASE)
    return str(ask(f"{HANDS}?limit=2&verdict=clean").json()["next"])


@pytest.mark.parametrize(
    "address",
    [
        "hands/?limit=2&verdict=discrepant&cursor={}",
        "hands/?limit=2&cursor={}",
        "hands/?limit=2&verdict=clean&order=played&cursor={}",
        "findings/?limit=2&verdict=clean&cursor={}",
        "uploads/?limit=2&cursor={}",
    ],
)
def test_a_cursor_is_good_for_its_list_and_filters_alone(
    cursor: str, ask: Send, address: str
) -> None:
    answer = ask(f"/api/v1/{address.format(cursor)}")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["place"]) == (400, "bad-query", "cursor")


def test_the_size_of_the_page_may_change_on_the_way(cursor: str, ask: Send) -> None:
    every = ask(f"{HANDS}?verdict=clean").json()["hands"]
    told = ask(f"{HANDS}?limit=1&verdict=clean&cursor={cursor}").json()
    assert told["hands"] == every[2:3]


def test_a_changed_cursor_is_refused(cursor: str, ask: Send) -> None:
    inside = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    forged = base64.urlsafe_b64encode(inside.replace("n.", "n.9", 1).encode()).decode()
    for one in (forged.rstrip("="), cursor[:-1], cursor + "A", "bi4x", "%00", "é"):
        answer = ask(f"{HANDS}?limit=2&verdict=clean&cursor={one}")
        assert (answer.status_code, answer.json()["error"]["place"]) == (400, "cursor"), one


def test_a_cursor_outlives_a_change_of_the_secret_key(
    cursor: str, ask: Send, settings: Any
) -> None:
    old = settings.SECRET_KEY
    with override_settings(SECRET_KEY="another", SECRET_KEY_FALLBACKS=[old]):
        assert ask(f"{HANDS}?limit=2&verdict=clean&cursor={cursor}").status_code == 200
    with override_settings(SECRET_KEY="another", SECRET_KEY_FALLBACKS=[]):
        assert ask(f"{HANDS}?limit=2&verdict=clean&cursor={cursor}").status_code == 400


def test_a_page_is_asked_for_in_few_statements(
    stored: Any, ask: Send, django_assert_max_num_queries: Any
) -> None:
    stored(*many(30))
    ask(HANDS)
    with django_assert_max_num_queries(6, connection=connection):
        assert len(ask(f"{HANDS}?limit=30").json()["hands"]) == 30
