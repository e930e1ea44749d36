"""Significant events, completeness, the access review; the clock; the command."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from audit.models import (
    AcceptedSoftware,
    CaseAct,
    DayRule,
    JournalEntry,
    Report,
    ReportRun,
    Role,
    SignIn,
    SignInOutcome,
    SignInWay,
    SoftwareCheck,
)
from audit.selectors.access import access_of
from audit.selectors.certificates_days import current_rules
from audit.selectors.exports_sheet import check_sheet
from audit.services import desk
from audit.services.certifying import continue_run, request_certificates
from audit.services.certifying_rules import set_day_rule
from audit.services.reports_daily import day_end, request_daily_reports
from audit.services.staff import open_account
from tests.access import with_roles
from tests.audit.logs import B, Ingest, W, changed, log, with_net
from tests.audit.reports.conftest import Make, document_of, rows_of
from tests.audit.rulesets import publish


def test_s50_events_link_to_hands_and_thresholds_are_settable(ingest: Ingest, make: Make) -> None:
    ingest(log(B, W))

    def large(**limits: str) -> list[tuple[str, str, str | None]]:
        report = make("significant-events", **{"large_win": "", "large_wager": "", **limits})
        (events,) = (one for one in document_of(report)["sections"] if one["key"] == "events")
        assert all("hand" in row for row in events["rows"])
        return [(row["cells"][1], row["cells"][5], row["cells"][7]) for row in events["rows"]]

    assert large() == []
    assert large(large_win="CNY=47.50") == [
        ("Large win", "Ann", "288.00"), ("Large win", "Di", "47.50"),
    ]  # fmt: skip
    assert large(large_win="CNY=47.51") == [("Large win", "Ann", "288.00")]
    assert large(large_win="HKD=1") == []
    assert large(large_wager="CNY=100") == [
        ("Large wager", "Ann", "288.00"), ("Large wager", "Bo", "100.00"),
    ]  # fmt: skip


def test_corrections_checks_and_sign_ins_are_events(
    ingest: Ingest, make: Make, auditor: User
) -> None:
    today = datetime.now(UTC).date().isoformat()
    ingest(log(with_net(B, 1, "-99.00")))
    assert desk.gather_cases().is_done
    case = CaseAct.objects.latest("pk").case_id
    desk.decide_case(case_id=case, user=auditor, decision="operator", reason="wrong", sources=None)
    ingest(log(B), user=auditor, restatement="typed wrongly")
    set_day_rule(source="odd", table="T1", time_zone="", starts_at=0, numbering="detect",
                 sources=None, user=auditor)  # fmt: skip
    accepted = AcceptedSoftware.objects.create(reason="x", engine="1", items={}, sha256=b"1")
    SoftwareCheck.objects.create(
        accepted=accepted, occasion="daily", process="worker on a", engine="1", is_good=False,
        sha256=b"2", differences={"audit/x.py": ["1", "2"]},
    )  # fmt: skip
    SignIn.objects.create(name="mallory", way=SignInWay.PASSWORD, outcome=SignInOutcome.WRONG)
    SignIn.objects.create(name="ines", way=SignInWay.PASSWORD, outcome=SignInOutcome.GOOD)
    report = make("significant-events", to=today)
    events = {row["event"]: row for row in rows_of(report, "events")}
    assert {kind: (row["subject"], row["by"]) for kind, row in events.items()} == {
        "Decision at the desk": (f"C-{case}", "ines.castro"),
        "Restated hand": ("base-1", "ines.castro"),
        "Gaming day set": (None, "ines.castro"),
        "Self-check failed": ("worker on a", None),
        "Failed sign-in": ("mallory", None),
    }
    assert events["Restated hand"]["detail"].endswith("typed wrongly")
    # A report that is kept to a source says nothing of what belongs to none.
    kept = {row["event"] for row in rows_of(make("significant-events", to=today, source="odd"),
                                           "events")}  # fmt: skip
    assert kept == {"Decision at the desk", "Restated hand", "Gaming day set"}


def test_completeness_lists_certificates_and_days_without(
    ingest: Ingest, make: Make, auditor: User
) -> None:
    ingest(log(B, W))
    run = request_certificates(
        day=date(2025, 3, 1), user=auditor, source="odd", table="T1", sources=None
    )
    while continue_run(run_id=run):
        pass
    report = make("completeness")
    assert [(row["table"], row["state"] == "Not certified", row["stored"]) for row in
            rows_of(report, "days")] == [("T1", False, 1), ("W1", True, 1)]  # fmt: skip
    assert rows_of(report, "states", "total")[0]["days"] == 2


def test_an_access_review_names_roles_and_who_gave_them(make: Make, auditor: User) -> None:
    today = datetime.now(UTC).date().isoformat()
    tom = with_roles(User.objects.create_user("tom.reyes"), Role.SUPPORT, source="odd")
    User.objects.create_user("closed", is_active=False)
    open_account(access=access_of(auditor), name="pia.prueft", full_name="")
    pia = with_roles(User.objects.get(username="pia.prueft"), Role.RULES_APPROVER)
    publish(access_of(auditor), access_of(pia))
    report = make("access-review", to=today)
    accounts = {row["account"]: row for row in rows_of(report, "accounts")}
    assert accounts[tom.username]["grants"] == 1
    assert (accounts["closed"]["state"], accounts["closed"]["grants"]) == ("closed", 0)
    assert accounts[tom.username]["opened_by"] == "not on record"
    assert accounts["pia.prueft"]["opened_by"] == "opened by ines.castro"
    tied = [(row["act"], row["first"], row["second"], row["because"])
            for row in rows_of(report, "tied")]  # fmt: skip
    assert tied == [
        ("ruleset published", "ines.castro", "pia.prueft", "ines.castro: opened")
    ]  # fmt: skip
    grants = [row for row in rows_of(report, "grants") if row["account"] == tom.username]
    assert [(row["role"], row["source"]) for row in grants] == [("Support", "odd")]
    changes = rows_of(report, "changes")
    assert len(changes) == rows_of(report, "accounts", "total")[0]["grants"]


def test_the_clock_makes_each_day_once_when_it_is_over(ingest: Ingest, auditor: User) -> None:
    ingest(log(B))
    noon = datetime(2025, 3, 4, 12, tzinfo=UTC)
    first = request_daily_reports(now=noon - timedelta(seconds=1))
    days = set(ReportRun.objects.values_list("last", flat=True))
    assert days == {date(2025, 2, day) for day in range(25, 29)} | {
        date(2025, 3, 1), date(2025, 3, 2),
    }  # fmt: skip
    kinds = ("completeness", "discrepancies", "game-performance", "significant-events")
    assert len(first) == len(days) * len(kinds)
    assert request_daily_reports(now=noon - timedelta(seconds=1)) == []
    second = request_daily_reports(now=noon)
    runs = ReportRun.objects.filter(pk__in=second).order_by("kind")
    assert [(run.kind, run.last, run.asked_by) for run in runs] == [
        (kind, date(2025, 3, 3), None) for kind in kinds
    ]


def test_a_day_is_over_when_it_is_at_every_table(auditor: User) -> None:
    DayRule.objects.create(
        source="west", time_zone="Pacific/Honolulu", starts_at=6 * 60, made_by=auditor
    )
    end = day_end(date(2025, 3, 3), current_rules())
    assert end == datetime(2025, 3, 4, 15, 59, 59, 999999, tzinfo=UTC)


def test_the_command_makes_lists_takes_and_checks(
    ingest: Ingest, auditor: User, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    ingest(log(B, changed(B, hand_id="b2", table="T9")))
    out = io.StringIO()
    arguments = ["make", "game-performance", "--by", "ines.castro", "--to", "2025-03-01"]
    call_command("report", *arguments, "--table", "T9", stdout=out)
    report = Report.objects.get()
    assert out.getvalue() == f"Report {report.pk} was made.\n"
    assert report.parameters == {"table": "T9"}
    call_command("report", *arguments, "--table", "T9", stdout=out)
    assert out.getvalue().endswith(f"Report {report.pk} says the same already.\n")
    out = io.StringIO()
    call_command("report", "list", stdout=out)
    assert out.getvalue().split("\t")[:4] == [
        str(report.pk), "game-performance", "day", "2025-03-01",
    ]  # fmt: skip
    file = tmp_path / "report.csv"
    call_command("report", "take", str(report.pk), "--form", "csv", "--out", str(file))
    assert file.read_bytes() == bytes(report.csv)
    entry = JournalEntry.objects.latest("pk")
    assert (entry.actor, entry.act) == ("tilecourt", "see-reports")
    assert entry.subject == f"command report-file report:{report.pk} form:csv"
    with file.open("rb") as lines:
        assert check_sheet(lines).rows > 0
    out = io.StringIO()
    call_command("report", "check", str(report.pk), stdout=out)
    assert "as it was made" in out.getvalue()
    for wrong in (["take", "999"], [*arguments[:3], "nobody", *arguments[4:]],
                  [*arguments, "--player", "Ann"]):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            call_command("report", *wrong)
        assert ended.value.code == 64


@pytest.mark.parametrize(
    ("basis", "first"),
    [
        ("day", date(2025, 3, 1)),
        ("month-to-date", date(2025, 3, 1)),
        ("year-to-date", date(2025, 1, 1)),
        ("life-to-date", date(2024, 12, 31)),
    ],
)
def test_s45_periods_begin_where_they_say(
    ingest: Ingest, make: Make, basis: str, first: date
) -> None:
    old = changed(B, hand_id="old", started_at="2024-12-31T23:00:00+08:00",
                  ended_at="2024-12-31T23:01:00+08:00")  # fmt: skip
    ingest(log(B, old))
    report = make("game-performance", basis=basis)
    assert (report.first, report.last) == (first, date(2025, 3, 1))
    days = [row["day"] for row in rows_of(report, "days")]
    assert days == (["2024-12-31"] if basis == "life-to-date" else []) + ["2025-03-01"]


def test_what_a_stopped_replay_logged_is_large_too(ingest: Ingest, make: Make) -> None:
    hand = json.loads(B)
    hand["result"]["seats"][3] |= {"net": "47.5", "gross": "50"}
    ingest(log(changed(B, events=hand["events"][:3], result=hand["result"])))
    (row,) = rows_of(make("significant-events", large_win="CNY=47.50", large_wager=""), "events")
    assert (row["event"], row["by"], row["amount"]) == ("Large win", "Di", "47.50")
    assert row["detail"].endswith("as logged, not recomputed")
