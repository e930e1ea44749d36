"""Restatements: an announced version becomes the current one, and all that was stays."""

from __future__ import annotations

import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.utils import IntegrityError
from django.test import Client

import replay
from audit import selectors, services
from audit.models import Chunk, Hand, HandVersion, Restatement, TableTouch, Upload, Verdict
from tests.access import trusted
from tests.audit.chains import (
    GAMES,
    OPENING,
    assert_counts_hold,
    assert_stands,
    by_command,
    compare_all,
    golden,
    hand_of,
)
from tests.audit.logs import B, Ingest, changed, log, respelt, with_net
from tests.golden_vectors import rulesets

RESTATED = with_net(B, 1, "-90.00")
OTHER = with_net(B, 1, "-99.00")
REASON = "the operator corrected seat 1"


@pytest.fixture(autouse=True)
def golden_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service know the test rulesets, too."""
    for module in ("audit.services.judging", "audit.services.comparing"):
        monkeypatch.setattr(f"{module}.current_rulesets", rulesets)


@pytest.fixture
def restate(ingest: Ingest, django_user_model: Any) -> Ingest:
    user = django_user_model.objects.create_user("ines.castro")

    def run(*lines: bytes) -> selectors.UploadRow:
        return ingest(log(*lines), "restated.ndjson", user=user, restatement=REASON)

    return run


def test_svc_09_a_restated_version_is_the_current_one(ingest: Ingest, restate: Ingest) -> None:
    first = ingest(log(B))
    row = restate(RESTATED)
    assert (row.new, row.duplicates, row.conflicts, row.restated) == (0, 0, 0, 1)
    assert (row.discrepant, row.restatement) == (1, REASON)
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.verdict_kind, hand.error_code) == (
        False, "discrepant", "net-mismatch",
    )  # fmt: skip
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert (detail.raw, detail.version.number, detail.verdict.kind) == (RESTATED, 2, "discrepant")
    assert "net-mismatch" in hand.finding_codes
    assert hand.finding_codes == sorted({one.code for one in detail.findings})
    assert hand.finding_count == len(detail.findings)
    old = selectors.hand_detail(hand.pk, version=1, sources=None)
    assert (old.raw, old.version.upload_id, old.verdict.kind) == (B, first.id, "clean")
    assert (HandVersion.objects.count(), Verdict.objects.count()) == (2, 2)
    (restated,) = detail.restatements
    assert (restated.replaced, restated.version, restated.upload_id) == (1, 2, row.id)
    assert (restated.announced_by, restated.reason) == ("ines.castro", REASON)
    assert restated.created_at == Restatement.objects.get().created_at
    assert_counts_hold()


def test_svc_09_the_same_bytes_unmarked_are_a_conflict(ingest: Ingest) -> None:
    ingest(log(B))
    row = ingest(log(RESTATED))
    assert (row.conflicts, row.restated) == (1, 0)
    hand = Hand.objects.get()
    assert hand.is_conflict
    detail = selectors.hand_detail(hand.pk, sources=None)
    opened = min(B, RESTATED, key=replay.canonical_sha256)
    assert (detail.raw, detail.restatements) == (opened, ())


def test_every_column_of_a_hand_follows_its_current_version(
    ingest: Ingest, restate: Ingest
) -> None:
    hand = json.loads(B)
    seats = [{**one, "player": f"new-{one['seat']}"} for one in hand["seats"]]
    times = {"started_at": "2025-03-02T09:00:00+08:00", "ended_at": "2025-03-02T09:30:00+08:00"}
    line = changed(B, table="other", seats=seats, **times)
    ingest(log(B))
    restate(line)
    restated = Hand.objects.values().get()
    alone = Ingested(line).columns()
    for name in ("id", "version_id", "verdict_id"):
        del restated[name]
    assert restated == alone


class Ingested:
    """What the columns of a hand are where one line alone is stored, and nothing stays of it."""

    def __init__(self, line: bytes) -> None:
        self.line = changed(line, source="alone")

    def columns(self) -> dict[str, Any]:
        received = services.receive_upload(name="x", stream=io.BytesIO(log(self.line)))
        services.judge_chunk(chunk_id=Chunk.objects.get(upload_id=received.upload_id).pk)
        values = dict(Hand.objects.values().get(source="alone"))
        values["source"] = json.loads(B)["source"]
        return {
            name: value
            for name, value in values.items()
            if name not in ("id", "version_id", "verdict_id")
        }


def test_a_restatement_ends_a_conflict_and_may_name_a_known_version(
    ingest: Ingest, restate: Ingest
) -> None:
    ingest(log(B, OTHER))
    assert Hand.objects.get().is_conflict
    row = restate(respelt(OTHER))
    assert (row.new, row.duplicates, row.conflicts, row.restated) == (0, 1, 0, 0)
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.version.number) == (False, 2)
    assert (hand.verdict_kind, hand.verdict.version_id) == ("discrepant", hand.version_id)
    back = restate(B)
    hand = Hand.objects.get()
    assert (back.duplicates, hand.version.number, hand.verdict_kind) == (1, 1, "clean")
    assert (hand.error_code, hand.finding_codes, hand.finding_count) == ("", [], 0)
    told = [
        (one.replaced, one.version)
        for one in selectors.hand_detail(hand.pk, sources=None).restatements
    ]
    assert told == [(2, 1), (1, 2)]
    assert ingest(log(OTHER)).duplicates == 1
    assert not Hand.objects.get().is_conflict
    ingest(log(RESTATED))
    assert Hand.objects.get().is_conflict


def test_a_restatement_that_contradicts_itself_leaves_a_conflict(
    ingest: Ingest, restate: Ingest, settings: Any
) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 1
    ingest(log(B))
    row = restate(OTHER, RESTATED)
    assert (row.restated, row.conflicts) == (2, 0)
    hand = Hand.objects.get()
    numbers = dict(HandVersion.objects.values_list("pk", "number"))
    assert (hand.is_conflict, {numbers[key] for key in hand.contending or ()}) == (True, {2, 3})
    said = Restatement.objects.values_list("version__number", "replaced__number", "line")
    assert sorted(said) == [(2, 1, 1), (3, 1, 2)]


@pytest.mark.parametrize("lines", [(B, OTHER), (OTHER, RESTATED), (RESTATED, OTHER, B)])
def test_it_does_not_matter_which_chunk_of_it_is_judged_first(
    ingest: Ingest, settings: Any, django_user_model: Any, lines: tuple[bytes, ...]
) -> None:
    user = django_user_model.objects.create_user("ines.castro")
    settings.TILECOURT_CHUNK_LINES_MAX = 1
    told = []
    for order in (1, -1):
        with transaction.atomic():
            ingest(log(B))
            received = services.receive_upload(
                name="x", stream=io.BytesIO(log(*lines)), user=user, restatement=REASON
            )
            chunks = Chunk.objects.filter(upload_id=received.upload_id).order_by("number")
            for chunk in list(chunks)[::order]:
                assert services.judge_chunk(chunk_id=chunk.pk) is None
            told.append(stands(received.upload_id))
            transaction.set_rollback(True)
    assert told[0] == told[1]


def stands(upload_id: int) -> tuple[Any, ...]:
    """How the one hand stands, by the bytes of its records and not by when they came."""
    row, hand = selectors.get_upload(upload_id, sources=None), Hand.objects.get()
    bytes_of = {one.pk: bytes(one.sha256) for one in HandVersion.objects.all()}
    said = Restatement.objects.values_list("version_id", "replaced_id", "line")
    return (
        (row.restated, row.conflicts, row.duplicates, row.new),
        (hand.is_conflict, hand.verdict_kind, hand.finding_codes, hand.finding_count),
        [bytes_of[key] for key in hand.contending or [hand.version_id]],
        sorted((bytes_of[version], bytes_of[replaced], line) for version, replaced, line in said),
    )


@pytest.mark.parametrize("is_first", [True, False])
def test_when_a_conflict_ends_every_column_follows(
    ingest: Ingest, restate: Ingest, is_first: bool
) -> None:
    seats = [{**one, "player": f"new-{one['seat']}"} for one in json.loads(B)["seats"]]
    records = sorted((B, changed(OTHER, seats=seats, table="other")), key=replay.canonical_sha256)
    ingest(log(*records))
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.verdict_kind) == (True, "discrepant")
    everybody = {one["player"] for one in (*seats, *json.loads(B)["seats"])}
    assert set(hand.players) == everybody
    compare_all()
    line = records[0 if is_first else 1]
    restate(line)
    after: dict[str, Any] = dict(Hand.objects.values().get())
    alone = Ingested(line).columns()
    assert {column: after[column] for column in alone} == alone


@pytest.mark.parametrize("lines", [(B, OTHER), (OTHER, RESTATED, B)])
def test_a_restatement_in_one_chunk_that_contradicts_itself(
    ingest: Ingest, restate: Ingest, lines: tuple[bytes, ...]
) -> None:
    ingest(log(B))
    restate(*lines)
    hand = Hand.objects.get()
    assert hand.is_conflict
    opened = min(lines, key=replay.canonical_sha256)
    assert selectors.hand_detail(hand.pk, sources=None).raw == opened


def test_a_new_hand_in_a_restatement_is_just_new(restate: Ingest) -> None:
    row = restate(B, changed(B, hand_id="base-2"))
    assert (row.new, row.restated, Restatement.objects.count()) == (2, 0, 0)
    contradicted = restate(changed(B, hand_id="x"), with_net(changed(B, hand_id="x"), 1, "-1.00"))
    assert (contradicted.new, contradicted.conflicts, contradicted.restated) == (1, 1, 0)
    assert Hand.objects.get(hand_id="x").is_conflict


@pytest.mark.parametrize("game", GAMES)
def test_the_hands_around_a_restated_one_are_compared_again(
    ingest: Ingest, restate: Ingest, game: str
) -> None:
    """As if the log had been so from the start: a hand that had turned moves to the end."""
    lines = golden(game, "continuity")
    first = ingest(log(*lines))
    compare_all()
    assert_stands(by_command(lines))
    turned = Upload.objects.get(pk=first.id).turned_count
    place = next(number for number, line in enumerate(lines) if has_turned(line))
    end = OPENING + timedelta(minutes=len(lines))
    moved = changed(
        lines[place],
        started_at=end.isoformat(),
        ended_at=(end + timedelta(seconds=59)).isoformat(),
    )
    restate(moved, moved)
    assert TableTouch.objects.count() == 2
    assert_counts_hold()
    assert Upload.objects.get(pk=first.id).turned_count == turned - 1
    compare_all()
    assert_stands(by_command([*lines[:place], *lines[place + 1 :], moved]))
    restate(lines[place])
    compare_all()
    assert_stands(by_command(lines))
    assert hand_of(lines[place]).version.number == 1
    assert Upload.objects.get(pk=first.id).turned_count == turned


def has_turned(line: bytes) -> bool:
    hand = hand_of(line)
    return hand.verdict_kind != hand.verdict.kind


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_restatement_needs_a_reason(db: Any, django_user_model: Any, reason: str) -> None:
    user = django_user_model.objects.create_user("ines.castro")
    with pytest.raises(services.RestatementIncomplete, match="reason"):
        services.receive_upload(name="x", stream=io.BytesIO(log(B)), user=user, restatement=reason)
    assert not Upload.objects.exists()


def test_a_restatement_needs_somebody(db: Any) -> None:
    with pytest.raises(services.RestatementIncomplete, match="somebody"):
        services.receive_upload(name="x", stream=io.BytesIO(log(B)), restatement=REASON)
    with pytest.raises(IntegrityError, match="restatement_by_somebody"), transaction.atomic():
        Upload.objects.create(name="x", restatement=REASON)


@pytest.mark.parametrize(
    "act",
    [
        "UPDATE audit_restatement SET line = 2",
        "DELETE FROM audit_restatement",
        "UPDATE audit_upload SET restatement = 'another' WHERE restatement <> ''",
        "UPDATE audit_upload SET received_by_id = {} WHERE restatement <> ''",
    ],
)
def test_who_restated_what_and_why_cannot_be_changed(
    ingest: Ingest, restate: Ingest, act: str
) -> None:
    ingest(log(B))
    restate(RESTATED)
    other = User.objects.create_user("somebody.else")
    with pytest.raises(DatabaseError, match="are never changed or deleted"), transaction.atomic():
        connection.cursor().execute(act.format(other.pk))


def test_a_hand_of_many_records_shows_the_current_one_and_where_it_differs(
    ingest: Ingest, restate: Ingest, client: Client
) -> None:
    """The hundred and second record of a hand is in force, and one more came behind it."""
    nets = [f"-{100 + number}.00" for number in range(101)]
    ingest(log(*(with_net(B, 1, net) for net in nets)))
    restate(RESTATED)
    ingest(log(OTHER))
    hand = Hand.objects.get()
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert (detail.version.number, detail.raw, detail.version_count) == (102, RESTATED, 103)
    assert [one.number for one in detail.versions] == [*range(1, 101), 102]
    assert detail.compared == (1, 2, 3, 4, 5, 6, 7, 102)
    (difference,) = detail.differences
    assert difference.values == (*nets[:7], "-90.00")
    asked = selectors.hand_detail(hand.pk, sources=None, version=103)
    assert (asked.raw, asked.compared) == (OTHER, (1, 2, 3, 4, 5, 6, 102, 103))
    client.force_login(trusted(User.objects.create_user("otto")))
    page = client.get(f"/hands/{hand.pk}/").content.decode()
    table = page[page.index('aria-label="Differences') :]
    headings = re.findall(r'<th scope="col">(.*?)</th>', table)
    assert headings == ["Field", *(f"Version {number}" for number in detail.compared)]
    assert "103 records claim this source and id." in page
    assert "<li>Not listed here: 2</li>" in page
