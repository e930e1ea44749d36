"""No page reads a large table from end to end: the plans of each query that a page asks.

With as many rows as an index begins to matter for, and with the planner's own choice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from audit import selectors, services
from audit.models import (
    Comparison,
    Duplicate,
    Finding,
    Hand,
    HandVersion,
    ReauditBatch,
    Refusal,
    Table,
    TableTouch,
    Upload,
    Verdict,
)
from audit.selectors import current_rulesets
from audit.selectors.census import take_census
from audit.selectors.months import first_key, month_at
from audit.selectors.players import is_name
from audit.services import comparing, judging, reauditing, storing
from audit.services.payloads import ChunkLine
from audit.services.reauditing_versions import judge_versions
from audit.zstd import packed_line
from tests.audit.logs import B, changed, respelt, with_net
from tests.audit.months import filled, partitions_of

HANDS = 20_000
THIS_MONTH = first_key(month_at(datetime.now(UTC).date()))
LARGE = {
    "audit_comparison",
    "audit_duplicate",
    "audit_finding",
    "audit_hand",
    "audit_handversion",
    "audit_identity",
    "audit_refusal",
    "audit_verdict",
}

MODELS = [Comparison, Duplicate, Finding, Hand, HandVersion, Refusal, Table, Upload, Verdict]

# Every tenth hand is discrepant, has come again in a later file, and differs from the one before.
# Half of the hands are from before there were months, the others came this month.
FILL = """
INSERT INTO audit_hand (
    id, version_id, verdict_id, comparison_id, source, hand_id, game, ruleset, "table", players,
    played_at, played_on, started_at, currency, minor_digits, verdict_kind, error_code,
    finding_codes, finding_count, is_conflict
)
SELECT {key}, {key}, {key}, CASE WHEN n % 10 = 0 THEN n END, 'house-' || n % 3, 'h' || n,
    (ARRAY['tien-gow', 'small-tien-gow', 'banker-pai-gow', 'wenzhou-pai-gow'])[1 + n % 4], 'r@1',
    'T' || n % 50, ARRAY['P' || n % 400, 'Q' || n % 700],
    '2025-01-01Z'::timestamptz + n * interval '1 min', '2025-01-01'::date + n / 1440,
    '2025-01-01T00:00:00Z', 'CNY', 2,
    CASE WHEN n % 10 = 0 THEN 'discrepant' ELSE 'clean' END,
    CASE WHEN n % 10 = 0 THEN 'net-mismatch' ELSE '' END,
    CASE WHEN n % 10 = 0 THEN ARRAY['net-mismatch'] ELSE '{{}}' END,
    CASE WHEN n % 10 = 0 THEN 1 ELSE 0 END, n % 500 = 0
FROM generate_series(1, {hands}) n;
INSERT INTO audit_identity (source, hand_id, key) SELECT source, hand_id, id FROM audit_hand;
INSERT INTO audit_handversion (id, hand_id, number, raw, sha256, upload_id, line)
SELECT {key}, {key}, 1, {raw}, {sha256}, 1 + n / 50, n FROM generate_series(1, {hands}) n;
INSERT INTO audit_verdict (id, version_id, ruleset, ruleset_sha256, engine, kind, digest)
SELECT {key}, {key}, 'r@1', {sha256}, '1.0.0', 'clean', {sha256} FROM generate_series(1, {hands}) n;
INSERT INTO audit_finding (
    id, verdict_id, position, code, severity, follows, explained_by, message
)
SELECT {key}, {key}, 0, 'net-mismatch', 'error', false, '{{}}', 'x'
FROM generate_series(10, {hands}, 10) n;
INSERT INTO audit_comparison (id, verdict_id, earlier_id, engine, kind, digest)
SELECT n, {key}, {key} - 1, '1.0.0', 'clean', {sha256} FROM generate_series(10, {hands}, 10) n;
INSERT INTO audit_duplicate (id, version_id, upload_id, line)
SELECT n, {key}, 30 + n % 10, n FROM generate_series(10, {hands}, 10) n;
INSERT INTO audit_refusal (id, upload_id, line, "offset", place, reason, is_our_fault)
SELECT n, 1 + n % 40, 100000 + n, 0, '$', 'no hand', false FROM generate_series(1, {hands}, 10) n;
INSERT INTO audit_table (id, source, name)
SELECT row_number() OVER (), source, "table" FROM audit_hand GROUP BY source, "table";
"""


@pytest.fixture
def many(db: Any) -> None:
    """So many hands with all that hangs on them, and a planner that knows them."""
    with connection.cursor() as cursor:
        # What earlier tests rolled back still swells the indexes, and the planner counts it.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(f"TRUNCATE {', '.join(sorted(LARGE))}, audit_table CASCADE")
        cursor.execute("SET session_replication_role = origin")
    uploads = [
        Upload(pk=number, name="day.ndjson", state="done", finished_at=timezone.now(),
               line_count=50, clean_count=50, new_count=50)
        for number in range(1, 402)
    ]  # fmt: skip
    Upload.objects.bulk_create(uploads)
    statements = FILL.format(
        hands=HANDS,
        key=f"(n + CASE WHEN n >= {HANDS // 2} THEN {THIS_MONTH} ELSE 0 END)",
        raw=f"'\\x{packed_line(B).hex()}'::bytea",
        sha256=f"'\\x{hashlib.sha256(B).hexdigest()}'::bytea",
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(statements)
        cursor.execute("SET session_replication_role = origin")
        # As on the disks of today (docs/operations.md): else a few thousand rows of one month are
        # read through before an index is asked.
        cursor.execute("SET LOCAL random_page_cost = 1.1")
        for statement in connection.ops.sequence_reset_sql(no_style(), MODELS):
            cursor.execute(statement)
        cursor.execute("ANALYZE")


def scans(ask: Callable[[], object]) -> list[str]:
    """The large tables that the queries of a page read from end to end."""
    with CaptureQueriesContext(
        connection,
    ) as asked:
        ask()
    found = []
    large = filled(*LARGE)
    with connection.cursor() as cursor:
        for query in asked.captured_queries:
            if query["sql"].lstrip().upper().startswith(("SELECT", "WITH")):
                cursor.execute("EXPLAIN (FORMAT JSON) " + query["sql"])
                (plan,) = cursor.fetchone()
                plan = json.loads(plan) if isinstance(plan, str) else plan
                found += [
                    f"{node['Relation Name']}: {query['sql'][:300]}"
                    for node in nodes(plan[0]["Plan"])
                    if node["Node Type"] == "Seq Scan" and node["Relation Name"] in large
                ]
    assert asked.captured_queries
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "game": {"game": "tien-gow"},
    "table": {"table": "T7"},
    "source": {"source": "house-1"},
    "player": {"player": "P77"},
    "clean": {"verdict": "clean"},
    "discrepant": {"verdict": "discrepant"},
    "void, of which there is none": {"verdict": "void"},
    "finding": {"code": "net-mismatch"},
    "finding that no hand has": {"code": "rake-mismatch"},
    "days": {"day_from": date(2025, 1, 5), "day_to": date(2025, 1, 5)},
    "until a day": {"day_to": date(2025, 1, 5)},
    "days long ago": {"day_to": date(2001, 1, 5)},
    "beginning of an id": {"text": "h1234"},
    "name in the search": {"text": "P77"},
    "nothing": {"text": "zzz"},
    "upload": {"upload": 5},
    "upload of repeats": {"upload": 33},
    "conflict": {"is_conflict": True},
    "game and player": {"game": "tien-gow", "player": "P76"},
    "table and verdict": {"table": "T7", "verdict": "clean"},
    "source and table": {"source": "house-1", "table": "T7"},
    "finding on a day": {"code": "net-mismatch", "day_from": date(2025, 1, 5)},
}


# How many hands a list may read for each that it shows: one in ten has a finding or is not clean,
# and a player has 50 of them.
MANY = {"days": 1, "until a day": 1, "finding": 11, "clean": 2, "player": 1}


def test_no_list_of_hands_reads_them_all(many: None) -> None:
    read = {
        name: scans(partial(selectors.list_hands, selectors.HandFilters(**wanted), sources=None))
        for name, wanted in FILTERS.items()
    }
    assert read == {name: [] for name in FILTERS}


@pytest.mark.parametrize("name", ["days", "until a day", "finding", "clean", "player"])
def test_a_list_reads_hardly_more_hands_than_it_shows(many: None, name: str) -> None:
    """The days around the one asked for lie in the index, and are passed over there."""
    with CaptureQueriesContext(connection) as asked:
        page = selectors.list_hands(selectors.HandFilters(**FILTERS[name]), sources=None)
    assert len(page.rows) == 50
    (query,) = asked.captured_queries
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + query["sql"])
        (plan,) = cursor.fetchone()
    read = [
        node.get("Rows Removed by Filter", 0) + node["Actual Rows"] * node["Actual Loops"]
        for node in nodes(plan[0]["Plan"])
        if node.get("Relation Name") in partitions_of("audit_hand")
    ]
    # Each month is read from its newest hand on, one hand ahead of what is shown.
    assert len(read) == len(partitions_of("audit_hand"))
    assert sum(read) <= (51 + len(filled("audit_hand"))) * MANY[name]


def test_no_page_behind_the_first_reads_them_all(many: None) -> None:
    page = selectors.list_hands(sources=None)
    assert page.next_cursor is not None
    assert scans(lambda: selectors.list_hands(cursor=page.next_cursor, sources=None)) == []
    back = selectors.list_hands(cursor=page.next_cursor, sources=None).previous_cursor
    assert back is not None
    assert scans(lambda: selectors.list_hands(cursor=back, sources=None)) == []
    assert scans(lambda: selectors.primary_findings(page.rows)) == []


def test_no_list_within_some_sources_reads_them_all(many: None) -> None:
    few = frozenset({"house-1", "elsewhere"})
    read = {
        name: scans(partial(selectors.list_hands, selectors.HandFilters(**wanted), sources=few))
        for name, wanted in FILTERS.items()
    }
    assert {name: found for name, found in read.items() if found} == {}
    assert scans(lambda: selectors.filter_choices(sources=few)) == []
    assert scans(lambda: selectors.hand_detail(1240, sources=few)) == []
    assert scans(lambda: selectors.played_hand(1231, sources=few, is_page=True)) == []
    assert scans(lambda: selectors.list_uploads(sources=few)) == []


def test_neither_the_choices_nor_one_hand_read_them_all(many: None) -> None:
    assert scans(lambda: selectors.filter_choices(sources=None)) == []
    for key in (1230, 1231, THIS_MONTH + 12_340, THIS_MONTH + 12_341):
        assert scans(partial(selectors.hand_detail, key, sources=None)) == []


@pytest.mark.parametrize("sources", [None, frozenset({"house-1", "elsewhere"})])
@pytest.mark.parametrize("text", ["nobody at all", "P77", "h123"])
def test_whether_a_search_is_for_a_person_is_asked_of_no_table_whole(
    many: None, sources: frozenset[str] | None, text: str
) -> None:
    """The names of these hands are not noted."""
    assert is_name(text, sources=sources) == (text == "P77")
    assert scans(lambda: is_name(text, sources=sources)) == []


def test_the_pages_of_uploads_read_none_of_them_all(many: None) -> None:
    assert scans(lambda: selectors.get_upload(5, sources=None)) == []
    assert scans(lambda: selectors.list_uploads(sources=None)) == []
    assert scans(lambda: selectors.list_refusals(5, sources=None)) == []


def test_comparing_a_table_reads_its_hands_alone(many: None) -> None:
    hand = Hand.objects.get(pk=1230)
    (table,) = connection_values(
        "SELECT id FROM audit_table WHERE source = %s AND name = %s", hand.source, hand.table
    )
    TableTouch.objects.create(table_id=table, since=hand.played_at, until=hand.played_at)
    assert scans(lambda: comparing.compare_table(table_id=table)) == []


def sequential_reads(large: set[str]) -> dict[str, int]:
    """How often this transaction has read each large partition from end to end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE seq_scan > 0")
        return {name: count for name, count in cursor.fetchall() if name in large}


def test_storing_looks_up_what_it_needs_and_reads_nothing_to_the_end(many: None) -> None:
    """New hands by the short way; then known ones, other bytes, another meaning, a restatement."""
    new = [changed(B, source="house-1", hand_id=f"new{n}") for n in range(100)]
    known = [*new[:50], respelt(new[60]), with_net(new[70], 1, "-99.00")]
    large = filled(*LARGE)
    before = sequential_reads(large)
    for lines, restatement in ((new, ""), (known, ""), ([with_net(new[80], 1, "-9.00")], "Typo.")):
        upload = Upload.objects.create(
            name="day.ndjson", state="queued", restatement=restatement,
            received_by=User.objects.get_or_create(username="ines")[0],
        )  # fmt: skip
        numbered = [ChunkLine(number, 0, line) for number, line in enumerate(lines, 1)]
        storing.store_outcomes(upload.pk, judging.judge_lines(numbered, current_rulesets()))
    assert Hand.objects.filter(hand_id__startswith="new").count() == 100
    assert sequential_reads(large) == before


def test_a_reaudit_looks_up_what_it_judges_and_reads_nothing_to_the_end(many: None) -> None:
    """Gathered are the records of some hands, and judged are records of two months."""
    large = filled(*LARGE)
    before = sequential_reads(large)
    reaudit_id = services.open_reaudit(
        user=None, sources=None, reason="A plan.", query={"player": "P77"}
    )
    assert reauditing.gather_some(reaudit_id=reaudit_id)
    (batch,) = ReauditBatch.objects.filter(reaudit=reaudit_id)
    assert len(batch.rows) == HANDS // 400
    versions = tuple(HandVersion.objects.order_by("pk").values_list("pk", flat=True)[9_000:11_000])
    for rows in (versions[:500], versions):
        judged = judge_versions(rows, current_rulesets(), said_until=timezone.now())
        assert list(judged.faults) == list(rows), "each holds the bytes of another hand"
    assert sequential_reads(large) == before


def test_a_reading_of_all_would_be_seen(many: None) -> None:
    assert scans(take_census) != []
    large, verdicts = filled(*LARGE), filled("audit_verdict")
    before = sequential_reads(large)
    connection_values("SELECT count(*) FROM audit_verdict WHERE engine <> %s", "1")
    after = sequential_reads(large)
    for name in verdicts:
        assert after[name] == before.get(name, 0) + 1


def connection_values(statement: str, *values: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [row[0] for row in cursor.fetchall()]
