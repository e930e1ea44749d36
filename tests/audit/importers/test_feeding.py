"""Files of feeds through the same chunks and workers as hand logs."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit import selectors, services
from audit.models import Chunk, FeedDrift, Hand, HandVersion, PartialRecord, Refusal, Table, Upload
from audit.services import SubmissionKey
from audit.zstd import unpacked
from tests.audit.importers.records import (
    bbin_ticket,
    event_records,
    ky_answer,
    ky_row,
    log_of,
    wm_row,
)

Feed = Callable[..., services.Received]


@pytest.fixture
def feed(db: Any) -> Feed:
    """Receive a file of a feed and judge all that waits."""

    def run(name: str, data: bytes, **how: Any) -> services.Received:
        received = services.receive_feed(
            **{"name": "pull.json", "stream": io.BytesIO(data), "feed": name, "source": "op", **how}
        )
        for chunk in Chunk.objects.order_by("id"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None
        return received

    return run


def test_a_pull_becomes_hands_that_are_consistent_and_never_clean(feed: Feed) -> None:
    data = ky_answer(ky_row(), ky_row(GameID="g2"))
    row = selectors.get_upload(feed("ky-730", data).upload_id, sources=None)
    assert (row.state, row.lines, row.consistent, row.clean, row.new) == ("done", 2, 2, 0, 2)
    hands = Hand.objects.order_by("hand_id")
    assert [(hand.source, hand.hand_id, hand.verdict_kind) for hand in hands] == [
        ("op", "50-1716-1", "consistent"),
        ("op", "g2", "consistent"),
    ]
    hand = hands[0]
    assert (hand.table, hand.players, hand.currency) == ("7303/12", ["amy_1"], "XXX")
    # The clock as it stands, with RFC 3339's mark for an offset that nobody knows.
    assert hand.started_at == "2024-05-17T21:14:06-00:00"
    assert str(hand.played_on) == "2024-05-17"


def test_the_exact_record_is_what_is_kept(feed: Feed) -> None:
    feed("bbin-3006", log_of([bbin_ticket()]))
    version = HandVersion.objects.get()
    assert unpacked(version.raw) == b"[" + log_of([bbin_ticket()]).rstrip(b"\n") + b"]"


def test_the_gaps_of_each_record_are_counted_once(feed: Feed) -> None:
    data = ky_answer(ky_row())
    feed("ky-730", data)
    feed("ky-730", data)
    record = PartialRecord.objects.get()
    assert (record.source, record.feed) == ("op", "ky-730")
    assert {"bids", "carry_in", "dice", "time_zone"} <= set(record.gaps)
    assert [upload.duplicate_count for upload in Upload.objects.order_by("id")] == [0, 1]


def test_unknown_fields_are_counted_on_the_source(feed: Feed) -> None:
    first = feed("ky-730", ky_answer(ky_row(Jackpot="0.1"), ky_row(GameID="g2", Jackpot="9")))
    feed("ky-730", ky_answer(ky_row(GameID="g3", Jackpot="7"), page=2))
    found = FeedDrift.objects.order_by("field").values_list(
        "source", "field", "count", "upload_id", "line", "example"
    )
    assert [row[:3] for row in found] == [("op", "Jackpot", 3), ("op", "d.page", 1)]
    assert found[0][3:] == (first.upload_id, 1, '"0.1"')


def test_a_discrepancy_is_found_and_stored(feed: Feed) -> None:
    wrong = ky_row(ChairID=4, Accounts="7_bob", Profit="19.20", Revenue="0.80")
    row = selectors.get_upload(feed("ky-730", ky_answer(wrong)).upload_id, sources=None)
    assert (row.discrepant, row.consistent) == (1, 0)
    assert Hand.objects.get().error_code == "rake-mismatch"


def test_the_four_chairs_are_one_hand_with_its_settlement(feed: Feed) -> None:
    data = log_of([record for vector in "abcd" for record in event_records(vector)])
    row = selectors.get_upload(feed("event-list-122", gzip.compress(data)).upload_id, sources=None)
    assert (row.lines, row.consistent) == (4, 4)
    detail = selectors.hand_detail(Hand.objects.get(hand_id="r-c").pk, sources=None)
    assert detail.verdict.settlement is not None
    assert [seat["net"] for seat in detail.verdict.settlement["seats"]] == [
        "95.00", "-150.00", "47.50", "0.00",
    ]  # fmt: skip


def test_a_bad_record_is_refused_with_its_place_and_the_others_go_on(feed: Feed) -> None:
    data = ky_answer(ky_row(), ky_row(GameID="g2", KindID=720))
    row = selectors.get_upload(feed("ky-730", data).upload_id, sources=None)
    assert (row.consistent, row.rejected) == (1, 1)
    refusal = Refusal.objects.get()
    assert (refusal.line, refusal.place, refusal.reason) == (
        2, "$[0].KindID", "720 is another game",
    )  # fmt: skip
    assert refusal.raw is not None
    assert json.loads(unpacked(refusal.raw))[0]["GameID"] == "g2"


def test_an_unknown_layout_is_refused_as_a_whole(feed: Feed) -> None:
    body = json.loads(ky_answer(ky_row()))
    body["d"]["list"]["Profit"] = []
    data = json.dumps(body).encode()
    row = selectors.get_upload(feed("ky-730", data).upload_id, sources=None)
    assert (row.state, row.rejected) == ("failed", 1)
    refusal = Refusal.objects.get()
    assert refusal.place == "$.d.list.Profit"
    assert refusal.raw is not None
    assert unpacked(refusal.raw) == data


def test_a_whole_file_of_wm_is_not_kept_for_its_addresses(feed: Feed) -> None:
    feed("wm-112", b'{"errorCode": 1, "result": [{"ip": "203.0.113.9"}]}')
    assert Refusal.objects.get().raw is None


def test_a_bet_settled_anew_becomes_the_current_one(feed: Feed, django_user_model: Any) -> None:
    user: User = django_user_model.objects.create_user("ann")
    feed("wm-112", log_of([wm_row(), wm_row(betId="70002")]), user=user)
    anew = wm_row(reset="Y", result="-100.0000", winLoss="-100.0000", validbet="100.0000")
    received = feed("wm-112", log_of([anew, wm_row(betId="70003")]), user=user)
    assert received.restating_id is not None
    row = selectors.get_upload(received.restating_id, sources=None)
    assert (row.restated, row.consistent, row.restatement) == (
        1, 1, "Settled anew by its source (WM, gid 112).",
    )  # fmt: skip
    hand = Hand.objects.get(hand_id="70001")
    assert hand.is_conflict is False
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert [version.is_current for version in detail.versions] == [False, True]
    assert json.loads(detail.raw)[0]["result"] == "-100.0000"
    assert selectors.get_upload(received.upload_id, sources=None).new == 1


def test_a_file_of_nothing_else_is_one_upload(feed: Feed, django_user_model: Any) -> None:
    user: User = django_user_model.objects.create_user("ann")
    key = SubmissionKey(sender="account:1", key="k")
    data = log_of([wm_row(reset="Y")])
    first = feed("wm-112", data, user=user, key=key)
    assert (first.restating_id, Upload.objects.count()) == (None, 1)
    assert feed("wm-112", data, user=user, key=key).is_known is True
    assert Upload.objects.count() == 1


def test_one_key_stands_for_both_uploads(feed: Feed, django_user_model: Any) -> None:
    user: User = django_user_model.objects.create_user("ann")
    key = SubmissionKey(sender="account:1", key="k")
    data = log_of([wm_row(reset="Y"), wm_row(betId="70002")])
    first = feed("wm-112", data, user=user, key=key)
    again = feed("wm-112", data, user=user, key=key)
    assert (again.is_known, again.upload_id, again.restating_id) == (
        True, first.upload_id, first.restating_id,
    )  # fmt: skip
    assert Upload.objects.count() == 2


def test_nobody_restates_without_an_account(feed: Feed) -> None:
    with pytest.raises(services.RestatementIncomplete):
        feed("wm-112", log_of([wm_row(reset="Y")]))
    assert Upload.objects.count() == 0


@pytest.mark.parametrize(
    "how", [{"feed": "ky-720"}, {"source": " "}, {"source": "x" * 129}, {"source": "a\x00b"}]
)
def test_an_unknown_feed_and_a_source_without_a_name_are_refused(
    feed: Feed, how: dict[str, str]
) -> None:
    with pytest.raises(services.FeedUnknown):
        feed("ky-730", ky_answer(ky_row()), **how)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        (
            "ky-730",
            [ky_row(), ky_row(ChairID=4, Accounts="70012_bob", Profit="9.50", Revenue="0.50")],
        ),
        ("bbin-3006", [bbin_ticket(), bbin_ticket(WagersID="9002", UserName="chan")]),
        ("event-list-122", event_records("a")),
    ],
)
def test_the_same_rows_in_another_order_say_the_same(
    feed: Feed, name: str, rows: list[dict[str, Any]]
) -> None:
    written = (lambda rows: ky_answer(*rows)) if name == "ky-730" else log_of
    feed(name, written(rows))
    again = selectors.get_upload(feed(name, written(rows[::-1])).upload_id, sources=None)
    assert (again.duplicates, again.conflicts, HandVersion.objects.count()) == (1, 0, 1)
    fewer = selectors.get_upload(feed(name, written(rows[1:])).upload_id, sources=None)
    assert (fewer.duplicates, fewer.conflicts) == (0, 1)


def test_of_two_settlements_the_last_holds_so_their_order_says_something(
    feed: Feed, django_user_model: Any
) -> None:
    user: User = django_user_model.objects.create_user("ann")
    rows = [
        wm_row(reset="Y", result=result, winLoss=result, validbet=valid_bet)
        for result, valid_bet in (("94.0000", "94.0000"), ("-100.0000", "100.0000"))
    ]
    for order in (rows, rows[::-1]):
        feed("wm-112", log_of(order), user=user)
    assert HandVersion.objects.count() == 2


def test_other_values_under_a_known_id_are_a_conflict(feed: Feed) -> None:
    feed("ky-730", ky_answer(ky_row()))
    feed("ky-730", ky_answer(ky_row(CellScore="9.00")))
    hand = Hand.objects.get()
    assert hand.is_conflict is True
    (difference,) = selectors.hand_detail(hand.pk, sources=None).differences
    assert difference.path.endswith("CellScore")


def test_hands_of_a_feed_are_not_compared_with_those_before_them(feed: Feed) -> None:
    first = feed("ky-730", ky_answer(ky_row(), ky_row(GameID="g2")))
    for table in Table.objects.all():
        assert services.compare_table(table_id=table.pk) is False
    assert selectors.open_touches([first.upload_id]) == 0
    assert Hand.objects.filter(comparison__isnull=False).count() == 0


def test_a_line_with_gaps_comes_in_as_a_feed_of_its_own(feed: Feed) -> None:
    line = {
        "format": "hand-log/1-partial", "feed": "own", "source": "club", "hand_id": "h1",
        "game": "wenzhou-pai-gow", "ruleset": "wenzhou-pai-gow/live-2015@1", "table": "t",
        "started_at": "2024-05-17T21:14:06+08:00", "currency": "CNY", "minor_digits": 2,
        "gaps": ["tiles", "dice", "deal_order", "limits", "hand_number", "table_sequence",
                 "outcomes", "bet_valid_bets", "valid_bet"],
        "wagers": [{"bet": "1", "player": "a", "door": "shun", "side": "win", "stake": "5",
                    "profit": "5"}],
        "players": [{"player": "a", "profit": "5"}],
    }  # fmt: skip
    row = selectors.get_upload(feed("partial", log_of([line]), source="").upload_id, sources=None)
    assert (row.consistent, row.rejected) == (1, 0)
    assert Hand.objects.get().started_at == "2024-05-17T21:14:06+08:00"


NESTED = b"[" * 20_000


@pytest.mark.parametrize("name", ["ky-730", "bbin-3006", "wm-112", "event-list-122", "partial"])
@pytest.mark.parametrize(
    "data",
    [
        NESTED, b'{"d":' + NESTED, b'{"data":' + NESTED, b"", b"\xff\xfe{}", b"PK\x03\x04", b"[1]",
        b'{"\xff": 1}', b"[[]]", b"null", b'[{"\\u0000": "\\u0000"}]', b'{"a": NaN}', b"[" * 3,
        b'{"d": {"code": 0, "count": 0, "list": {}}}', b'{"d": 1}', b'"text"', b"\x00" * 100,
        gzip.compress(b"[]")[:-4],
    ],
    ids=range(18),
)  # fmt: skip
def test_no_file_makes_an_importer_fail(feed: Feed, name: str, data: bytes) -> None:
    row = selectors.get_upload(feed(name, data).upload_id, sources=None)
    assert (row.state, row.failed, row.hands) == ("failed", 0, 0)
    assert row.error


def test_what_the_store_cannot_hold_is_kept_as_an_escape(feed: Feed) -> None:
    nul = "a\x00b"
    data = ky_answer(ky_row(**{nul: nul}), **{nul: nul})
    feed("ky-730", data)
    assert sorted(one.field for one in FeedDrift.objects.all()) == ["a\\u0000b", "d.a\\u0000b"]
    assert Hand.objects.count() == 1
