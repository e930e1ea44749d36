"""Totals of days: which day a hand belongs to, and what the hands of a day come to."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Hand
from audit.selectors.certificates_days import Rule, current_rules, day_span, gaming_day
from audit.selectors.totals import Totals, TotalsQuery, days_of_totals, list_totals
from audit.services.certifying_rules import set_day_rule
from tests.audit.logs import GOLDEN, B, Ingest, W, changed, log, void, with_net

MACAU = changed(B, hand_id="m-1", table="M1", started_at="2025-05-01T00:30:00+08:00",
                ended_at="2025-05-01T00:31:00+08:00")  # fmt: skip
VANCOUVER = changed(B, hand_id="v-1", table="V1", started_at="2025-04-30T23:30:00-07:00",
                    ended_at="2025-04-30T23:31:00-07:00")  # fmt: skip


@pytest.fixture
def user(django_user_model: Any) -> User:
    made: User = django_user_model.objects.create_user("ines.castro")
    return made


def rule(user: User, table: str, zone: str, starts_at: int = 0) -> None:
    set_day_rule(source="odd", table=table, time_zone=zone, starts_at=starts_at,
                 numbering="detect", user=user, sources=None)  # fmt: skip


def totals(**query: Any) -> list[Totals]:
    return [row for _, rows in days_of_totals(TotalsQuery(sources=None, **query)) for row in rows]


def days(**query: Any) -> dict[str, list[date]]:
    """The days on which each table has totals."""
    found: dict[str, list[date]] = {}
    for row in totals(**query):
        assert row.day is not None
        found.setdefault(row.table, []).append(row.day)
    return found


def test_svc_73_the_day_of_a_hand_is_its_tables(ingest: Ingest, user: User) -> None:
    ingest(log(MACAU, VANCOUVER))
    first, last = date(2025, 4, 30), date(2025, 5, 1)
    assert days() == {"M1": [last], "V1": [first]}
    rule(user, "M1", "Asia/Macau")
    rule(user, "V1", "America/Vancouver")
    assert days() == {"M1": [last], "V1": [first]}
    rule(user, "M1", "Asia/Macau", 6 * 60)
    assert days() == {"M1": [first], "V1": [first]}
    rule(user, "M1", "", 6 * 60)
    assert days() == {"M1": [first], "V1": [first]}
    # The table's own zone decides, whatever the offset of the log.
    rule(user, "V1", "Asia/Macau")
    assert days() == {"M1": [first], "V1": [last]}


@pytest.mark.parametrize(
    ("day", "hours", "clocks"),
    [
        (date(2025, 3, 9), 23, ["2025-03-09T00:00:00-08:00", "2025-03-09T23:59:59-07:00"]),
        (date(2025, 11, 2), 25, ["2025-11-02T01:30:00-07:00", "2025-11-02T01:30:00-08:00",
                                 "2025-11-02T23:59:59.999999-08:00"]),
    ],
)  # fmt: skip
def test_svc_74_days_of_23_and_25_hours_count_each_hand_once(
    ingest: Ingest, user: User, day: date, hours: int, clocks: list[str]
) -> None:
    around = [f"{day}T00:00:00-09:00", f"{day}T23:59:59-05:00"]
    ingest(log(*(changed(B, hand_id=clock, started_at=clock, ended_at=clock)
                 for clock in (*clocks, *around))))  # fmt: skip
    rule(user, "", "America/Vancouver")
    span = day_span(current_rules().of("odd", "T1"), day)
    assert round((span.until - span.since).total_seconds()) == hours * 3600
    there = {row.day: row.hands for row in totals()}
    assert sum(there.values()) == len(clocks) + 2
    inside = Hand.objects.filter(played_at__gte=span.since, played_at__lte=span.until)
    assert there[day] == inside.count() == len(clocks) + len(
        [clock for clock in around if span.since <= Hand.objects.get(hand_id=clock).played_at
         <= span.until]
    )  # fmt: skip


@pytest.mark.parametrize("starts_at", [0, 90, 150, 360, 1439])
@pytest.mark.parametrize("zone", ["", "America/Vancouver", "Pacific/Apia", "Asia/Macau"])
def test_svc_74_every_accepted_time_has_one_day(
    ingest: Ingest, user: User, zone: str, starts_at: int
) -> None:
    """Also at the ends of the calendar, in leap seconds, and where a start does not exist."""
    row = ingest((GOLDEN / "odd" / "times-accepted.ndjson").read_bytes())
    rule(user, "", zone, starts_at)
    there = {one.day: one.hands for one in totals()}
    assert sum(there.values()) == row.hands == Hand.objects.count()
    held = Rule(time_zone=zone, starts_at=starts_at)
    expected: dict[date | None, int] = {}
    for played_at, started_at in Hand.objects.values_list("played_at", "started_at"):
        day = gaming_day(held, played_at, started_at)
        expected[day] = expected.get(day, 0) + 1
    assert there == expected


def test_sums_of_every_kind_of_hand(ingest: Ingest) -> None:
    """B turns over 200.00 and pays 5.00 of rake; W turns over what its players bet."""
    stopped = changed(B, hand_id="stopped", events=[])
    ingest(
        log(
            B,
            changed(with_net(B, 1, "-90.00"), hand_id="wrong"),
            void(B, hand_id="void"),
            stopped,
            changed(B, hand_id="silent", result=None),
            changed(W, table="T1", source="odd"),
        )
    )
    pai_gow, wenzhou = totals()
    assert (pai_gow.game, pai_gow.hands) == ("banker-pai-gow", 5)
    assert pai_gow.kinds | {"clean": 1, "discrepant": 3, "void": 1} == pai_gow.kinds
    one = pai_gow.sum
    assert (one.hands, one.valid_bet, one.logged_valid_bet) == (2, 40_000, 40_000)
    assert (one.rake, one.logged_rake, one.net_off) == (1_000, 1_000, 1_000)
    assert (one.unsettled, one.unsettled_valid_bet, one.unsettled_rake) == (1, 20_000, 500)
    assert one.unlogged == 1
    assert (wenzhou.game, wenzhou.sum.hands, wenzhou.sum.rake) == ("wenzhou-pai-gow", 1, None)
    assert wenzhou.sum.valid_bet == wenzhou.sum.logged_valid_bet > 0


def test_a_wrong_rake_stands_beside_the_right_one(ingest: Ingest) -> None:
    line = B.replace(b'"rake":"0.50","net":"9.50"', b'"rake":"0.49","net":"9.51"', 1)
    assert line != B
    ingest(log(line))
    (row,) = totals()
    assert (row.sum.rake, row.sum.logged_rake, row.sum.net_off) == (500, 499, 1)


def test_a_wrong_wenzhou_profit_is_off_by_what_it_moved(ingest: Ingest) -> None:
    import json  # noqa: PLC0415

    hand = json.loads(W)
    hand["result"].pop("players", None)
    hand["result"]["bets"][0]["profit"] = "1000000.00"
    right = json.loads(W)["result"]["bets"][0]["profit"]
    ingest(log(json.dumps(hand).encode()))
    (row,) = totals()
    assert row.sum.net_off == 100_000_000 - round(float(right) * 100)
    assert row.sum.valid_bet == row.sum.logged_valid_bet


def test_svc_04_totals_with_and_without_possible_duplicates(ingest: Ingest) -> None:
    ingest(log(B))
    ingest(log(changed(B, hand_id="base-1b"), changed(void(B), hand_id="void")))
    (row,) = totals()
    assert (row.hands, row.twins) == (3, 1)
    assert (row.sum.valid_bet, row.twin_sum.valid_bet) == (40_000, 20_000)
    assert (row.sum.hands, row.twin_sum.hands) == (2, 1)


def test_svc_02_hands_in_conflict_are_counted_and_not_summed(ingest: Ingest) -> None:
    other = with_net(B, 1, "-99.00")
    ingest(log(B))
    ingest(log(other))
    (row,) = totals()
    assert (row.hands, row.in_conflict, row.sum.hands, row.sum.valid_bet) == (1, 1, 0, 0)


def test_svc_27_a_row_a_currency_with_its_decimals(ingest: Ingest) -> None:
    ingest((GOLDEN / "odd" / "minor-digits.ndjson").read_bytes())
    assert [(row.currency, row.minor_digits, row.sum.rake) for row in totals()] == [
        ("CNY", 2, 500), ("JPY", 0, 30), ("KWD", 3, 30), ("XBT", 8, 30),
    ]  # fmt: skip


def test_filters_narrow(ingest: Ingest) -> None:
    ingest(log(MACAU, VANCOUVER, B, changed(W, table="T1", source="odd")))
    assert days(table="M1") == {"M1": [date(2025, 5, 1)]}
    assert [row.game for row in totals(game="wenzhou-pai-gow")] == ["wenzhou-pai-gow"]
    assert days(day_from=date(2025, 5, 1)) == {"M1": [date(2025, 5, 1)]}
    assert days(day_from=date(2025, 4, 1), day_to=date(2025, 4, 30)) == {"V1": [date(2025, 4, 30)]}
    assert days(day_to=date(2025, 1, 1)) == {}


def test_pages_of_days_hold_each_day_once(ingest: Ingest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.selectors.totals.DAYS_AT_ONCE", 2)
    ingest(
        log(*(changed(B, hand_id=str(day), started_at=f"2025-03-{day:02d}T10:00:00Z",
                      ended_at=f"2025-03-{day:02d}T10:01:00Z") for day in (1, 2, 5, 9, 20)))
    )  # fmt: skip
    found, before = [], None
    for _ in range(3):
        page = list_totals(TotalsQuery(sources=None), before=before)
        found.append([row.day.day for row in page.rows if row.day])
        before = page.before
    assert (found, before) == ([[20, 9], [5, 2], [1]], None)


def test_a_day_that_is_too_large_for_a_page_is_told_and_passed_over(
    ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audit.selectors.totals.HANDS_A_DAY_MAX", 2)
    ingest(
        log(*(changed(B, hand_id=f"{day}-{number}", started_at=f"2025-03-{day:02d}T10:00:00Z",
                      ended_at=f"2025-03-{day:02d}T10:01:00Z")
              for day, count in ((1, 1), (2, 3), (3, 2)) for number in range(count)))
    )  # fmt: skip
    first = list_totals(TotalsQuery(sources=None))
    assert ([row.hands for row in first.rows], first.too_large) == ([2], None)
    second = list_totals(TotalsQuery(sources=None), before=first.before)
    assert (second.rows, second.too_large) == ((), date(2025, 3, 2))
    third = list_totals(TotalsQuery(sources=None), before=second.before)
    assert ([row.hands for row in third.rows], third.before) == ([1], None)
    # Taken out, it is whole.
    assert [row.hands for row in totals()] == [2, 3, 1]
