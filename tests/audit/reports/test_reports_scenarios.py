"""Scenarios of the service that concern reports."""

from __future__ import annotations

from collections import Counter
from typing import Any

from audit.models import Hand
from audit.services.certifying_rules import set_day_rule
from tests.audit.logs import GOLDEN, B, Ingest, W, changed, log, void, with_net
from tests.audit.reports.conftest import Make, document_of, rows_of
from tests.pdf_text import pages_of


def odd(name: str) -> bytes:
    return (GOLDEN / "odd" / name).read_bytes()


def test_svc_18_nothing_is_rounded_away(ingest: Ingest, make: Make) -> None:
    ingest(odd("one-unit.ndjson"))
    report = make("discrepancies")
    rows = {row["hand_id"]: (row["logged"], row["expected"]) for row in rows_of(report, "hands")}
    assert rows == {
        "ou-1": ("9.51", "9.50"), "ou-2": ("2.01", "2.00"), "ou-3": ("-99.99", "-100.00"),
        "ou-4": ("38.00", "40.00"), "ou-5": ("-9.50", "9.50"), "ou-6": ("1000.00", "1047.50"),
        "ou-7": ("49.99", "50.00"), "ou-8": ("0.00", "0.50"),
    }  # fmt: skip
    shown = " ".join(pages_of(bytes(report.pdf)))
    assert "seat 0 9.51 9.50" in shown
    assert b'"9.51"' not in bytes(report.csv)
    assert b'"\'9.51","\'9.50"' in bytes(report.csv)


def test_svc_20_void_hands_are_counted_apart(ingest: Ingest, make: Make) -> None:
    ingest(log(void(B, hand_id="v-1"), void(B, hand_id="v-2"), void(W, hand_id="v-3")))
    only_void = make("game-performance")
    counts = rows_of(only_void, "hands", "total")[0]
    assert (counts["hands"], counts["void"], counts["in_sums"]) == (3, 3, 0)
    for row in rows_of(only_void, "money"):
        assert {row["wagered"], row["won"], row["lost"], row["valid_bet"]} <= {"0.00"}
        assert (row["rake"], row["rake_logged"], row["rake_difference"]) == (None, None, None)
    ingest(odd("void.ndjson"))
    kinds = Counter(Hand.objects.values_list("verdict_kind", flat=True))
    counts = rows_of(make("game-performance"), "hands", "total")[0]
    assert {kind: counts[kind] for kind in kinds} == kinds
    ingest(log(B))
    with_one = make("game-performance")
    money = rows_of(with_one, "money")[0]
    assert (money["won"], money["rake"], money["valid_bet"]) == ("95.00", "5.00", "200.00")
    events = rows_of(make("significant-events"), "events")
    assert [row["event"] for row in events] == ["Void hand"] * kinds["void"]
    for report in (only_void, with_one):
        assert "NaN" not in " ".join(pages_of(bytes(report.pdf)))


def test_svc_27_decimals_are_the_currencys_and_sums_never_mix(ingest: Ingest, make: Make) -> None:
    ingest(odd("minor-digits.ndjson"))
    report = make("player-statement", player="Cy", source="odd")
    assert {row["currency"]: row["net"] for row in rows_of(report, "games")} == {
        "JPY": "236", "CNY": "38.00", "KWD": "0.236", "XBT": "0.00000236",
    }  # fmt: skip
    assert {row["currency"]: row["net"] for row in rows_of(report, "hands", "total")} == {
        "JPY": "236", "CNY": "38.00", "KWD": "0.236", "XBT": "0.00000236",
    }  # fmt: skip
    performance = make("game-performance")
    assert [row["currency"] for row in rows_of(performance, "money", "total")] == [
        "CNY", "JPY", "KWD", "XBT",
    ]  # fmt: skip


def test_svc_73_the_day_is_the_gaming_day_of_the_table(
    ingest: Ingest, make: Make, auditor: Any
) -> None:
    ingest(log(
        changed(B, hand_id="m", table="M1", started_at="2025-05-01T00:30:00+08:00",
                ended_at="2025-05-01T00:31:00+08:00"),
        changed(B, hand_id="v", table="V1", started_at="2025-04-30T23:30:00-07:00",
                ended_at="2025-04-30T23:31:00-07:00"),
    ))  # fmt: skip
    for table, zone in (("M1", "Asia/Macau"), ("V1", "America/Vancouver")):
        set_day_rule(source="odd", table=table, time_zone=zone, starts_at=0, sources=None,
                     numbering="detect",
                     user=auditor)  # fmt: skip

    def tables(day: str) -> list[str]:
        return [row["table"] for row in rows_of(make("game-performance", to=day), "hands")]

    assert (tables("2025-04-30"), tables("2025-05-01")) == (["V1"], ["M1"])
    set_day_rule(source="odd", table="M1", time_zone="Asia/Macau", starts_at=6 * 60,
                 numbering="detect", sources=None, user=auditor)  # fmt: skip
    assert (tables("2025-04-30"), tables("2025-05-01")) == (["M1", "V1"], [])


def test_s14_the_totals_of_a_statement_are_the_sum_of_its_rows(ingest: Ingest, make: Make) -> None:
    wrong = with_net(changed(B, hand_id="b2"), 0, "9.51")
    ingest(log(B, W, wrong, void(B, hand_id="b3")))
    report = make("player-statement", player="Ann", source="odd", basis="life-to-date")
    rows = rows_of(report, "hands")
    assert [(row["hand_id"], row["state"]) for row in rows] == [
        ("wz-1", None), ("b3", "void"), ("b2", None), ("base-1", None),
    ]  # fmt: skip
    (total,) = rows_of(report, "hands", "total")
    for name in ("valid_bet", "rake", "net_logged", "net", "difference"):
        cents = [int((row[name] or "0").replace(".", "")) for row in rows]
        assert int(total[name].replace(".", "")) == sum(cents), name
    assert total["difference"] == "-0.01"
    assert document_of(report)["filters"] == [["source", "odd"], ["player", "Ann"]]
