"""Whatever stands in a record: it is refused with a place, or judged; nothing else happens."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replay
from audit import importers
from tests.audit.importers.records import (
    RULESETS,
    bbin_ticket,
    event_records,
    ky_answer,
    ky_row,
    log_of,
    wm_row,
)

RECORDS: dict[str, list[dict[str, Any]]] = {
    "ky-730": [ky_row()],
    "bbin-3006": [bbin_ticket()],
    "wm-112": [wm_row()],
    "event-list-122": event_records("c"),
}
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["-0", "1e3", "0.001", "99999999999999999", "1", "-1", "0",
                     "2024-02-30 00:00:00", "1,1:1,1,1*", "00000000000000001", "順門贏", "\ud800"]),
    st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=3), st.integers()),
)  # fmt: skip


def file_of(feed: str, rows: list[dict[str, Any]]) -> bytes:
    return ky_answer(*rows) if feed == "ky-730" else log_of(rows)


@pytest.mark.parametrize("feed", RECORDS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_changed_field_is_refused_or_judged(feed: str, data: st.DataObject) -> None:
    rows = copy.deepcopy(RECORDS[feed])
    row = data.draw(st.sampled_from(rows))
    name = data.draw(st.sampled_from(sorted(row)))
    if name == "events" and data.draw(st.booleans()):
        event = data.draw(st.sampled_from(row["events"]))
        event[data.draw(st.sampled_from(sorted(event)))] = data.draw(VALUES)
    else:
        row[name] = data.draw(VALUES)
    try:
        raw = file_of(feed, rows)
    except UnicodeEncodeError:
        return
    if feed == "ky-730" and b"\\ud800" in raw:
        # No JSON text holds half a character; columns cannot be parted from it.
        with pytest.raises(replay.Refusal):
            importers.cut(feed, raw)
        return
    found = importers.cut(feed, raw)
    assert found.pieces
    for piece in found.pieces:
        facts = {**found.facts, "source": "op"}
        audited, _ = importers.judge(feed, piece.data, facts, RULESETS)
        if audited.refusal is None:
            assert audited.verdict.verdict in ("consistent", "discrepant")
            assert audited.verdict.not_checkable
        else:
            assert audited.refusal.place.startswith("$")
            assert audited.refusal.reason
        # The same bytes give the same verdict.
        again, _ = importers.judge(feed, piece.data, facts, RULESETS)
        assert again.verdict == audited.verdict


@pytest.mark.parametrize("feed", RECORDS)
def test_a_file_cut_off_anywhere_is_refused_or_has_fewer_rows(feed: str) -> None:
    raw = file_of(feed, RECORDS[feed])
    for end in range(0, len(raw), 7):
        try:
            found = importers.cut(feed, raw[:end])
        except replay.Refusal:
            continue
        for piece in found.pieces:
            facts = {**found.facts, "source": "op"}
            audited, _ = importers.judge(feed, piece.data, facts, RULESETS)
            if audited.refusal is None:
                # Only whole rows are judged, each as it was.
                kept = json.loads(piece.data)
                assert kept == [without_address(row) for row in RECORDS[feed][: len(kept)]]


def without_address(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "ip"}
