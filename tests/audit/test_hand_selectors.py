"""Lists of hands by key, their filters, and one hand; each with a fixed number of queries."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

import replay
from audit import selectors
from audit.models import Hand
from audit.selectors import HandFilters
from tests.audit.logs import BASE_LINES, B, W, changed, log, void, with_net
from tests.audit.months import filled


def at(minute: int, **fields: object) -> bytes:
    """Hand B at a minute of one hour; its id is that minute unless another is given."""
    return changed(
        B,
        **{"hand_id": f"m{minute:02}", **fields},
        started_at=f"2025-03-01T10:{minute:02}:00+08:00",
        ended_at="2025-03-01T11:30:00+08:00",
    )


def seated(line: bytes, *players: str, **fields: object) -> bytes:
    seats = json.loads(line)["seats"]
    for entry, player in zip(seats, players, strict=True):
        entry["player"] = player
    return changed(line, seats=seats, **fields)


def ids(filters: HandFilters | None = None, **options: object) -> list[str]:
    return [row.hand_id for row in selectors.list_hands(filters, sources=None, **options).rows]


def found(**query: str) -> list[str]:
    return sorted(ids(HandFilters.parse({key.rstrip("_"): text for key, text in query.items()})))


def test_svc_55_pages_forward_and_back_over_seven_rows(ingest) -> None:
    ingest(log(*(at(minute) for minute in range(7))))
    wanted = [["m06", "m05", "m04"], ["m03", "m02", "m01"], ["m00"]]
    pages = [selectors.list_hands(limit=3, sources=None)]
    while pages[-1].next_cursor:
        pages.append(selectors.list_hands(cursor=pages[-1].next_cursor, limit=3, sources=None))
    assert [[row.hand_id for row in page.rows] for page in pages] == wanted
    assert pages[0].previous_cursor is None
    back = [pages[-1]]
    while back[-1].previous_cursor:
        back.append(selectors.list_hands(cursor=back[-1].previous_cursor, limit=3, sources=None))
    assert [[row.hand_id for row in page.rows] for page in back] == wanted[::-1]
    assert back[-1].next_cursor == pages[0].next_cursor


def test_svc_55_tied_rows_are_neither_missed_nor_doubled_while_others_come_and_go(ingest) -> None:
    lines = [changed(B, hand_id=f"t{number:03}") for number in range(300)]
    ingest(log(*lines))
    seen: list[str] = []
    cursor = None
    for turn in range(100):
        page = selectors.list_hands(cursor=cursor, limit=20, sources=None)
        seen += [row.hand_id for row in page.rows]
        ingest(log(changed(B, hand_id=f"new-{turn}"), at(turn % 60, hand_id=f"later-{turn}")))
        cursor = page.next_cursor
        if cursor is None:
            break
    tied = [hand_id for hand_id in seen if hand_id.startswith("t")]
    assert len(tied) == len(set(tied)) == 300
    assert len(seen) == len(set(seen))


def test_a_page_that_the_rows_exactly_fill_has_no_next(ingest) -> None:
    ingest(log(at(1), at(2)))
    page = selectors.list_hands(limit=2, sources=None)
    assert (len(page.rows), page.next_cursor, page.previous_cursor) == (2, None, None)


def test_an_empty_list_has_no_ways_on(db) -> None:
    assert selectors.list_hands(sources=None) == selectors.Page(rows=())


@pytest.mark.parametrize(
    "cursor",
    [
        "x", "n", "n.", "n.1", "n.1.2.3", "n.01.2", "n.1.2 ", "n.1.x", "n.+1.2", "q.1.2",
        "n.9223372036854775808.1", "n.9223372036854775807.1", "n.-9223372036854775807.1",
        "n.1.\u0661", "\0", "n.1.2\n",
    ],
)  # fmt: skip
def test_svc_34_a_damaged_cursor_is_a_bad_query(db, cursor: str) -> None:
    with pytest.raises(selectors.BadQuery):
        selectors.list_hands(cursor=cursor, sources=None)


@pytest.mark.parametrize("limit", [0, -1, 501])
def test_a_page_is_bounded(db, limit: int) -> None:
    with pytest.raises(selectors.BadQuery):
        selectors.list_hands(limit=limit, sources=None)


def test_each_filter_finds_its_hands(ingest) -> None:
    wrong = with_net(at(1, hand_id="wrong"), 1, "-99.00")
    row = ingest(
        log(
            at(0),
            wrong,
            void(B, hand_id="void"),
            changed(B, hand_id="elsewhere", source="s2", table="T2"),
            seated(changed(B, hand_id="seats"), "Ken", "Bo", "Cy", "Kenny"),
            W,
        )
    )
    everything = ["elsewhere", "m00", "seats", "void", "wrong", "wz-1"]
    assert found() == everything
    assert found(game="wenzhou-pai-gow") == ["wz-1"]
    assert found(table="T2") == ["elsewhere"]
    assert found(source="s2") == ["elsewhere"]
    assert found(player="Ken") == ["seats"]
    assert found(player="Ann", game="wenzhou-pai-gow") == ["wz-1"]
    assert found(player="Ken", met="Kenny") == found(player="Kenny", met="Ken") == ["seats"]
    assert found(met="Kenny") == ["seats"]
    assert found(player="Ken", met="Ann") == []
    assert found(verdict="discrepant") == ["wrong"]
    assert found(verdict="void") == ["void"]
    assert found(verdict="clean") == ["elsewhere", "m00", "seats", "wz-1"]
    assert found(code="net-mismatch") == ["wrong"]
    assert found(code="not-conserved") == ["wrong"]
    assert found(code="rake-mismatch") == []
    assert found(q="wz-") == ["wz-1"]
    assert found(q="T2") == ["elsewhere"]
    assert found(q="Kenny") == ["seats"]
    assert found(q="ken") == []
    assert found(upload=str(row.id)) == everything
    assert found(upload=str(row.id + 1)) == []
    assert found(conflict="1") == []
    assert found(table="T1", verdict="clean", player="Ann") == ["m00"]


def test_svc_44_the_games_partition_the_hands(ingest) -> None:
    ingest(log(*BASE_LINES[:5]))
    counts = {game: len(found(game=game)) for game in replay.GAMES}
    assert counts == {
        "banker-pai-gow": 1,
        "tien-gow": 2,
        "small-tien-gow": 1,
        "wenzhou-pai-gow": 1,
    }


def test_a_text_is_found_as_written_not_as_a_pattern(ingest) -> None:
    ingest(log(at(0, hand_id="a%b"), at(1, hand_id="axb"), at(2, hand_id="a_b")))
    assert found(q="a%") == ["a%b"]
    assert found(q="a_") == ["a_b"]
    assert found(q="a\\") == []


def test_an_upload_has_the_hands_that_it_brought_again_too(ingest) -> None:
    ingest(log(at(0)))
    row = ingest(log(at(0), at(1)))
    assert found(upload=str(row.id)) == ["m00", "m01"]


def test_hands_in_conflict_can_be_asked_for(ingest) -> None:
    ingest(log(at(0), at(1), with_net(at(1), 1, "-99.00")))
    assert found(conflict="1") == ["m01"]


def test_svc_73_days_are_those_of_the_log(ingest) -> None:
    ended = "2025-05-02T00:00:00Z"
    ingest(
        log(
            changed(B, hand_id="macau", started_at="2025-05-01T00:30:00+08:00", ended_at=ended),
            changed(B, hand_id="west", started_at="2025-04-30T23:30:00-07:00", ended_at=ended),
        )
    )
    assert found(from_="2025-05-01", to="2025-05-01") == ["macau"]
    assert found(from_="2025-04-30", to="2025-04-30") == ["west"]
    assert found(from_="2025-04-30") == ["macau", "west"]
    assert found(to="2025-04-30") == ["west"]
    assert found(from_="2025-05-02") == []
    assert found(from_="0001-01-01", to="9999-12-31") == ["macau", "west"]


@pytest.mark.parametrize(
    "query",
    [
        {"game": "poker"}, {"verdict": "rejected"}, {"code": "nonsense"}, {"conflict": "yes"},
        {"from": "yesterday"}, {"from": "2025-13-01"}, {"from": "20250301"}, {"to": "2025-W01-1"},
        {"from": "2025-03-02", "to": "2025-03-01"}, {"upload": "x"}, {"upload": "0"},
        {"upload": "-1"}, {"upload": "1e3"}, {"upload": "9223372036854775808"},
        {"upload": "\u0661"}, {"upload": "9" * 5000}, {"player": "x" * 129}, {"q": "a\0b"},
        {"table": "\ud800"},
    ],
)  # fmt: skip
def test_svc_34_a_malformed_filter_is_a_bad_query(query: dict[str, str]) -> None:
    with pytest.raises(selectors.BadQuery):
        HandFilters.parse(query)


def test_empty_and_unknown_keys_are_no_filters() -> None:
    keys = ("game", "verdict", "from", "to", "q", "upload", "conflict")
    assert HandFilters.parse(dict.fromkeys(keys, "") | {"page": "3"}) == HandFilters()


def test_filters_of_days_become_dates() -> None:
    filters = HandFilters.parse({"from": "2025-03-01", "to": "2025-03-02"})
    assert (filters.day_from, filters.day_to) == (date(2025, 3, 1), date(2025, 3, 2))


def test_choices_are_the_games_kinds_codes_tables_and_sources(ingest) -> None:
    assert selectors.filter_choices(sources=None).tables == ()
    ingest(log(at(0, table="b"), at(1, table="a"), at(2, table="b"), at(3, table="B", source="é")))
    choices = selectors.filter_choices(sources=None)
    assert choices.tables == ("B", "a", "b")
    assert choices.sources == ("odd", "é")
    assert [value for value, _ in choices.games] == list(replay.GAMES)
    assert choices.verdicts == (
        ("clean", "Clean"), ("consistent", "Consistent"), ("discrepant", "Discrepant"),
        ("void", "Void"), ("conflict", "In conflict"),
    )  # fmt: skip
    assert [value for value, _ in choices.codes] == list(replay.CODES)


@pytest.mark.parametrize("count", [1, 3])
def test_a_page_of_hands_is_one_query(ingest, django_assert_num_queries, count: int) -> None:
    ingest(log(*(with_net(at(minute), 1, "-99.00") for minute in range(count))))
    with django_assert_num_queries(1):
        assert len(selectors.list_hands(sources=None).rows) == count


@pytest.mark.parametrize(("count", "queries"), [(1, 8), (2, 11), (3, 11)])
def test_a_hand_takes_eight_queries_and_three_more_for_its_versions(
    ingest, django_assert_num_queries, count: int, queries: int
) -> None:
    """However many versions, duplicates and findings it has."""
    versions = [with_net(B, 1, f"-{99 - number}.00") for number in range(count)]
    ingest(log(*versions, *versions))
    pk = Hand.objects.get().pk
    with django_assert_num_queries(queries):
        detail = selectors.hand_detail(pk, sources=None)
    assert len(detail.versions) == len(detail.duplicates) == count


@pytest.mark.parametrize("pk", [0, -1, 987_654, 2**63, 10**30])
def test_svc_34_a_hand_that_is_not_there(db, pk: int) -> None:
    with pytest.raises(selectors.HandNotFound):
        selectors.hand_detail(pk, sources=None)


@pytest.mark.parametrize("version", [0, -1, 2, 10**30])
def test_a_version_that_is_not_there(ingest, version: int) -> None:
    ingest(log(B))
    with pytest.raises(selectors.HandNotFound):
        selectors.hand_detail(Hand.objects.get().pk, version=version, sources=None)


def test_a_stored_hand_can_be_walked_through(ingest) -> None:
    ingest(log(with_net(B, 1, "-99.00")))
    detail = selectors.hand_detail(Hand.objects.get().pk, sources=None)
    walk = replay.walk(detail.raw, selectors.current_rulesets())
    assert len(walk.steps) == len(json.loads(B)["events"]) + 1
    assert {one.code for figure in walk.figures for one in figure.findings} == {"net-mismatch"}


COPIES = """
INSERT INTO audit_hand (
    source, hand_id, version_id, verdict_id, game, ruleset, "table", players, played_at, played_on,
    started_at, currency, minor_digits, verdict_kind, error_code, finding_codes, finding_count,
    is_conflict
)
SELECT
    source, 'copy-' || n, version_id, verdict_id, game, ruleset, 'C' || n %% 50,
    ARRAY['p' || n, 'q' || n %% 100], played_at + n * interval '1 minute', played_on, started_at,
    currency, minor_digits, verdict_kind, error_code, finding_codes, finding_count, is_conflict
FROM audit_hand, generate_series(1, %s) AS n WHERE hand_id = 'm00'
"""


def test_no_filter_reads_the_whole_table(ingest) -> None:
    """Each is answered from an index, among 20,000 hands that the planner knows about."""
    ingest(log(at(0), with_net(at(1), 1, "-99.00"), void(B, hand_id="void"), at(2), W))
    ingest(log(with_net(at(2), 1, "-99.00")))
    indexes = {
        "": "hand_by_time",
        "table=C7": "hand_by_table",
        "game=wenzhou-pai-gow": "hand_by_game",
        "verdict=void": "hand_not_clean",
        "player=p77": "hand_by_player",
        "code=net-mismatch": "hand_by_finding",
        "q=copy-19999": "hand_by_id",
        "conflict=1": "hand_in_conflict",
        "from=2025-03-01": "hand_by_time",
    }
    with connection.cursor() as cursor:
        cursor.execute(COPIES, [20_000])
        cursor.execute("ANALYZE audit_hand")
        for text, index in indexes.items():
            query = dict([text.split("=")] if text else [])
            with CaptureQueriesContext(connection) as captured:
                selectors.list_hands(
                    HandFilters.parse(query), cursor="n.4102444800000000.5", sources=None
                )
            cursor.execute(f"EXPLAIN {captured[0]['sql']}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert index in plan, f"{text}: {plan}"
            read = set(re.findall(r"Seq Scan on (\w+)", plan))
            assert read & filled("audit_hand") == set(), f"{text}: {plan}"
