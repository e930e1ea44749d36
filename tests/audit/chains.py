"""Chains of hands at tables, and what must stand in the store once they are compared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db.models import F

import replay
from audit import selectors, services
from audit.models import Duplicate, Hand, HandVersion, Table, TableTouch, Upload
from tests.audit.logs import changed
from tests.golden_vectors import rulesets, vectors

GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")
CHAINS = [(game, name) for game in GAMES for name in ("continuity", "continuity-gaps")]
OPENING = datetime(2025, 1, 1, tzinfo=UTC)

Identity = tuple[str, str]


def clocked(lines: Sequence[bytes]) -> list[bytes]:
    """The readable ones of these hands, each begun a minute after the one before it."""
    readable = [line for line in lines if replay.audit(line, rulesets()).verdict != "rejected"]
    return [
        changed(
            line,
            started_at=(OPENING + timedelta(minutes=minute)).isoformat(),
            ended_at=(OPENING + timedelta(minutes=minute, seconds=59)).isoformat(),
        )
        for minute, line in enumerate(readable)
    ]


def golden(game: str, name: str) -> list[bytes]:
    """A golden chain, its hands in the order of the log by their clock, too."""
    return clocked([vector.line for vector in vectors(game, name)])


def simulated(game: str, hands: int, *, seed: int = 5) -> list[bytes]:
    """Right hands of one table, in their order."""
    ruleset = next(one for one in rulesets() if one.game == game and "test" not in one.name)
    made = replay.simulate(game, 6 * hands, seed, ruleset)
    lines = [line for line in made if b'"hand_id":"%s-T1-' % game.encode() in line]
    assert len(lines) >= hands
    return lines[:hands]


def by_command(lines: Sequence[bytes]) -> dict[Identity, replay.Verdict]:
    """What `audit --continuity` says of a log in this order."""
    continuity = replay.Continuity(rulesets())
    found = {}
    for line in lines:
        verdict = continuity.judge(replay.audit_line(line, rulesets()))
        assert verdict.source is not None
        assert verdict.hand_id is not None
        found[verdict.source, verdict.hand_id] = verdict
    return found


def compare_all() -> None:
    """What the workers do once an upload has ended."""
    for table in Table.objects.filter(touches__isnull=False).distinct():
        assert services.compare_table(table_id=table.pk) is False
    assert not TableTouch.objects.exists()


def assert_stands(verdicts: dict[Identity, replay.Verdict]) -> None:
    """The list, the page and the counters say what these verdicts say."""
    assert Hand.objects.count() == len(verdicts)
    for hand in Hand.objects.all():
        expected = verdicts[hand.source, hand.hand_id]
        detail = selectors.hand_detail(hand.pk, sources=None)
        assert detail.findings == expected.findings, hand
        assert detail.kind == hand.verdict_kind == expected.verdict
        assert detail.digest == expected.replay_digest
        assert hand.finding_count == len(expected.findings)
        assert hand.finding_codes == sorted({one.code for one in expected.findings})
        errors = [one.code for one in expected.findings if one.severity == "error"]
        assert hand.error_code == (errors[0] if errors else "")
    assert_counts_hold()


def assert_counts_hold() -> None:
    """The sums of each upload hold, and it counts the lines whose hands turned discrepant."""
    turned: Counter[int] = Counter()
    for rows in (
        HandVersion.objects.exclude(hand__verdict_kind=F("hand__verdict__kind")).filter(
            hand__version=F("pk")
        ),
        Duplicate.objects.exclude(
            version__hand__verdict_kind=F("version__hand__verdict__kind")
        ).filter(version__hand__version=F("version")),
    ):
        turned.update(rows.values_list("upload_id", flat=True))
    for upload in Upload.objects.all():
        hands = upload.clean_count + upload.discrepant_count + upload.void_count
        assert hands + upload.rejected_count + upload.failed_count == upload.line_count
        known = upload.duplicate_count + upload.conflict_count + upload.restated_count
        assert upload.new_count + known == hands
        assert upload.turned_count == turned[upload.pk]


def hand_of(line: bytes) -> Hand:
    record = json.loads(line)
    return Hand.objects.get(source=record["source"], hand_id=record["hand_id"])
