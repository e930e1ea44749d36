"""Hands of a table compared with the one before them, as they come in and as they stand."""

from __future__ import annotations

import io
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

import replay
from audit import selectors, services
from audit.models import (
    Chunk,
    Comparison,
    ComparisonFinding,
    Finding,
    Hand,
    HandVersion,
    Table,
    TableTouch,
    Upload,
    Verdict,
)
from audit.services import comparing
from tests.audit.logs import Ingest, W, changed, log
from tests.golden_vectors import comparable, rulesets, vectors

CHAINS = [
    (game, name)
    for game in ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")
    for name in ("continuity", "continuity-gaps")
]

Compare = Callable[[], None]


@pytest.fixture(autouse=True)
def golden_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service know the test rulesets, too."""
    for module in ("audit.services.judging", "audit.services.comparing"):
        monkeypatch.setattr(f"{module}.current_rulesets", rulesets)


def compare_all() -> None:
    """What the workers do once an upload has ended."""
    for table in Table.objects.filter(touches__isnull=False).distinct():
        assert services.compare_table(table_id=table.pk) is False
    assert not TableTouch.objects.exists()


def lines_of(game: str, name: str) -> list[bytes]:
    return [vector.line for vector in vectors(game, name)]


def standing() -> dict[tuple[str, str], tuple[Any, ...]]:
    """How every hand stands, by its identity."""
    return {
        (hand.source, hand.hand_id): (
            hand.verdict_kind,
            hand.error_code,
            tuple(hand.finding_codes),
            hand.finding_count,
            selectors.hand_detail(hand.pk).findings,
        )
        for hand in Hand.objects.all()
    }


def in_time_order(lines: list[bytes]) -> list[bytes]:
    """By the instant of `started_at`; lines of one instant, and unreadable ones, as they stand."""

    def key(line: bytes) -> Any:
        return replay.parse_time(replay.read(line).hand.started_at)

    readable = [line for line in lines if replay.audit(line, rulesets()).verdict != "rejected"]
    return sorted(readable, key=key)


def by_command(lines: list[bytes]) -> dict[tuple[str, str], replay.Verdict]:
    """What `audit --continuity` says of a log in this order."""
    continuity = replay.Continuity(rulesets())
    found = {}
    for line in lines:
        verdict = continuity.judge(replay.audit_line(line, rulesets()))
        assert verdict.source is not None
        assert verdict.hand_id is not None
        found[verdict.source, verdict.hand_id] = verdict
    return found


def assert_stands(verdicts: dict[tuple[str, str], replay.Verdict]) -> None:
    """Lists, pages, stored rows and counters all say what these verdicts say."""
    assert Hand.objects.count() == len(verdicts)
    for hand in Hand.objects.all():
        expected = verdicts[hand.source, hand.hand_id]
        detail = selectors.hand_detail(hand.pk)
        assert detail.findings == expected.findings, hand
        assert hand.verdict_kind == expected.verdict
        assert hand.finding_count == len(expected.findings)
        assert hand.finding_codes == sorted({one.code for one in expected.findings})
        errors = [one.code for one in expected.findings if one.severity == "error"]
        assert hand.error_code == (errors[0] if errors else "")
        assert detail.kind == expected.verdict
        assert detail.digest == expected.replay_digest
    assert_counts_hold()


def assert_counts_hold() -> None:
    """Each upload counts its lines as their hands stand, and its sums hold."""
    for upload in Upload.objects.all():
        brought = list(
            HandVersion.objects.filter(upload=upload).values_list("hand__verdict_kind", flat=True)
        )
        for duplicate in upload_duplicates(upload):
            brought.append(duplicate)
        counts = Counter(brought)
        assert upload.clean_count == counts["clean"]
        assert upload.discrepant_count == counts["discrepant"]
        assert upload.void_count == counts["void"]
        hands = upload.clean_count + upload.discrepant_count + upload.void_count
        assert hands + upload.rejected_count + upload.failed_count == upload.line_count
        assert upload.new_count + upload.duplicate_count + upload.conflict_count == hands


def upload_duplicates(upload: Upload) -> Iterator[str]:
    from audit.models import Duplicate

    duplicates = Duplicate.objects.filter(upload=upload)
    yield from duplicates.values_list("version__hand__verdict_kind", flat=True)


@pytest.mark.parametrize(("game", "name"), CHAINS)
def test_a_golden_chain_gets_its_findings(ingest: Ingest, game: str, name: str) -> None:
    """FORMAT 6.6: where the log is in the order of its clock, as the vectors say."""
    lines = lines_of(game, name)
    ingest(log(*lines))
    compare_all()
    ordered = in_time_order(lines)
    assert_stands(by_command(ordered))
    readable = [line for line in lines if line in ordered]
    if ordered == readable:
        for vector in vectors(game, name):
            if vector.line in ordered:
                hand = Hand.objects.get(hand_id=vector.expected["hand_id"])
                shown = stored(hand)
                assert comparable(shown) == comparable(vector.expected)


def stored(hand: Hand) -> dict[str, Any]:
    from audit.web.presenters.hands import stored_verdict

    verdict = stored_verdict(selectors.hand_detail(hand.pk))
    found: dict[str, Any] = json.loads(replay.format_verdict(verdict))
    return found
