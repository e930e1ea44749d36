"""Records of feeds judged again, by their importers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import replay
from audit import importers, services
from audit.models import Chunk, Finding, Hand, ReauditAmount, ReauditFault, Verdict
from audit.selectors.replacements import replaced_by
from audit.selectors.rulesets import forget_rulesets
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.logs import B, Ingest, changed, log
from tests.audit.reauditing import reaudited

WRONG = ky_row(GameID="wrong", Profit="9.50", Revenue="0.50")


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


def pulled(*rows: dict[str, Any]) -> None:
    services.receive_feed(
        name="pull.json", stream=io.BytesIO(ky_answer(*rows)), feed="ky-730", source="op"
    )
    for chunk in Chunk.objects.exclude(state="done"):
        assert services.judge_chunk(chunk_id=chunk.pk) is None


def older(monkeypatch: pytest.MonkeyPatch, name: str = "0.9.0") -> None:
    """An importer of another engine."""
    sound = importers.judge

    def judge(*args: Any, **options: Any) -> Any:
        audited, drift = sound(*args, **options)
        verdict = msgspec.structs.replace(audited.verdict, engine=name)
        return msgspec.structs.replace(audited, verdict=verdict), drift

    monkeypatch.setattr(importers, "judge", judge)


def test_a_record_is_confirmed_by_its_importer(db) -> None:
    pulled(ky_row(), WRONG)
    before = list(Verdict.objects.order_by("pk").values())
    job = reaudited()
    assert (job.state, job.confirmed_count) == ("done", 2)
    assert list(Verdict.objects.order_by("pk").values()) == before


def test_lines_of_logs_and_records_of_feeds_share_a_batch(db, ingest: Ingest, monkeypatch) -> None:
    """In the order in which they are looked at: what needs the database comes behind."""
    with monkeypatch.context() as patch:
        older(patch)
        pulled(ky_row(GameID="first"))
        ingest(log(changed(B, hand_id="second")))
        pulled(WRONG)
        ingest(log(changed(B, hand_id="fourth")))
    job = reaudited()
    assert (job.batches.count(), job.written_count, job.confirmed_count) == (1, 2, 2)
    assert {hand.hand_id: hand.verdict_kind for hand in Hand.objects.all()} == {
        "first": "consistent",
        "second": "clean",
        "wrong": "discrepant",
        "fourth": "clean",
    }
    current = Verdict.objects.filter(pk__in=Hand.objects.values("verdict_id"))
    assert set(current.values_list("engine", flat=True)) == {replay.ENGINE}
    assert reaudited().confirmed_count == 4


def test_a_corrected_importer_gives_new_verdicts_with_their_findings(db, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        older(patch)
        pulled(ky_row(), WRONG)
    assert set(Verdict.objects.values_list("engine", flat=True)) == {"0.9.0"}
    job = reaudited()
    assert (job.written_count, job.changed_count, job.aside_count) == (2, 0, 0)
    for hand in Hand.objects.all():
        first, second = Verdict.objects.filter(version=hand.version_id).order_by("pk")
        assert (hand.verdict_id, second.engine) == (second.pk, replay.ENGINE)
        assert (first.kind, first.settlement, bytes(first.digest)) == (
            second.kind,
            second.settlement,
            bytes(second.digest),
        )
        assert told(first) == told(second)
    assert Hand.objects.get(hand_id="wrong").error_code == "compare-mismatch"
    assert not ReauditAmount.objects.exists()


def told(verdict: Verdict) -> list[dict[str, Any]]:
    rows = list(Finding.objects.filter(verdict=verdict).order_by("position").values())
    return [{**row, "id": 0, "verdict_id": 0} for row in rows]


def test_a_record_that_an_importer_refuses_now_keeps_what_was_said(db, monkeypatch) -> None:
    pulled(ky_row())
    before = list(Hand.objects.values())

    def refuse(*_: Any, **__: Any) -> Any:
        raise replay.Refusal("$[0].CardValue", "unreadable")

    monkeypatch.setattr(importers, "read", refuse)
    job = reaudited()
    assert (job.state, job.aside_count) == ("partly", 1)
    assert ReauditFault.objects.get().reason == "refused now: $[0].CardValue: unreadable"
    assert list(Hand.objects.values()) == before


def test_a_record_that_was_refused_becomes_a_hand(db, monkeypatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise replay.Refusal("$[0].CardValue", "unreadable")

    with monkeypatch.context() as patch:
        patch.setattr(importers, "read", refuse)
        pulled(ky_row())
    assert not Hand.objects.exists()
    job = reaudited(refused_lines="all")
    assert (job.state, job.admitted_count) == ("done", 1)
    hand = Hand.objects.get()
    assert (hand.source, hand.hand_id, hand.verdict_kind) == ("op", "50-1716-1", "consistent")


def test_svc_15_a_corrected_importer_leaves_one_live_hand(db, monkeypatch) -> None:
    sound = importers.judge

    def misread(*args: Any, **options: Any) -> Any:
        audited, drift = sound(*args, **options)
        hand = msgspec.structs.replace(audited.hand, hand_id="7700")
        return msgspec.structs.replace(audited, hand=hand), drift

    with monkeypatch.context() as patch:
        patch.setattr(importers, "judge", misread)
        pulled(ky_row(GameID="base-1"))
    old = Hand.objects.get()
    job = reaudited()
    assert job.aside_count == 1
    assert ReauditFault.objects.get().reason.startswith("read as another hand now, base-1 of op")
    led = replaced_by(old.pk, sources=None)
    assert led is not None
    assert (led.pk, led.hand_id) == (None, "base-1")
    for chunk in Chunk.objects.exclude(state="done"):
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    live = Hand.objects.get(is_replaced=False)
    assert (live.hand_id, live.version.sha256) == ("base-1", old.version.sha256)
    assert (live.version.upload.feed, live.version.upload.feed_facts["source"]) == ("ky-730", "op")
    led = replaced_by(old.pk, sources=None)
    assert led is not None
    assert led.pk == live.pk
    assert replaced_by(live.pk, sources=None) is None
    assert replaced_by(old.pk, sources=frozenset({"another"})) is None
