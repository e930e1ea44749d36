"""Scenarios of the service about which hand is which, through a real worker."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest

import replay
from audit import selectors, services
from audit.models import Chunk, Finding, Hand, Refusal, Table, Verdict
from tests.audit.logs import GOLDEN, B, changed, log, respelt, with_net
from tests.integration.conftest import Ingest, wait_for
from tests.integration.crew import Crew
from tests.integration.web import UPLOADS, Web

pytestmark = pytest.mark.integration

ODD = GOLDEN / "odd"
OTHER = with_net(B, 1, "-99.00")


def odd(name: str) -> bytes:
    return (ODD / name).read_bytes()


def arrivals(row: selectors.UploadRow) -> tuple[int, int, int, int]:
    return row.new, row.duplicates, row.conflicts, row.restated


def test_svc_01_same_hand_two_files_same_meaning(ingest: Ingest) -> None:
    first, second = ingest(log(B), "a.ndjson"), ingest(log(respelt(B)), "b.ndjson")
    assert (arrivals(first), arrivals(second)) == ((1, 0, 0, 0), (0, 1, 0, 0))
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.verdict_kind, Verdict.objects.count()) == (False, "clean", 1)
    detail = selectors.hand_detail(hand.pk, sources=None)
    sources = [detail.version.upload_name, *(one.upload_name for one in detail.duplicates)]
    assert sources == ["a.ndjson", "b.ndjson"]


@pytest.mark.parametrize("lines", [(B, OTHER), (OTHER, B)], ids=["right first", "wrong first"])
def test_svc_02_same_hand_two_files_one_figure_different(
    ingest: Ingest, lines: tuple[bytes, bytes]
) -> None:
    rows = [ingest(log(line), f"{number}.ndjson") for number, line in enumerate(lines)]
    assert [arrivals(row) for row in rows] == [(1, 0, 0, 0), (0, 0, 1, 0)]
    hand = Hand.objects.get()
    assert hand.is_conflict
    nets = {B: "-100.00", OTHER: "-99.00"}
    values = tuple(nets[line] for line in lines)
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert detail.differences == (replay.Difference(path="result.seats.1.net", values=values),)
    kinds = {B: "clean", OTHER: "discrepant"}
    assert [one.kind for one in detail.versions] == [kinds[line] for line in lines]
    assert detail.restatements == ()


def test_svc_03_same_hand_twice_inside_one_file(ingest: Ingest) -> None:
    row = ingest(odd("same-hand-twice.ndjson"))
    assert (row.lines, *arrivals(row)) == (3, 1, 1, 1, 0)
    assert sum(arrivals(row)) == row.hands == row.lines
    assert Hand.objects.count() == 1


def test_svc_04_same_play_under_different_ids(ingest: Ingest) -> None:
    ingest(log(B))
    row = ingest(log(changed(B, hand_id="base-1b")))
    assert arrivals(row) == (1, 0, 0, 0)
    first, second = Hand.objects.order_by("id")
    assert {hand.verdict.kind for hand in (first, second)} == {"clean"}
    assert [twin.hand_id for twin in selectors.hand_detail(second.pk, sources=None).twins] == [
        "base-1"
    ]
    assert selectors.hand_detail(first.pk, sources=None).twins == ()


def test_svc_05_legal_twins(ingest: Ingest, page: Any) -> None:
    ingest(log(changed(B, hand_id="301"), changed(B, hand_id="302")))
    row = ingest(log(changed(B, hand_id="302")))
    assert arrivals(row) == (0, 1, 0, 0)
    (listed,) = selectors.list_hands(selectors.HandFilters(upload=row.id), sources=None).rows
    assert listed.hand_id == "302"
    status, html = page(f"/hands/{listed.pk}/")
    assert status == 200
    assert "<bdi>302</bdi>" in html
    assert Hand.objects.count() == 2


def test_svc_06_ids_one_apart_beyond_2_to_the_53(ingest: Ingest, page: Any) -> None:
    data = odd("hand-ids.ndjson")
    row = ingest(data)
    assert arrivals(row) == (13, 0, 0, 0)
    sent = [json.loads(line)["hand_id"] for line in data.splitlines()]
    assert sorted(Hand.objects.values_list("hand_id", flat=True)) == sorted(sent)
    hand = Hand.objects.get(hand_id="9007199254740993")
    status, html = page(f"/hands/{hand.pk}/")
    (heading,) = re.findall(r"<h1.*?</h1>", html, re.S)
    assert (status, re.findall(r"\d{16}", heading)) == (200, ["9007199254740993"])
    assert Hand.objects.get(hand_id="abc").pk != Hand.objects.get(hand_id="abc ").pk


def test_svc_07_numbers_of_the_file_of_the_round_and_of_the_hand(ingest: Ingest) -> None:
    lines = [
        changed(B, hand_id=str(number), table="7700", round={"id": "7700", "hand": 1})
        for number in (101, 102, 103)
    ]
    assert arrivals(ingest(log(*lines), "7700.ndjson")) == (3, 0, 0, 0)
    assert sorted(Hand.objects.values_list("hand_id", flat=True)) == ["101", "102", "103"]
    assert not Hand.objects.filter(hand_id="7700").exists()
    assert arrivals(ingest(log(*lines), "7700.ndjson")) == (0, 3, 0, 0)


def test_svc_08_late_hands(ingest: Ingest) -> None:
    def at(minute: int) -> bytes:
        started = f"2025-03-01T10:{minute:02}:00+08:00"
        return changed(
            B, hand_id=f"at-{minute}", started_at=started, ended_at="2025-03-01T11:00:00+08:00"
        )

    assert arrivals(ingest(log(at(0), at(5), at(10)))) == (3, 0, 0, 0)
    assert arrivals(ingest(log(at(3), at(12)))) == (2, 0, 0, 0)
    order = [row.hand_id for row in selectors.list_hands(sources=None).rows]
    assert order == ["at-12", "at-10", "at-5", "at-3", "at-0"]


def test_svc_09_a_restated_result(ingest: Ingest, user: Any) -> None:
    ingest(log(B))
    restated = log(with_net(B, 1, "-90.00"))
    (row,) = wait_for(restate(restated, user))
    assert arrivals(row) == (0, 0, 0, 1)
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.verdict.kind) == (False, "discrepant")
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert [one.code for one in detail.findings] == ["net-mismatch", "not-conserved"]
    assert [one.kind for one in detail.versions] == ["clean", "discrepant"]
    (told,) = detail.restatements
    assert (told.announced_by, told.reason) == ("ines", "The league says so.")
    assert told.created_at >= row.created_at


def restate(data: bytes, user: Any) -> int:
    received = services.receive_upload(
        name="late.ndjson", stream=io.BytesIO(data), user=user, restatement="The league says so."
    )
    return received.upload_id


def test_svc_09_the_same_bytes_unmarked_are_a_conflict(ingest: Ingest) -> None:
    ingest(log(B))
    row = ingest(log(with_net(B, 1, "-90.00")))
    assert arrivals(row) == (0, 0, 1, 0)
    hand = Hand.objects.get()
    assert hand.is_conflict
    assert selectors.hand_detail(hand.pk, sources=None).restatements == ()


def test_svc_13_a_finished_batch_reported_three_times(
    ingest: Ingest, crew: Crew, module_web: Web, feed: dict[str, str]
) -> None:
    """What is called back here are the service's own messages, and a sender who asks again."""
    keyed = {**feed, "Idempotency-Key": "batch-1"}
    answers = [module_web.ask("POST", UPLOADS, log(B), **keyed) for _ in range(3)]
    assert [answer[0] for answer in answers] == [201] * 3
    (upload_id,) = {answer[2]["id"] for answer in answers}
    (row,) = wait_for(upload_id)
    before = stands(upload_id)
    for _ in range(3):
        for chunk in Chunk.objects.values_list("pk", flat=True):
            services.judge_chunk(chunk_id=chunk)
        for table in Table.objects.values_list("pk", flat=True):
            services.compare_table(table_id=table)
    assert stands(upload_id) == before
    told = [module_web.ask("GET", f"{UPLOADS}{upload_id}/", **feed)[::2] for _ in range(3)]
    assert told == [told[0]] * 3
    (settlement,) = Verdict.objects.values_list("settlement", flat=True)
    turnover = [seat["valid_bet"] for seat in settlement["seats"]]
    assert turnover == ["10.00", "100.00", "40.00", "50.00"]
    assert Hand.objects.count() == Verdict.objects.count() == 1
    assert row.new == 1


def stands(upload_id: int) -> object:
    row = selectors.get_upload(upload_id, sources=None)
    return row, list(Verdict.objects.values_list("pk", "settlement"))


def test_svc_21_a_hand_that_never_ends(ingest: Ingest) -> None:
    row = ingest(odd("empty-events.ndjson"))
    assert (row.state, row.lines, row.discrepant, row.clean) == ("done", 4, 4, 0)
    gaps = {
        hand.hand_id: Finding.objects.filter(verdict_id=hand.verdict_id).earliest("position").code
        for hand in Hand.objects.all()
    }
    first = {"em-1": "event-order", "em-2": "event-order", "em-4": "event-order"}
    assert gaps == {**first, "em-3": "result-missing"}


def test_svc_22_three_accounts_of_one_amount(ingest: Ingest) -> None:
    hand = json.loads(B)
    outs = {0: "1009.50", 1: "900.00", 2: "1038.00", 3: "1000.00"}
    for entry in hand["result"]["seats"]:
        entry |= {"carry_out": outs[entry["seat"]], "theoretical": entry["gross"]}
    row = ingest(log(json.dumps(hand).encode()))
    assert (row.discrepant, row.hands) == (1, 1)
    (finding,) = Finding.objects.all()
    assert (finding.code, finding.seat) == ("carry-out-mismatch", 3)
    assert (finding.logged, finding.expected) == ("1000.00", "1047.50")


def test_svc_23_no_memory_between_hands(ingest: Ingest) -> None:
    lines = odd("mixed-games.ndjson").splitlines()
    ingest(log(*lines))
    for line in reversed(lines):
        ingest(log(changed(line, source="alone")))
    source = json.loads(lines[0])["source"]
    assert len(judged("alone")) == len(lines)
    assert judged("alone") == judged(source)


def judged(source: str) -> dict[str, object]:
    """What was said of each hand of a source by itself."""
    return {
        hand.hand_id: (
            hand.verdict.kind,
            list(hand.verdict.findings.order_by("position").values_list("code", flat=True)),
            hand.verdict.settlement,
        )
        for hand in Hand.objects.filter(source=source).select_related("verdict")
    }


def test_svc_41_names_are_kept_code_point_by_code_point(ingest: Ingest) -> None:
    data = odd("names-accepted.ndjson")
    row = ingest(data)
    hands = [json.loads(line) for line in data.splitlines()]
    assert (row.rejected, row.new) == (0, len(hands))
    sent = [seat["player"] for hand in hands for seat in hand["seats"]]
    kept = [name for players in Hand.objects.values_list("players", flat=True) for name in players]
    assert sorted(kept) == sorted(sent)
    assert len(kept) == 52
    for name in set(sent):
        found = selectors.list_hands(
            selectors.HandFilters(player=name), limit=100, sources=None
        ).rows
        seated = [
            hand["hand_id"]
            for hand in hands
            if any(seat["player"] == name for seat in hand["seats"])
        ]
        assert sorted(one.hand_id for one in found) == sorted(seated), ascii(name)


def test_svc_43_no_seat_is_lost(ingest: Ingest) -> None:
    row = ingest(odd("seats.ndjson"))
    assert (row.lines, row.rejected, row.clean, row.new) == (9, 8, 1, 1)
    told = [
        f"{place}: {reason}"
        for place, reason in Refusal.objects.order_by("line").values_list("place", "reason")
    ]
    assert len(told) == 8
    assert all("seat" in one or "player" in one for one in told), told
    assert list(Hand.objects.values_list("hand_id", flat=True)) == ["se-ok"]
    (settlement,) = Verdict.objects.values_list("settlement", flat=True)
    assert [seat["seat"] for seat in settlement["seats"]] == [0, 1, 2, 3]


def test_svc_44_three_games_in_one_upload(ingest: Ingest, page: Any) -> None:
    row = ingest(odd("base-hands.ndjson"))
    assert row.new == 5
    found = {
        game: selectors.list_hands(selectors.HandFilters(game=game), sources=None).rows
        for game in ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")
    }
    assert [len(rows) for rows in found.values()] == [1, 2, 1, 1]
    assert len({one.pk for rows in found.values() for one in rows}) == 5
    for game, rows in found.items():
        for one in rows:
            status, html = page(f"/hands/{one.pk}/")
            assert status == 200
            assert Hand.objects.get(pk=one.pk).ruleset in html, game
