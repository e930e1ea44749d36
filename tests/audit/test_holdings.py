"""Finding hands by tile, combination, seat and logged net."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

import replay
from audit import selectors, services
from audit.models import Chunk, Hand, Holding, SearchedUpload
from audit.selectors.holdings import feature, unsearched
from audit.services import holdings
from tests.golden_vectors import GOLDEN

ODD = GOLDEN / "odd"
BASE = (ODD / "base-hands.ndjson").read_bytes()


@pytest.fixture
def noted(ingest):
    """Store a file and note what lay where in it."""

    def run(data, name="hands.ndjson"):
        upload = ingest(data, name)
        assert holdings.note_holdings(seconds=60) is False
        return upload

    return run


def found(**query):
    """All pages of the list, by hand id."""
    filters, ids, cursor = selectors.HandFilters.parse(query), [], None
    while True:
        page = selectors.list_hands(filters, sources=None, cursor=cursor)
        ids += [row.hand_id for row in page.rows]
        if page.next_cursor is None:
            return sorted(ids)
        cursor = page.next_cursor


def by_hand(data, matches):
    """The hands of a file for which something is true, read the plainest way."""
    hands = [json.loads(line) for line in data.splitlines()]
    return sorted(hand["hand_id"] for hand in hands if matches(hand))


def dealt(hand, place=None):
    return [
        tile
        for event in hand["events"]
        if event["type"] == "deal"
        and place in (None, event.get("position", str(event.get("seat"))))
        for tile in event["tiles"]
    ]


@pytest.mark.parametrize("tile", ["66", "11", "24", "12", "36", "45"])
def test_a_tile_is_found_where_it_was_dealt(noted, tile):
    noted(BASE)
    assert found(tile=tile) == by_hand(BASE, lambda hand: tile in dealt(hand))
    for place in ("0", "3", "bank", "dao"):
        wanted = by_hand(BASE, lambda hand, place=place: tile in dealt(hand, place))
        assert found(tile=tile, seat=place) == wanted


def test_a_rank_is_found_by_the_name_that_the_log_gives_it(noted):
    data = (GOLDEN / "banker-pai-gow" / "clean.ndjson").read_bytes()
    noted(data)
    ranks = {
        event["rank"]
        for line in data.splitlines()
        for event in json.loads(line)["events"]
        if "rank" in event
    }
    assert len(ranks) > 10
    stored = set(Hand.objects.values_list("hand_id", flat=True))
    for rank in ranks:
        named = by_hand(
            data, lambda hand, rank=rank: any(e.get("rank") == rank for e in hand["events"])
        )
        assert set(named) & stored <= set(found(combination=rank))


def test_svc_19_zeros_are_found(noted):
    data = (ODD / "zeros.ndjson").read_bytes()
    noted(data)
    in_seats = by_hand(data, lambda hand: "seats" in hand)
    assert in_seats
    assert found(seat="0") == in_seats
    nothing = by_hand(
        data,
        lambda hand: any(
            float(row.get("net", row.get("profit"))) == 0
            for row in hand["result"].get("seats", hand["result"].get("players", ()))
        ),
    )
    assert nothing
    assert found(net="0") == nothing
    assert found(net="0.00") == nothing


def test_a_net_is_that_of_the_seat_that_is_named(noted):
    noted(BASE)
    assert found(net="-100") == ["base-1"]
    assert found(net="-100.00", seat="1") == ["base-1"]
    assert found(net="-100", seat="2") == []
    assert found(net="100") == []


def test_a_net_is_exact_in_the_digits_of_each_currency(noted):
    data = (ODD / "minor-digits.ndjson").read_bytes()
    noted(data)
    for line in data.splitlines():
        hand = json.loads(line)
        for row in hand["result"]["seats"]:
            assert hand["hand_id"] in found(net=row["net"], seat=str(row["seat"]))
    assert found(net="0.00000001") == []


def test_a_net_may_be_longer_than_eight_bytes(noted):
    """The largest amounts of the format, in the smallest units, beside a usual hand."""
    hand = json.loads(BASE.splitlines()[0])
    hand |= {"hand_id": "large", "minor_digits": 8, "currency": "XBT"}
    hand["result"]["seats"][1]["net"] = "-999999999999999.99999999"
    wagers = json.loads(BASE.splitlines()[4])
    wagers |= {"hand_id": "wagers", "minor_digits": 8}
    for bet in wagers["result"]["bets"]:
        bet["profit"] = "999999999999999.99999999"
    data = b"".join(json.dumps(one).encode() + b"\n" for one in (hand, wagers)) + BASE
    assert noted(data).failed == 0
    assert found(net="-999999999999999.99999999") == ["large"]
    assert found(net="-999999999999999.99999999", seat="1") == ["large"]
    assert found(net="-999999999999999.99999999", seat="2") == []
    assert found(net="-940220017673798.9") == []
    assert found(net="-100.00") == by_hand(BASE, lambda one: "-100.00" in nets_of(one))


def nets_of(hand):
    return [seat["net"] for seat in hand["result"].get("seats", ())]


def test_what_was_not_noted_yet_is_not_found_and_is_told(ingest):
    upload = ingest(BASE)
    assert list(unsearched(sources=None).values_list("pk", flat=True)) == [upload.id]
    assert found(tile="66", seat="0") == []
    assert holdings.note_holdings(seconds=60) is False
    assert unsearched(sources=None).count() == 0
    assert found(tile="66") != []


def test_noting_is_taken_up_where_it_was_stopped(ingest, monkeypatch):
    ingest(BASE)
    monkeypatch.setattr(holdings, "VERSIONS_AT_ONCE", 2)
    clock = iter((0.0, 0.0, 1.0))
    monkeypatch.setattr(holdings, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert holdings.note_holdings(seconds=0.5) is True
    assert Holding.objects.count() == 2
    assert not SearchedUpload.objects.exists()
    monkeypatch.undo()
    assert holdings.note_holdings(seconds=60) is False
    assert Holding.objects.count() == len(BASE.splitlines())


def test_noting_twice_changes_nothing(noted):
    noted(BASE)
    before = list(Holding.objects.order_by("pk").values_list("pk", "features", "nets"))
    SearchedUpload.objects.all().delete()
    holdings.note_holdings(seconds=60)
    assert list(Holding.objects.order_by("pk").values_list("pk", "features", "nets")) == before


def test_the_record_in_force_counts(noted, ingest, django_user_model):
    noted(BASE)
    line = json.loads(BASE.splitlines()[0])
    line["result"]["seats"][1]["net"] = "-90.00"
    user = django_user_model.objects.create_user("ines", password="correct horse")
    ingest(json.dumps(line).encode(), user=user, restatement="A figure was wrong")
    holdings.note_holdings(seconds=60)
    assert found(net="-90") == ["base-1"]
    assert found(net="-100") == []


def test_a_line_that_becomes_a_hand_later_is_noted_too(noted):
    upload = noted(BASE)
    holdings.note_again(upload.id)
    assert unsearched(sources=None).count() == 1


def test_every_hand_of_every_odd_file_can_be_noted(db):
    for path in sorted(ODD.glob("*.ndjson")):
        if not path.is_file() or path.stat().st_size > 300_000:
            continue
        received = services.receive_upload(name=path.name, stream=io.BytesIO(path.read_bytes()))
        for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("number"):
            services.judge_chunk(chunk_id=chunk.pk)
    assert holdings.note_holdings(seconds=120) is False
    assert Hand.objects.filter(version__holding__isnull=True).count() == 0


def test_features_are_told_apart():
    places = (None, "seat-0", "seat-1", "seat-2", "seat-3", "bank", "shun", "chu", "dao")
    every = [feature(place) for place in places]
    every += [feature(place, tile=kind.code) for place in places for kind in replay.KINDS]
    every += [
        feature(place, combination=one.code) for place in places for one in replay.COMBINATIONS
    ]
    assert len(set(every)) == len(every)
    assert max(every) < 2**15


@pytest.mark.parametrize(
    "query",
    [{"tile": "99"}, {"combination": "royal"}, {"seat": "9"}, {"net": "1e3"}, {"net": "--1"}],
)
def test_what_is_no_tile_combination_place_or_amount_is_refused(query):
    with pytest.raises(selectors.BadQuery):
        selectors.HandFilters.parse(query)
