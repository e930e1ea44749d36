"""The overview: its figures are those of the lists behind them."""

import html
import json
import re
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import replay
from audit.models import Hand
from audit.selectors import HandFilters, list_hands
from audit.selectors.overview import OverviewQuery, overview
from audit.services.desk import gather_cases
from tests.web.lines import PAI_GOW, TIEN_GOW, changed, with_net


def played(line, day, **fields):
    return changed(
        line, started_at=f"{day}T10:00:00+08:00", ended_at=f"{day}T10:01:00+08:00", **fields
    )


@pytest.fixture
def week(store):
    """Four hands on three of seven days: two clean, two with another net at two tables."""
    wrong = with_net(PAI_GOW, 1, "-99.00")
    store(
        played(PAI_GOW, "2025-03-02", hand_id="a", table="T1"),
        played(wrong, "2025-03-04", hand_id="b", table="T1"),
        played(with_net(PAI_GOW, 1, "-90.00"), "2025-03-08", hand_id="c", table="T2"),
        played(TIEN_GOW, "2025-03-08", hand_id="d", table="T3"),
    )
    gather_cases()


def links_of(answer):
    return [html.unescape(one) for one in re.findall(r'href="(/hands/\?[^"]*)"', answer)]


def hands_behind(address):
    query = dict(re.findall(r"[?&]([^=]*)=([^&]*)", address))
    return [
        row.hand_id for row in list_hands(HandFilters.parse(query), limit=200, sources=None).rows
    ]


def test_an_empty_store_says_so(site, db):
    answer = site.get("/overview/")
    assert answer.status_code == 200
    assert "No hand is stored" in answer.content.decode()


def test_the_figures_of_a_period(week):
    found = overview(OverviewQuery(), sources=None)
    assert found is not None
    assert (found.first.isoformat(), found.last.isoformat()) == ("2025-02-23", "2025-03-08")
    assert len(found.days) == 14
    assert {kind: count for kind, count in found.kinds.items() if count} == {
        "clean": 2,
        "discrepant": 2,
    }
    assert found.hands == 4
    assert dict(found.codes) == {"net-mismatch": 2}
    assert found.more_codes == 0
    assert [(risk.table, risk.text, risk.hands) for risk in found.risks] == [
        ("T2", "10.00", 1),
        ("T1", "1.00", 1),
    ]
    (whole,) = found.risk_sums
    assert (whole.text, whole.hands, whole.table) == ("11.00", 2, "")
    assert [age.hands for age in found.ages] == [2, 0, 0, 0, 0]


def test_rake_is_summed_a_day_and_stands_beside_the_logged(site, week, store):
    """The base hand has 4.50 of rake; the log of another takes 0.10 more from its seat 0."""
    hand = json.loads(played(PAI_GOW, "2025-03-08", hand_id="e", table="T4"))
    seat = next(entry for entry in hand["result"]["seats"] if entry["seat"] == 0)
    assert (seat["gross"], seat["rake"], seat["net"]) == ("10.00", "0.50", "9.50")
    seat["rake"], seat["net"] = "0.60", "9.40"
    store(json.dumps(hand).encode())
    found = overview(OverviewQuery(), sources=None)
    assert found is not None
    assert found.rakes is not None
    (rake,) = [one for one in found.rakes if one.logged]
    assert [(day.day.day, day.recomputed, day.logged) for day in rake.days] == [
        (2, 500, 500), (4, 500, 500), (8, 1000, 1010),
    ]  # fmt: skip
    answer = site.get("/overview/").content.decode()
    (words, address) = re.search(
        r'Difference, ([^<]*)<.*?<a href="([^"]*)" aria-label="8 March 2025: \+0.10',
        answer,
        re.DOTALL,
    ).groups()
    assert words == "+0.10"
    assert hands_behind(html.unescape(address)) == ["e"]


def test_a_mark_of_rake_leads_to_the_hands_of_its_currency(site, store):
    for name, currency in (("one", "CNY"), ("two", "HKD"), ("three", "HKD")):
        hand = json.loads(played(PAI_GOW, "2025-03-08", hand_id=name, table=f"T-{name}"))
        seat = next(entry for entry in hand["result"]["seats"] if entry["seat"] == 0)
        seat["rake"], seat["net"], hand["currency"] = "0.60", "9.40", currency
        store(json.dumps(hand).encode())
    answer = html.unescape(site.get("/overview/").content.decode())
    marks = dict(
        re.findall(r'<a href="([^"]*)" aria-label="8 March 2025: \+0\.\d\d (\w+), logged', answer)
    )
    behind = {currency: sorted(hands_behind(address)) for address, currency in marks.items()}
    assert behind == {"CNY": ["one"], "HKD": ["three", "two"]}


def test_a_currency_goes_with_what_an_index_leads_to(site, store):
    store(PAI_GOW)
    page = site.get("/hands/?currency=CNY").content.decode()
    assert "A currency goes with a table, a finding, or a first and a last day." in page
    for more, count in (("table=T1", 1), ("from=2025-03-01&to=2025-03-01", 1), ("table=T2", 0)):
        shown = site.get(f"/hands/?currency=CNY&{more}").content.decode()
        assert shown.count('scope="row" class="at-h"') == count
        shown = site.get(f"/hands/?currency=HKD&{more}").content.decode()
        assert shown.count('scope="row" class="at-h"') == 0


def test_a_period_ends_where_one_says(week):
    found = overview(OverviewQuery.parse({"to": "2025-03-05", "days": "31"}), sources=None)
    assert found is not None
    assert (found.first.isoformat(), found.hands) == ("2025-02-03", 2)
    assert found.kinds["discrepant"] == 1


def test_a_source_without_hands_has_no_overview(week):
    assert overview(OverviewQuery(source="elsewhere"), sources=None) is None


@pytest.mark.parametrize(
    "query", ["days=15", "days=x", "to=yesterday", "to=2025-02-30", "source=%00"]
)
def test_a_question_without_sense_is_refused_with_a_word(site, week, query):
    answer = site.get(f"/overview/?{query}")
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_every_mark_leads_to_just_its_hands(site, week):
    answer = site.get("/overview/").content.decode()
    bars = re.findall(r'<a href="([^"]*)" aria-label="(\d+ March 2025): ([^"]*)"', answer)
    assert len(bars) == 3
    for address, _, words in bars:
        counts = sum(int(one) for one in re.findall(r"(\d+) [a-z]", words))
        assert len(hands_behind(html.unescape(address))) == counts
    rows = re.findall(
        r'<a href="([^"]*)" title="[^"]*"><bdi>([^<]*)</bdi></a>.*?class="num">([^<]*)<', answer
    )
    by_title = {title: hands_behind(html.unescape(address)) for address, title, _ in rows}
    assert by_title["T1"] == ["b"]
    assert by_title["T2"] == ["c"]
    assert by_title["Up to a day"] == ["c", "b"]
    assert by_title["1 to 3 days"] == []
    assert by_title[replay.CODES["net-mismatch"].title] == ["c", "b"]


def test_hands_can_be_found_by_the_money_at_risk(site, week):
    assert [
        row.hand_id for row in list_hands(HandFilters.parse({"risk": "1.01"}), sources=None).rows
    ] == ["c"]
    assert [
        row.hand_id for row in list_hands(HandFilters.parse({"risk": "1"}), sources=None).rows
    ] == ["c", "b"]
    assert [
        row.hand_id for row in list_hands(HandFilters.parse({"risk": "10.01"}), sources=None).rows
    ] == []
    for wrong in ("-1", "1e3", "1,5", "1.123456789", "x"):
        assert site.get("/hands/", {"risk": wrong}).status_code == 400


@pytest.mark.parametrize(
    ("later", "bucket"),
    [
        (timedelta(hours=23), "0-1"),
        (timedelta(hours=25), "1-3"),
        (timedelta(days=3, hours=1), "3-7"),
        (timedelta(days=29), "7-30"),
        (timedelta(days=400), "30-"),
    ],
)
def test_hands_are_found_by_how_long_they_stand_open(week, monkeypatch, later, bucket):
    now = timezone.now() + later
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    names = ("0-1", "1-3", "3-7", "7-30", "30-")
    found = overview(OverviewQuery(), sources=None)
    assert found is not None
    assert [age.hands for age in found.ages] == [2 if name == bucket else 0 for name in names]
    of = {
        name: [
            row.hand_id for row in list_hands(HandFilters.parse({"open": name}), sources=None).rows
        ]
        for name in ("1", *names)
    }
    assert of == {"1": ["c", "b"], **{name: ["c", "b"] if name == bucket else [] for name in names}}


def test_tables_of_one_name_are_told_apart_by_their_sources(site, store):
    wrong = with_net(PAI_GOW, 1, "-99.00")
    store(
        played(wrong, "2025-03-04", hand_id="a", table="T1", source="east"),
        played(wrong, "2025-03-04", hand_id="b", table="T1", source="west"),
        played(wrong, "2025-03-04", hand_id="c", table="T2", source="west"),
    )
    gather_cases()
    answer = site.get("/overview/").content.decode()
    assert re.findall(r"<bdi>(T\d)</bdi></a>(?: <bdi class=\"sub\">([^<]*)</bdi>)?", answer) == [
        ("T1", "east"),
        ("T1", "west"),
        ("T2", ""),
    ]


def test_a_hand_of_a_wrong_clock_does_not_take_the_page(site, week, store):
    store(played(PAI_GOW, "9999-12-30", hand_id="z", table="T9"))
    assert overview(OverviewQuery(), sources=None).last.isoformat() == "2025-03-08"
    answer = site.get("/overview/").content.decode()
    later = [link for link in links_of(answer) if link == "/hands/?from=2025-03-09"]
    assert len(later) == 1
    assert hands_behind(later[0]) == ["z"]
    assert "dated later" not in site.get("/overview/?to=2025-03-08").content.decode()
    asked = OverviewQuery(day_to=date(9999, 12, 31))
    assert (overview(asked, sources=None).hands, overview(asked, sources=None).is_cut) == (1, False)


def test_where_all_hands_are_dated_later_they_are_shown(store):
    store(played(PAI_GOW, "9999-12-30", hand_id="z", table="T9"))
    found = overview(OverviewQuery(), sources=None)
    assert (found.last.isoformat(), found.hands, found.is_cut) == ("9999-12-30", 1, False)


def test_the_number_of_queries_does_not_grow_with_the_hands(site, week, store):
    def count():
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert site.get("/overview/?days=14&to=2025-03-08").status_code == 200
        return len(seen)

    before = count()
    store(*(played(PAI_GOW, "2025-03-08", hand_id=f"more-{n}", table="T2") for n in range(3)))
    assert Hand.objects.count() == 7
    assert count() == before


def test_names_are_shown_as_text(site, store):
    name = '"><svg onload=alert(1)>'
    store(played(with_net(PAI_GOW, 1, "-90.00"), "2025-03-08", hand_id="c", table=name))
    gather_cases()
    answer = site.get("/overview/").content.decode()
    assert "<svg onload" not in answer
    assert html.escape(name) in answer
