"""A person is erased from reports that were made: they stay, signed, and can be made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from audit.models import Certificate, ErasedRow, Erasure, LeafKind, Report, ReportRun
from audit.selectors.access import EVERYTHING, access_of
from audit.selectors.certificates_content import canonical
from audit.selectors.reports import check_signature, editions_of
from audit.services import certifying
from audit.services.erasing import erase_person, reach_of
from audit.services.reports_files import Files, written_otherwise
from audit.services.reports_keeping import SERIES_BYTES
from audit.services.sealing import seal
from tests.audit.chains import compare_all
from tests.audit.dumps import places_of, places_of_hashes
from tests.audit.logs import B, Ingest, W, changed, log, with_net
from tests.audit.reports.conftest import Make, document_of, rows_of
from tests.audit.test_retention import tamper, verify

RunReport = Callable[..., ReportRun]
NAME, SOURCE = "Ngozi Adichie-42", "table-7"


def named(line: bytes, **fields: Any) -> bytes:
    """A hand of our source in which the person plays."""
    hand = json.loads(changed(line, source=SOURCE, **fields))
    text = json.dumps(hand, ensure_ascii=False)
    seats = [one["player"] for one in hand.get("seats", ())]
    was = seats[0] if seats else next(
        one["player"] for one in hand["events"] if one["type"] == "wager"
    )  # fmt: skip
    return text.replace(json.dumps(was), json.dumps(NAME)).encode()


def store(ingest: Ingest) -> None:
    """A hand that is right, one that is wrong for the person, and one at doors."""
    ingest(log(named(B), with_net(named(B, hand_id="B2"), 0, "1.00"), wrong("7777")))
    compare_all()


def wrong(profit: str) -> bytes:
    hand = json.loads(named(W, hand_id="wrong"))
    hand["result"]["players"] = [{"player": NAME, "profit": profit, "valid_bet": "1"}]
    return json.dumps(hand).encode()


def certify(user: Any) -> None:
    for table in ("T1", "W1"):
        run = certifying.request_certificates(
            day=date(2025, 3, 1), user=user, source=SOURCE, table=table, sources=None
        )
        while certifying.continue_run(run_id=run):
            pass


ASKED: dict[str, dict[str, str]] = {
    "player-statement": {"source": SOURCE, "player": NAME},
    "significant-events": {"large_win": "CNY=1,HKD=1", "large_wager": "CNY=1,HKD=1"},
    "discrepancies": {},
    "completeness": {},
    "game-performance": {},
}


def erase(auditor: Any) -> Erasure:
    pk = erase_person(
        access=access_of(auditor), source=SOURCE, name=NAME, reason="asked", ground="GDPR Art. 17"
    )
    return Erasure.objects.get(pk=pk)


def kept(report: Report) -> Files:
    return Files(
        json=bytes(report.json), csv=bytes(report.csv),
        pdf=None if report.pdf is None else bytes(report.pdf), pdf_maker=report.pdf_maker,
    )  # fmt: skip


def hashes_of(report: Report) -> set[bytes]:
    files = kept(report)
    found = {hashlib.sha256(one).digest() for one in (files.json, files.csv, files.pdf or b"")}
    return found | {bytes(report.body_sha256)}


@pytest.fixture
def made(ingest: Ingest, make: Make, auditor: Any) -> dict[str, Report]:
    store(ingest)
    certify(auditor)
    return {kind: make(kind, **query) for kind, query in ASKED.items()}


def test_every_made_version_stays_signed_and_is_made_again_without_the_name(
    made: dict[str, Report], run_report: RunReport, auditor: Any
) -> None:
    seal()
    assert places_of(NAME) >= {
        "audit_report.json", "audit_report.csv", "audit_report.parameters",
    }  # fmt: skip
    assert NAME in str(rows_of(made["significant-events"], "events"))
    assert NAME in str(rows_of(made["discrepancies"], "hands"))
    before = {kind: hashes_of(report) for kind, report in made.items()}
    act = erase(auditor)
    assert places_of(NAME) == set()
    assert act.counts["report"] == 4
    assert act.left == {}
    status, words = verify()
    assert status == 0, words
    for kind, old in made.items():
        report = Report.objects.get(pk=old.pk)
        assert check_signature(report).problem == "", kind
        assert written_otherwise(document_of(report), kept(report)) == [], kind
        is_named = kind != "game-performance"
        assert ("erasures" in document_of(report)) is is_named, kind
        # What it was before can be compared with no guess.
        if is_named:
            assert f"erased E-{act.pk}\n" in report.note
            gone = before[kind] - (before[kind] & hashes_of(report))
            assert places_of_hashes(gone) == set(), kind
            assert len(gone) >= 3, kind
        query = {name: act.token if text == NAME else text for name, text in ASKED[kind].items()}
        again = run_report(kind, again=report.pk, **query)
        assert (again.report_id, Report.objects.count()) == (report.pk, len(made)), kind
    assert act.token in str(rows_of(Report.objects.get(pk=made["discrepancies"].pk), "hands"))
    assert f"E-{act.pk}" in bytes(Report.objects.get(pk=made["discrepancies"].pk).csv).decode()


def test_the_preview_says_which_reports_it_will_be(made: dict[str, Report], auditor: Any) -> None:
    seal()
    reach = reach_of(access=access_of(auditor), source=SOURCE, name=NAME)
    named_in = {made[kind].pk for kind in ASKED if kind not in ("completeness", "game-performance")}
    assert (reach.hands, set(reach.reports), reach.elsewhere) == (3, named_in, ())
    assert places_of(NAME) >= {"audit_report.json"}
    assert not Erasure.objects.exists()


def test_an_edition_that_lists_what_changed_loses_the_name_too(
    ingest: Ingest, make: Make, auditor: Any, run_report: RunReport
) -> None:
    store(ingest)
    first = make("discrepancies")
    ingest(log(wrong("8888")), user=auditor, restatement=f"{NAME} was paid twice")
    second = make("discrepancies")
    assert (second.edition, second.previous_id) == (2, first.pk)
    changes = document_of(second)["changes"]["sections"]
    assert all(NAME in str(one["rows"]) for one in changes)
    seal()
    act = erase(auditor)
    assert places_of(NAME) == set()
    for report, signature in editions_of(second.pk, EVERYTHING):
        assert signature.problem == "", report.pk
    assert [one.pk for one, _ in editions_of(first.pk, EVERYTHING)] == [first.pk, second.pk]
    changes = document_of(Report.objects.get(pk=second.pk))["changes"]["sections"]
    assert all(act.token in str(one["rows"]) for one in changes)
    assert f"{act.token} was paid twice" in str(changes[1]["rows"])
    assert verify()[0] == 0
    assert run_report("discrepancies", again=second.pk).report_id == second.pk


def test_somebody_of_the_same_name_elsewhere_stays_in_the_report(
    ingest: Ingest, make: Make, auditor: Any
) -> None:
    store(ingest)
    ingest(log(changed(named(B), source="elsewhere")))
    report = make("significant-events", **ASKED["significant-events"])
    seal()
    act = erase(auditor)
    rows = rows_of(Report.objects.get(pk=report.pk), "events")
    by = {(row["source"], row["by"]) for row in rows if row["by"] in (NAME, act.token)}
    assert by == {("elsewhere", NAME), (SOURCE, act.token)}
    assert Report.objects.filter(pk=report.pk).exists()
    assert reach_of(access=access_of(auditor), source="elsewhere", name=NAME).hands == 1


def test_no_hash_of_what_was_asked_for_is_kept(made: dict[str, Report]) -> None:
    report = made["player-statement"]
    assert bytes(report.series) == report.pk.to_bytes(SERIES_BYTES, "big")
    assert places_of_hashes({asked_sha256(report)}) == set()


def asked_sha256(report: Report) -> bytes:
    """What `series` was until a report had the number of its first edition in that place."""
    asked = [
        report.kind, report.basis, report.first.isoformat(), report.last.isoformat(),
        report.parameters, report.sources,
    ]  # fmt: skip
    return hashlib.sha256(canonical({"asked": asked}).encode()).digest()


def test_a_report_of_before_loses_its_hash_over_the_name_and_verifies(
    ingest: Ingest, make: Make, run_report: RunReport, auditor: Any
) -> None:
    store(ingest)
    report = make("player-statement", **ASKED["player-statement"])
    was = asked_sha256(report)
    tamper(f"UPDATE audit_report SET series = '\\x{was.hex()}' WHERE id = {report.pk}")
    ingest(log(named(B, hand_id="later")))
    second = make("player-statement", **ASKED["player-statement"])
    assert (bytes(second.series), second.previous_id) == (was, report.pk)
    seal()
    act = erase(auditor)
    assert places_of_hashes({was}) == set()
    assert [one.pk for one, _ in editions_of(second.pk, EVERYTHING)] == [report.pk, second.pk]
    status, words = verify()
    assert status == 0, words
    assert words[0].startswith("2 leaves of early forms: over names that were erased since")
    query = ASKED["player-statement"] | {"player": act.token}
    assert run_report("player-statement", again=second.pk, **query).report_id == second.pk
    tamper(f"UPDATE audit_report SET csv = 'x' WHERE id = {report.pk}")
    status, words = verify()
    assert status == 1
    assert f"report {report.pk}: not as act E-{act.pk} left it when a name was erased" in words


@pytest.mark.parametrize(
    "change",
    ["csv = 'x'", "note = 'x'", "body_sha256 = sha256('x')", "pdf = NULL", "parameters = '{}'",
     "made_at = made_at + interval '1 hour'"],
)  # fmt: skip
def test_a_report_that_is_changed_after_the_erasure_is_named(
    ingest: Ingest, make: Make, auditor: Any, change: str
) -> None:
    store(ingest)
    report = make("player-statement", **ASKED["player-statement"])
    seal()
    erase(auditor)
    assert ErasedRow.objects.filter(kind=LeafKind.REPORT, row=report.pk).count() == 1
    if change == "pdf = NULL":
        change = "pdf = NULL, pdf_maker = ''"
    tamper(f"UPDATE audit_report SET {change} WHERE id = {report.pk}")
    status, words = verify()
    assert status == 1
    assert any(line.startswith(f"report {report.pk}") for line in words), words


def test_an_erasure_that_is_stopped_between_two_reports_goes_on(
    made: dict[str, Report], auditor: Any
) -> None:
    seal()

    def stop(done: int, whole: int) -> None:
        if (done, whole) == (2, 4):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        erase_person(
            access=access_of(auditor), source=SOURCE, name=NAME, reason="r", ground="g",
            on_reports=stop,
        )  # fmt: skip
    seal()
    assert verify()[0] == 0
    assert "audit_report.json" in places_of(NAME)
    act = erase(auditor)
    assert Erasure.objects.count() == 1
    assert places_of(NAME) == set()
    assert act.counts["report"] == 4
    assert verify()[0] == 0


def test_the_guards_let_no_report_be_rewritten_but_under_an_act(
    made: dict[str, Report], auditor: Any
) -> None:
    running = Erasure.objects.create(
        source=SOURCE, token="#x", reason="r", ground="g", asked_by=auditor
    )
    for setting in ("", str(running.pk)):
        with pytest.raises(DatabaseError, match="never changed"):
            rewrite(setting)


def rewrite(act: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL tilecourt.erasure = '{act}'")
        cursor.execute("UPDATE audit_report SET csv = 'x'")


def test_the_hash_of_a_rewritten_certificate_is_the_new_one(
    made: dict[str, Report], auditor: Any
) -> None:
    seal()
    was = {bytes(one).hex()[:16] for one in Certificate.objects.values_list("sha256", flat=True)}
    erase(auditor)
    now = {bytes(one).hex()[:16] for one in Certificate.objects.values_list("sha256", flat=True)}
    rows = rows_of(Report.objects.get(pk=made["completeness"].pk), "days")
    assert was.isdisjoint(now)
    assert {row["sha256"] for row in rows} == now
