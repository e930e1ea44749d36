"""docs/importers: each worked record is real, and each page names every field that is known."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from audit.importers import FEEDS, bbin, event_list, ky, wm
from audit.importers.reading import plain_name
from tests.audit.importers.records import event_records, judged, log_of

DOCS = Path(__file__).resolve().parents[3] / "docs" / "importers"
FIELDS = {
    "ky-730": ky.COLUMNS,
    "bbin-3006": bbin.FIELDS,
    "wm-112": wm.FIELDS | wm.DROPPED,
    "event-list-122": event_list.FIELDS,
}


def page_of(feed: str) -> str:
    return (DOCS / f"{feed}.md").read_text("utf-8")


def worked(feed: str) -> bytes:
    """The worked record of a page as a file of its feed."""
    page = page_of(feed).split("## A worked record")[1]
    if feed != "event-list-122":
        (block,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
        return block.encode()
    events, rows = re.findall(r"```\n(.*?)```", page, re.DOTALL)
    return log_of([{**json.loads(row), "events": json.loads(events)} for row in rows.splitlines()])


@pytest.mark.parametrize("feed", FIELDS)
def test_the_worked_record_comes_out_as_its_page_says(feed: str) -> None:
    (audited,) = judged(feed, worked(feed))
    page = page_of(feed).split("## A worked record")[1]
    assert f"**{audited.verdict.verdict}**" in page
    table = re.findall(
        r"^\| ([a-z-]+)(?: \(seats ([\d, ]+)\))? \| (.+) \| (.+) \|$", page, re.MULTILINE
    )
    told = [
        (check, seats, gaps.replace("`", ""), rules.replace("–", ""))
        for check, seats, gaps, rules in table
        if check != "not checked"
    ]
    assert told == [
        (
            one.check,
            "" if one.seats is None else ", ".join(map(str, one.seats)),
            ", ".join(one.gaps),
            ", ".join(one.rules),
        )
        for one in audited.verdict.not_checkable
    ]


@pytest.mark.parametrize("feed", FIELDS)
def test_the_page_names_every_known_field(feed: str) -> None:
    named = {plain_name(name) for name in re.findall(r"`([A-Za-z_]+)`", page_of(feed))}
    assert FIELDS[feed] - named == set()


def test_each_feed_has_its_page() -> None:
    readme = (DOCS / "README.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", readme, re.MULTILINE)) == set(FEEDS)
    for feed in FIELDS:
        assert f"({feed}.md)" in readme


def test_the_worked_hand_is_a_settled_one() -> None:
    assert json.loads(b"[" + worked("event-list-122").replace(b"\n", b",")[:-1] + b"]") == (
        event_records("c")
    )
