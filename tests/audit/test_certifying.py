"""Certificates of completeness: what they list, what makes them out of date, and their runs."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from datetime import date
from itertools import combinations
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from hypothesis import given
from hypothesis import strategies as st

from audit import services
from audit.models import (
    Certificate,
    CertificateRun,
    Chunk,
    Hand,
    RunState,
    Table,
    VerdictKind,
)
from audit.selectors.certificates_sequence import _out_of_order
from audit.selectors.exports import REPORTS
from audit.selectors.filters import HandFilters
from audit.selectors.totals import TotalsQuery, list_totals
from audit.services import certifying
from audit.services.certifying_refusals import place_of
from audit.services.certifying_rules import DayRuleRefused, set_day_rule
from audit.services.players import note_players
from tests.audit.chains import compare_all
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.logs import B, Ingest, W, changed, log, respelt, void, with_net

DAY = date(2025, 3, 1)
Certify = Callable[..., Certificate]


@pytest.fixture
def user(django_user_model: Any) -> User:
    made: User = django_user_model.objects.create_user("ines.castro")
    return made


@pytest.fixture
def certify(user: User) -> Certify:
    """Certify one table's day here; gives its newest certificate."""

    def run(source: str = "odd", table: str = "T1", day: date = DAY) -> Certificate:
        compare_all()
        run_id = certifying.request_certificates(
            day=day, user=user, source=source, table=table, sources=None
        )
        while certifying.continue_run(run_id=run_id):
            pass
        assert CertificateRun.objects.get(pk=run_id).state == RunState.DONE
        return Certificate.objects.filter(source=source, table=table, day=day).latest("edition")

    return run


def hand(number: int, *, minute: int | None = None, line: bytes = B, **fields: Any) -> bytes:
    """Hand g-0001 and so on, one a minute from 10:00."""
    at = number if minute is None else minute
    clock = f"2025-03-01T{10 + at // 60:02d}:{at % 60:02d}:00+08:00"
    return changed(line, hand_id=f"g-{number:04d}", started_at=clock, ended_at=clock, **fields)


def kinds(**counts: int) -> dict[str, int]:
    """So many hands of these verdicts, and none of any other."""
    return dict.fromkeys(VerdictKind.values, 0) | counts


def content_of(certificate: Certificate) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(certificate.content)
    return found


def test_a_whole_day_is_complete(ingest: Ingest, certify: Certify) -> None:
    row = ingest(log(*(hand(number) for number in range(1, 6))))
    certificate = certify()
    content = content_of(certificate)
    assert (certificate.is_complete, certificate.hand_count, certificate.edition) == (True, 5, 1)
    assert content["reasons"] == []
    assert content["hands"]["verdicts"] == kinds(clean=5)
    assert content["hands"]["first"]["hand_id"] == "g-0001"
    assert content["hands"]["last"]["hand_id"] == "g-0005"
    assert content["hands"]["longest_pause"] == {"seconds": 60, "from": "g-0001", "to": "g-0002"}
    assert content["hours"] == [{"hour": "2025-03-01T10+08:00", "hands": 5}]
    assert content["sequence"] == {
        "basis": "detected", "is_checked": True, "first": "g-0001", "last": "g-0005", "missing": 0,
        "elsewhere": 0, "gaps": {"count": 0, "listed": []},
        "out_of_order": {"count": 0, "listed": []},
    }  # fmt: skip
    assert content["uploads"] == [
        {
            "upload": row.id, "name": "hands.ndjson", "sha256": row.sha256, "is_ended": True,
            "error": None, "brought": 5, "repeated": 0, "refused": 0, "refused_table_not_known": 0,
        }
    ]  # fmt: skip
    # Seat nets of B: 9.50, -100.00, 38.00, 47.50; the winners paid 0.50, 2.00 and 2.50 of rake.
    assert content["sums"] == [
        {
            "currency": "CNY", "minor_digits": 2, "hands": 5, "valid_bet": "1000.00",
            "valid_bet_logged": "1000.00", "valid_bet_difference": "0.00", "rake": "25.00",
            "rake_logged": "25.00", "rake_difference": "0.00", "net_difference": "0.00",
            "not_recomputed": {"hands": 0, "valid_bet_logged": "0.00", "rake_logged": None},
            "not_logged": 0,
        }
    ]  # fmt: skip


def test_the_sum_stands_over_the_exact_text(ingest: Ingest, certify: Certify) -> None:
    ingest(log(hand(1)))
    certificate = certify()
    assert bytes(certificate.sha256) == hashlib.sha256(certificate.content.encode()).digest()
    canonical = json.dumps(
        content_of(certificate), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert certificate.content == canonical


def test_dropped_repeated_reordered_and_restated_hands_are_listed_exactly(
    ingest: Ingest, certify: Certify, user: User
) -> None:
    """FIELD idea 10: drop, repeat, reorder and restate a few; exactly those are listed."""
    kept = [number for number in range(1, 21) if number not in (5, 6, 12)]
    lines = {number: hand(number) for number in kept}
    # 17 is played before 16.
    lines[16], lines[17] = hand(16, minute=17), hand(17, minute=16)
    first = ingest(log(*lines.values()))
    again = ingest(log(lines[3], respelt(lines[4]), lines[3]), "again.ndjson")
    restated = ingest(
        log(with_net(lines[9], 1, "-90.00")),
        "late.ndjson",
        user=user,
        restatement="seat 1 was wrong",
    )
    content = content_of(certify())
    assert content["sequence"]["gaps"]["listed"] == [
        {"from": "g-0005", "to": "g-0006", "count": 2, "where": "inside"},
        {"from": "g-0012", "to": "g-0012", "count": 1, "where": "inside"},
    ]
    assert content["sequence"]["missing"] == 3
    assert content["sequence"]["out_of_order"] == {"count": 1, "listed": ["g-0017"]}
    assert content["repeated"] == {
        "lines": 3, "respelt": 1, "count": 2,
        "listed": [
            {"hand_id": "g-0003", "by": [{"upload": again.id, "lines": 2, "respelt": 0}]},
            {"hand_id": "g-0004", "by": [{"upload": again.id, "lines": 1, "respelt": 1}]},
        ],
    }  # fmt: skip
    (one,) = content["restated"]["listed"]
    assert (one["hand_id"], one["version"], one["replaced"]) == ("g-0009", 2, 1)
    assert (one["reason"], one["announced_by"]) == ("seat 1 was wrong", "ines.castro")
    assert [(one["upload"], one["brought"], one["repeated"]) for one in content["uploads"]] == [
        (first.id, 17, 0), (again.id, 0, 3), (restated.id, 1, 0),
    ]  # fmt: skip
    assert content["hands"]["verdicts"] == kinds(clean=16, discrepant=1)
    assert content["sums"][0]["net_difference"] == "10.00"
    assert content["reasons"] == ["numbers-missing"]


def test_numbers_of_another_table_are_not_missing(ingest: Ingest, certify: Certify) -> None:
    ingest(log(*(hand(number, table="T1" if number % 2 else "T2") for number in range(1, 12)
                 if number != 4)))  # fmt: skip
    content = content_of(certify())
    assert content["sequence"]["gaps"]["listed"] == [
        {"from": "g-0004", "to": "g-0004", "count": 1, "where": "inside"}
    ]
    assert content["sequence"]["elsewhere"] == 4


def test_hands_missing_between_two_days_are_missing_in_both(
    ingest: Ingest, certify: Certify
) -> None:
    later = {"started_at": "2025-03-02T10:00:00+08:00", "ended_at": "2025-03-02T10:00:09+08:00"}
    ingest(log(hand(1), hand(2), changed(hand(5), **later), changed(hand(6), **later)))
    first = content_of(certify())["sequence"]["gaps"]["listed"]
    second = content_of(certify(day=date(2025, 3, 2)))["sequence"]["gaps"]["listed"]
    gap = {"from": "g-0003", "to": "g-0004", "count": 2}
    assert (first, second) == ([gap | {"where": "after"}], [gap | {"where": "before"}])


def test_ids_without_a_form_are_not_checked(ingest: Ingest, certify: Certify, user: User) -> None:
    ingest(log(hand(1), changed(hand(2), hand_id="abc")))
    certificate = certify()
    assert content_of(certificate)["sequence"]["basis"] == "no-form"
    assert certificate.is_complete
    set_day_rule(source="odd", table="T1", time_zone="", starts_at=0, numbering="numbered",
                 user=user, sources=None)  # fmt: skip
    assert content_of(certify())["reasons"] == ["numbers-unreadable"]


def test_numbers_far_apart_are_no_sequence(ingest: Ingest, certify: Certify, user: User) -> None:
    ingest(log(hand(1), hand(900, minute=2)))
    assert content_of(certify())["sequence"]["basis"] == "too-sparse"
    set_day_rule(
        source="odd",
        table="",
        time_zone="",
        starts_at=0,
        numbering="numbered",
        user=user,
        sources=None,
    )
    assert content_of(certify())["sequence"]["missing"] == 898
    set_day_rule(
        source="odd", table="", time_zone="", starts_at=0, numbering="none", user=user, sources=None
    )
    assert content_of(certify())["sequence"]["basis"] == "none"


def test_the_second_hand_of_a_round_is_missed(ingest: Ingest, certify: Certify) -> None:
    ingest(
        log(
            hand(1, round={"id": "r1", "hand": 1}),
            hand(2, round={"id": "r1", "hand": 2}),
            hand(3, round={"id": "r2", "hand": 1}),
            hand(4, round={"id": "r3", "hand": 2}),
            hand(5, line=W, round={"id": "w1", "hand": 1}, table="T1", source="odd"),
        )
    )
    content = content_of(certify())
    rounds = content["rounds"]
    assert (rounds["count"], rounds["whole"], rounds["across"], rounds["excused"]) == (4, 1, 0, 0)
    assert rounds["missing"]["listed"] == [
        {"round": "r2", "missing": 2, "hand_id": "g-0003", "game": "banker-pai-gow"},
        {"round": "r3", "missing": 1, "hand_id": "g-0004", "game": "banker-pai-gow"},
        {"round": "w1", "missing": 2, "hand_id": "g-0005", "game": "wenzhou-pai-gow"},
    ]
    assert content["reasons"] == ["round-hands-missing"]


def test_a_round_that_midnight_parts_is_whole(ingest: Ingest, certify: Certify) -> None:
    later = {"started_at": "2025-03-02T00:01:00+08:00", "ended_at": "2025-03-02T00:02:00+08:00"}
    ingest(
        log(
            hand(1, round={"id": "r1", "hand": 1}),
            changed(hand(2, round={"id": "r1", "hand": 2}), **later),
        )
    )
    rounds = content_of(certify())["rounds"]
    assert (rounds["across"], rounds["missing"]["count"]) == (1, 0)
    rounds = content_of(certify(day=date(2025, 3, 2)))["rounds"]
    assert (rounds["across"], rounds["missing"]["count"]) == (1, 0)


def test_refused_lines_stand_where_they_say(ingest: Ingest, certify: Certify) -> None:
    broken = changed(hand(2), currency="")
    repeated = b'{"table": "T1", ' + hand(3)[1:]
    elsewhere = changed(hand(9), table="T2", game="chess")
    row = ingest(log(hand(1), hand(5), broken, b"{", repeated, elsewhere, hand(4)))
    content = content_of(certify())
    # What came and was refused is not missing.
    assert content["sequence"]["missing"] == 1
    (one,) = content["refused"]["listed"]
    assert (one["upload_id"], one["line"], one["hand_id"], one["is_known"]) == (
        row.id, 3, "g-0002", False,
    )  # fmt: skip
    assert one["place"] == "$.currency"
    assert content["uploads"][0]["refused"] == 1
    assert content["uploads"][0]["refused_table_not_known"] == 2
    assert content["reasons"] == ["numbers-missing", "refused", "refused-table-not-known"]
    other = certify(table="T2")
    assert (other.hand_count, other.refused_count, other.is_complete) == (0, 1, False)
    # What was refused comes right later: it is listed, and no longer open.
    ingest(log(hand(2), hand(3)))
    content = content_of(certify())
    assert [one["is_known"] for one in content["refused"]["listed"]] == [True]
    assert content["reasons"] == ["refused-table-not-known"]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff", b"[]", b'"T1"', b'{"source": "odd", "table": "T1"}', b"NaN", b"[" * 100_000,
        b'{"source": "odd", "table": "T1", "started_at": "yesterday"}',
        b'{"source": "", "table": "T1", "started_at": "2025-03-01T10:00:00Z"}',
        b'{"source": "odd", "table": "T\\u0000", "started_at": "2025-03-01T10:00:00Z"}',
        b'{"source": "odd", "table": "\\ud800", "started_at": "2025-03-01T10:00:00Z"}',
        b'{"source": "odd", "table": 7, "started_at": "2025-03-01T10:00:00Z"}',
        b'{"source": "odd", "table": "T1", "started_at": "2025-03-01T10:00:00Z", "x": NaN}',
        b'{"source":"odd","table":"T1","started_at":"2025-03-01T10:00:00Z","x":{"a":1,"a":1}}',
        b'{"source": "odd", "table": "T1", "table": "T1", "started_at": "2025-03-01T10:00:00Z"}',
        b'{"source": "odd", "table": "' + b"x" * 129 + b'", "started_at": "2025-03-01T10:00:00Z"}',
    ],
)  # fmt: skip
def test_a_place_is_never_guessed(line: bytes) -> None:
    assert place_of(line) is None


def test_svc_04_possible_duplicates_are_summed_apart(ingest: Ingest, certify: Certify) -> None:
    ingest(log(B))
    ingest(log(changed(B, hand_id="base-1b")))
    content = content_of(certify())
    assert content["possible_duplicates"] == {
        "count": 1, "listed": [{"hand_id": "base-1b", "of": ["base-1"]}],
    }  # fmt: skip
    assert [one["valid_bet"] for one in content["sums"]] == ["400.00"]
    assert [one["valid_bet"] for one in content["sums_without_possible_duplicates"]] == ["200.00"]
    assert content["hands"]["count"] == 2


def test_hands_in_conflict_are_listed_and_not_summed(ingest: Ingest, certify: Certify) -> None:
    """SVC-02: neither record is chosen, so the order of arrival must not decide a sum."""
    other = with_net(hand(1), 1, "-99.00")
    first = ingest(log(hand(1), hand(2)))
    second = ingest(log(other))
    content = content_of(certify())
    (one,) = content["conflicts"]["listed"]
    assert (one["hand_id"], one["brought_by"]) == ("g-0001", [first.id, 1])
    assert [(two["version"], two["upload"]) for two in one["others"]] == [(2, second.id)]
    assert [(one["hands"], one["valid_bet"]) for one in content["sums"]] == [(1, "200.00")]
    assert content["reasons"] == ["conflicts"]


def test_svc_20_void_hands_are_counted_apart(ingest: Ingest, certify: Certify) -> None:
    ingest(log(void(hand(1)), hand(2)))
    content = content_of(certify())
    assert content["hands"]["verdicts"] == kinds(clean=1, void=1)
    assert [(one["hands"], one["valid_bet"]) for one in content["sums"]] == [(1, "200.00")]


def test_svc_27_sums_never_mix_currencies(ingest: Ingest, certify: Certify) -> None:
    from tests.audit.logs import GOLDEN  # noqa: PLC0415

    ingest((GOLDEN / "odd" / "minor-digits.ndjson").read_bytes())
    sums = content_of(certify())["sums"]
    assert [(one["currency"], one["minor_digits"], one["rake"]) for one in sums] == [
        ("CNY", 2, "5.00"), ("JPY", 0, "30"), ("KWD", 3, "0.030"), ("XBT", 8, "0.00000030"),
    ]  # fmt: skip


def test_later_facts_make_another_edition_and_the_old_one_stays(
    ingest: Ingest, certify: Certify
) -> None:
    ingest(log(hand(1), hand(3)))
    first = certify()
    assert certify().pk == first.pk
    ingest(log(hand(2)))
    second = certify()
    assert (second.edition, second.is_complete, first.is_complete) == (2, True, False)
    first.refresh_from_db()
    assert content_of(first)["sequence"]["missing"] == 1


def test_a_certificate_is_never_changed(ingest: Ingest, certify: Certify) -> None:
    ingest(log(hand(1)))
    certificate = certify()
    for change in (
        lambda: Certificate.objects.filter(pk=certificate.pk).update(is_complete=False),
        lambda: Certificate.objects.filter(pk=certificate.pk).delete(),
    ):
        with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
            change()


def test_a_run_certifies_every_table_with_something(ingest: Ingest, user: User) -> None:
    ingest(log(*(hand(number, table=f"T{number}") for number in range(1, 6))))
    ingest(log(changed(hand(9), table="T9", started_at="2024-01-01T00:00:00Z",
                       ended_at="2024-01-01T00:00:00Z")))  # fmt: skip
    run_id = certifying.request_certificates(day=DAY, user=user, sources=None)
    assert certifying.continue_run(run_id=run_id, seconds=0)
    run = CertificateRun.objects.get(pk=run_id)
    assert (run.state, run.table_count, run.looked_count, run.made_count) == ("running", 6, 1, 1)
    certifying.stop_run(run_id=run_id)
    assert not certifying.continue_run(run_id=run_id)
    assert Certificate.objects.count() == 1
    certifying.resume_run(run_id=run_id)
    assert not certifying.continue_run(run_id=run_id)
    run.refresh_from_db()
    assert (run.state, run.looked_count, run.made_count, run.empty_count, run.same_count) == (
        "done", 6, 5, 1, 0,
    )  # fmt: skip
    assert sorted(Certificate.objects.values_list("table", flat=True)) == [
        "T1", "T2", "T3", "T4", "T5",
    ]  # fmt: skip
    again = certifying.request_certificates(day=DAY, user=user, source="odd", sources=None)
    assert not certifying.continue_run(run_id=again)
    run = CertificateRun.objects.get(pk=again)
    assert (run.made_count, run.same_count, run.empty_count) == (0, 5, 1)


def test_more_tables_than_one_look_takes(
    ingest: Ingest, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifying, "TABLES_AT_ONCE", 2)
    Table.objects.bulk_create(Table(source="odd", name=f"empty-{number}") for number in range(5))
    ingest(log(hand(1)))
    run_id = certifying.request_certificates(day=DAY, user=user, sources=None)
    assert not certifying.continue_run(run_id=run_id)
    run = CertificateRun.objects.get(pk=run_id)
    assert (run.looked_count, run.made_count, run.empty_count) == (6, 1, 5)


def test_a_day_without_a_hand_is_certified_when_asked_for(ingest: Ingest, certify: Certify) -> None:
    ingest(log(hand(1)))
    certificate = certify(day=date(2025, 3, 9))
    content = content_of(certificate)
    assert (certificate.hand_count, certificate.is_complete) == (0, True)
    assert (content["sums"], content["hours"], content["hands"]["first"]) == ([], [], None)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"time_zone": "Asia/Nowhere"}, "is no time zone"),
        ({"time_zone": "../../etc/passwd"}, "is no time zone"),
        ({"starts_at": 1440}, "between 00:00 and 23:59"),
        ({"numbering": "guess"}, "numbered, not numbered, or looked at"),
        ({"source": "", "table": "T1"}, "together with its source"),
        ({"source": "nobody"}, "no such source"),
        ({"table": "T77"}, "no such table"),
    ],
)
def test_a_rule_that_cannot_hold_is_refused(
    ingest: Ingest, user: User, fields: dict[str, Any], words: str
) -> None:
    ingest(log(hand(1)))
    rule = {"source": "odd", "table": "T1", "time_zone": "", "starts_at": 0, "numbering": "detect"}
    with pytest.raises(DayRuleRefused, match=words):
        set_day_rule(user=user, **{**rule, **fields}, sources=None)


def test_records_of_a_feed_are_certified_with_what_they_carry(db: Any, user: User) -> None:
    """A feed's record has a form of its own, and a time that may lack its offset."""
    rows = [ky_row(GameID=f"5{number}") for number in (1, 2, 4)]
    services.receive_feed(
        name="pull.json", stream=io.BytesIO(ky_answer(*rows)), feed="ky-730", source="op"
    )
    for chunk in Chunk.objects.all():
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    hand = Hand.objects.order_by("pk").first()
    assert hand is not None
    run_id = certifying.request_certificates(day=hand.played_on, user=user, sources=None)
    assert not certifying.continue_run(run_id=run_id)
    certificate = Certificate.objects.get()
    content = content_of(certificate)
    assert content["hands"]["verdicts"] == kinds(consistent=3)
    assert content["sums"][0]["valid_bet_logged"] == "0.00"
    (totals,) = list_totals(TotalsQuery(sources=None)).rows
    assert (totals.hands, totals.kinds["consistent"], totals.sum.hands) == (3, 3, 0)
    for report in REPORTS.values():
        assert {len(row) for row in report.rows(HandFilters(), None)} <= {len(report.columns)}
    assert note_players(seconds=60) is False


@given(st.lists(st.integers(0, 30), unique=True, max_size=12))
def test_the_fewest_hands_are_out_of_order(numbers: list[int]) -> None:
    out = _out_of_order(numbers)
    kept = [number for number in numbers if number not in out]
    assert kept == sorted(kept)
    most = max(
        (len(some) for size in range(len(numbers) + 1) for some in combinations(numbers, size)
         if list(some) == sorted(some)), default=0,
    )  # fmt: skip
    assert len(kept) == most


def test_one_high_number_puts_no_other_out_of_order() -> None:
    assert _out_of_order([1, 2, 3, 99, 4, 5, 6]) == [99]
    assert _out_of_order([]) == []


def test_svc_74_the_doubled_hour_is_told_by_its_offset(
    ingest: Ingest, certify: Certify, user: User
) -> None:
    day = date(2025, 11, 2)
    clocks = ("2025-11-02T01:50:00-07:00", "2025-11-02T01:10:00-08:00", "2025-11-02T02:00:00-08:00")
    ingest(
        log(*(changed(B, hand_id=f"n-{number}", started_at=clock, ended_at=clock)
              for number, clock in enumerate(clocks, start=1)))
    )  # fmt: skip
    hours = [
        {"hour": "2025-11-02T01-07:00", "hands": 1},
        {"hour": "2025-11-02T01-08:00", "hands": 1},
        {"hour": "2025-11-02T02-08:00", "hands": 1},
    ]
    assert content_of(certify(day=day))["hours"] == hours
    set_day_rule(source="odd", table="T1", time_zone="America/Vancouver", starts_at=0,
                 numbering="detect", user=user, sources=None)  # fmt: skip
    content = content_of(certify(day=day))
    assert content["hours"] == hours
    assert (content["day_rule"]["since"], content["day_rule"]["until"]) == (
        "2025-11-02T07:00:00Z", "2025-11-03T07:59:59.999999Z",
    )  # fmt: skip
    assert content["sequence"]["out_of_order"]["count"] == 0
    # The hour that never comes is no hour of its day, and the day is there all the same.
    certify(day=date(2025, 3, 9))
