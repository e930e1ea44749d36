"""Names of players: kept exactly, told apart, and merged only by a person."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.db.models import F
from hypothesis import given
from hypothesis import strategies as st

from audit.models import Hand, NameDecision, Player, Rename, Upload
from audit.selectors.players import find_names, list_decisions, list_renames, same_player
from audit.selectors.players_names import SKELETON_MAX, oddities, skeleton, spelled
from audit.services.players import NamesRefused, decide_names, has_unnoted, note_players
from tests.audit.logs import GOLDEN, B, Ingest, W, log


@pytest.fixture
def user(django_user_model: Any) -> User:
    made: User = django_user_model.objects.create_user("ines.castro")
    return made


def at_table(names: list[str], *, first: int = 1, carry: dict[int, str] | None = None) -> bytes:
    """Hands of one table, one a minute, with these names at seat 2 and money that goes on.

    `carry` gives a hand another carry-in at seat 2.
    """
    lines, stacks = [], [1_000_00] * 4
    for number, name in enumerate(names, start=first):
        hand = json.loads(B)
        clock = f"2025-03-01T10:{number:02d}:00+08:00"
        hand |= {"hand_id": f"h-{number}", "started_at": clock, "ended_at": clock}
        for seat in hand["seats"]:
            place = seat["seat"]
            seat["carry_in"] = f"{stacks[place] // 100}.{stacks[place] % 100:02d}"
            if place == 2:
                seat["player"] = name
                seat["carry_in"] = (carry or {}).get(number, seat["carry_in"])
        for entry in hand["result"]["seats"]:
            stacks[entry["seat"]] += round(float(entry["net"]) * 100)
        lines.append(json.dumps(hand).encode())
    return log(*lines)


def note() -> None:
    assert note_players(seconds=60) is False
    assert not has_unnoted()


def renames() -> list[tuple[str, str, int]]:
    return [(one.old_name, one.new_name, one.seat) for one in list_renames(sources=None).rows]


def test_svc_41_names_are_kept_exactly_and_look_alikes_are_told_apart(ingest: Ingest) -> None:
    data = (GOLDEN / "odd" / "names-accepted.ndjson").read_bytes()
    ingest(data)
    note()
    names = {
        entry["player"] for line in data.splitlines() for entry in json.loads(line).get("seats", ())
    }
    assert set(Player.objects.values_list("name", flat=True)) == names
    assert len(names) == 52
    assert {name for hand in Hand.objects.all() for name in hand.players} == names
    found = find_names("Ken", sources=None)
    assert [(row.name, row.is_exact, bool(row.oddities)) for row in found] == [
        ("Ken", True, False),
        *sorted((name, False, True) for name in ("K\u200ben", "\u041aen", "\u212aen")),
    ]
    assert [row.name for row in found if row.is_exact] == ["Ken"]
    assert len(find_names("Ann", sources=None)) == 7
    usual = {"Ken", "Ann", "ANN", "ann", "é", "x (y)", "A. B", "天" * 128, "😀",
             "👨\u200d👩\u200d👧", "Seat 3: Bo", "[Seat 2]"} & names  # fmt: skip
    assert {name for name in usual if oddities(name)} == set()
    for name in ("Ann\u200e", "\u200fAnn", "\ufeffAnn", "\u202egnp.exe", "\u2067Bo\u2069", "\u3000",
                 "\u2028", "  ", " ", "Ａｎｎ", "e\u0301", "\uffff"):  # fmt: skip
        assert name in names
        assert Player.objects.get(name=name).is_unusual


@given(st.text(min_size=1, max_size=128))
def test_every_name_has_a_look(name: str) -> None:
    look = skeleton(name)
    assert len(look) <= SKELETON_MAX
    assert skeleton(name + "\u200b") == look
    assert "\u200b" not in spelled(name + "\u200b")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Ken", "Ken"),
        ("K\u200ben", "K‹U+200B›en"),
        ("陳大文", "陳大文"),
        ("\u202ex", "‹U+202E›x"),
        ("\u041aen", "‹U+041A›en"),
        ("\u041a\u0435\u043d", "\u041a\u0435\u043d"),
        ("\u212aen", "‹U+212A›en"),
        (" a", "‹U+0020›a"),
        ("a b", "a b"),
    ],
)
def test_a_name_is_written_out(name: str, written: str) -> None:
    assert spelled(name) == written


def test_svc_42_a_new_name_is_a_probable_rename_and_two_players(ingest: Ingest, user: User) -> None:
    row = ingest(at_table(["Ling"] * 3 + ["Ling2"] * 3))
    assert row.clean == 6
    note()
    (one,) = list_renames(sources=None).rows
    assert (one.old_name, one.new_name, one.seat, one.table) == ("Ling", "Ling2", 2, "T1")
    assert Hand.objects.get(pk=one.hand_pk).hand_id == "h-4"
    assert not one.is_decided
    assert set(Player.objects.filter(name__startswith="Ling").values_list("name", flat=True)) == {
        "Ling", "Ling2",
    }  # fmt: skip
    assert same_player("odd", "Ling") == ("Ling",)
    decide_names(source="odd", name="Ling2", other="Ling", is_one=True, reason="passport seen",
                 user=user, sources=None)  # fmt: skip
    assert same_player("odd", "Ling") == same_player("odd", "Ling2") == ("Ling", "Ling2")
    (said,) = list_decisions(sources=None).rows
    assert (said.is_one, said.reason, said.made_by) == (True, "passport seen", "ines.castro")
    assert list_renames(sources=None).rows[0].is_decided
    decide_names(source="odd", name="Ling", other="Ling2", is_one=False, reason="a mistake",
                 user=user, sources=None)  # fmt: skip
    assert same_player("odd", "Ling") == ("Ling",)
    assert [(said.is_one, said.holds) for said in list_decisions(sources=None).rows] == [
        (False, True), (True, False),
    ]  # fmt: skip
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        NameDecision.objects.update(reason="x")
    # The hands say what they said.
    assert Hand.objects.filter(players__contains=["Ling2"]).count() == 3


def test_merges_reach_through_others(ingest: Ingest, user: User) -> None:
    ingest(at_table(["A1"] * 2 + ["B1"] * 2 + ["C1"]))
    note()
    for name, other in (("A1", "B1"), ("B1", "C1")):
        decide_names(
            source="odd", name=name, other=other, is_one=True, reason="x", user=user, sources=None
        )
    assert same_player("odd", "C1") == ("A1", "B1", "C1")
    assert same_player("elsewhere", "C1") == ("C1",)


def test_who_sits_down_with_other_money_was_not_renamed(ingest: Ingest) -> None:
    ingest(at_table(["Ling"] * 3 + ["Mo"] * 3, carry={4: "777.00"}))
    note()
    assert renames() == []


def test_who_comes_back_was_not_renamed(ingest: Ingest) -> None:
    ingest(at_table(["Ling", "Mo", "Ling"]))
    note()
    assert renames() == []


@pytest.mark.parametrize("is_reverse", [False, True])
def test_a_rename_between_two_uploads_is_found_in_either_order(
    ingest: Ingest, is_reverse: bool
) -> None:
    lines = at_table(["Ling"] * 3 + ["Ling2"] * 3).splitlines(keepends=True)
    halves = [b"".join(lines[:3]), b"".join(lines[3:])]
    for number, half in enumerate(reversed(halves) if is_reverse else halves):
        ingest(half, f"{number}.ndjson")
        note()
    assert renames() == [("Ling", "Ling2", 2)]


def test_noting_twice_adds_nothing(ingest: Ingest) -> None:
    ingest(at_table(["Ling", "Ling2"]))
    ingest(log(W))
    note()
    before = (Player.objects.count(), Rename.objects.count())
    Upload.objects.update(name=F("name"))
    note()
    assert (Player.objects.count(), Rename.objects.count()) == before == (before[0], 1)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"other": "Ling"}, "Two different names"),
        ({"reason": "  "}, "needs a reason"),
        ({"reason": "x" * 501}, "at most 500"),
        ({"other": "Nobody"}, "never seen"),
        ({"source": "elsewhere"}, "never seen"),
    ],
)
def test_a_decision_that_cannot_hold_is_refused(
    ingest: Ingest, user: User, fields: dict[str, Any], words: str
) -> None:
    ingest(at_table(["Ling", "Ling2"]))
    note()
    said = {"source": "odd", "name": "Ling", "other": "Ling2", "is_one": True, "reason": "x"}
    with pytest.raises(NamesRefused, match=words):
        decide_names(user=user, **{**said, **fields}, sources=None)
    assert not NameDecision.objects.exists()
