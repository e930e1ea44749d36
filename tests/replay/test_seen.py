"""What a viewer sees of a hand is a function of what was shown to him, and agrees with the walk.

Non-interference: two hands that look alike to a viewer up to a step give the same bytes at that
step, whatever their other tiles, their later events and their result are.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replay
from replay.concealment import SEATS, Pool
from replay.simulate import simulate, simulate_with_faults
from tests.golden_vectors import GOLDEN, rulesets
from tests.look_alikes import look_alike, shown_tiles

RULESETS = {
    "banker-pai-gow": "banker-pai-gow/bs-2022@1",
    "tien-gow": "tien-gow/classic@1",
    "small-tien-gow": "small-tien-gow/derived@1",
    "wenzhou-pai-gow": "wenzhou-pai-gow/live-2015@1",
}
BASE = (GOLDEN / "odd" / "base-hands.ndjson").read_bytes().splitlines()
HIDDEN_WORDS = re.compile(r"(is dealt|discards) \d tiles?( face down)?(, refused.*)?")
VIEWERS = (replay.PUBLIC, *SEATS)


def hands_of(game: str, count: int, seed: int, *, fault_ppm: int = 0) -> Iterator[bytes]:
    ruleset = rulesets().get(RULESETS[game])
    assert ruleset is not None
    for made in simulate_with_faults(game, count, seed, ruleset, fault_ppm=fault_ppm):
        yield made.line


def seen(line: bytes, viewer: replay.Viewpoint, number: int) -> replay.Sight:
    return replay.seen(line, rulesets(), viewer, number)


def as_bytes(sight: replay.Sight) -> bytes:
    return msgspec.json.encode(sight, enc_hook=replay.plain)


def steps_before_the_reveal(line: bytes, viewer: replay.Viewpoint) -> list[int]:
    last = len(json.loads(line)["events"])
    return [number for number in range(last) if not seen(line, viewer, number).is_revealed]


@pytest.mark.parametrize("game", RULESETS)
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32), where=st.integers(0, 10**6), viewer=st.sampled_from(VIEWERS))
def test_hands_that_look_alike_give_the_same_bytes(
    game: str, seed: int, where: int, viewer: replay.Viewpoint
) -> None:
    (line,) = hands_of(game, 1, seed)
    last = len(json.loads(line)["events"])
    chance = random.Random(seed)
    number = where % last
    for _ in range(4):
        mine = seen(line, viewer, number)
        if mine.is_revealed:
            number //= 2
            continue
        other = look_alike(line, viewer, number, chance)
        assert as_bytes(seen(other, viewer, number)) == as_bytes(mine)


@pytest.mark.parametrize("game", ["banker-pai-gow", "tien-gow", "small-tien-gow"])
def test_flagged_hands_that_look_alike_give_the_same_bytes_too(game: str) -> None:
    chance = random.Random(11)
    compared = 0
    for line in hands_of(game, 60, 5, fault_ppm=1_000_000):
        viewer = chance.choice(VIEWERS)
        steps = steps_before_the_reveal(line, viewer)
        for number in chance.sample(steps, min(3, len(steps))):
            try:
                other = look_alike(line, viewer, number, chance)
            except ValueError:
                continue  # a discard of a tile that was never dealt: no such pair can be made
            assert as_bytes(seen(other, viewer, number)) == as_bytes(seen(line, viewer, number))
            compared += 1
    assert compared > 120


def test_the_swap_of_the_service_scenario() -> None:
    """SVC-56: with the tiles of seats 0 and 1 swapped a guest sees the same up to the reveal."""
    hand = json.loads(BASE[0])
    deals = {event["seat"]: event for event in hand["events"] if event["type"] == "deal"}
    shows = {event["seat"]: event for event in hand["events"] if event["type"] == "reveal"}
    for events in (deals, shows):
        events[0]["tiles"], events[1]["tiles"] = events[1]["tiles"], events[0]["tiles"]
    swapped = json.dumps(hand).encode()
    first = next(i for i, event in enumerate(hand["events"]) if event["type"] == "reveal")
    for number in range(first + 1):
        mine = seen(BASE[0], replay.PUBLIC, number)
        assert not mine.is_revealed
        assert as_bytes(seen(swapped, replay.PUBLIC, number)) == as_bytes(mine)
    assert tiles_of(seen(BASE[0], replay.PUBLIC, first)) == {replay.BACK}


# -- what is shown, and what is not ------------------------------------------------------------


def tiles_of(sight: replay.Sight) -> set[str]:
    """Every tile that a sight shows at any of its steps, in any of its shapes."""
    shown: set[str] = set()
    for step in sight.walk.steps:
        shown.update(step.tiles)
        for view in step.board.seats:
            shown.update(view.holding, view.gone)
        for placed in step.board.placed:
            shown.update(placed.tiles)
        for door in step.board.doors:
            shown.update(door.tiles)
        if step.decision is not None:
            for choice in step.decision.choices:
                shown.update(choice.tiles)
        if replay.BACK in step.tiles:
            assert re.fullmatch(
                r"(is dealt|discards) \d tiles?( face down)?(, refused.*)?", step.text
            )
    return shown


def open_tiles(line: bytes, viewer: replay.Viewpoint, number: int) -> set[str]:
    """The tiles that were shown to a viewer, straight from the record."""
    shown: set[str] = set()
    past = json.loads(line)["events"][:number]
    for event in past:
        if event["type"] in ("play", "reveal"):
            shown.update(event["tiles"])
        elif event["type"] in ("deal", "discard"):
            declared = shown_tiles(past, event.get("seat", -1)) is None
            if "position" in event or event["seat"] == viewer.seat or declared:
                shown.update(event["tiles"])
    return shown


@pytest.mark.parametrize("game", RULESETS)
def test_no_tile_is_told_that_was_not_shown(game: str) -> None:
    for line in hands_of(game, 12, 21):
        for viewer in VIEWERS:
            for number in steps_before_the_reveal(line, viewer):
                sight = seen(line, viewer, number)
                assert len(sight.walk.steps) == number + 1
                assert sight.walk.figures == ()
                assert tiles_of(sight) - {replay.BACK} <= open_tiles(line, viewer, number)


@pytest.mark.parametrize("game", RULESETS)
def test_what_was_shown_is_told_as_the_auditor_is_told_it(game: str) -> None:
    """Stand-ins disturb nothing: but for what they stand for, a step is that of the whole walk."""
    for line in hands_of(game, 8, 33):
        walk = replay.walk(line, rulesets())
        for viewer in VIEWERS:
            for number in steps_before_the_reveal(line, viewer):
                mine = seen(line, viewer, number).walk.steps[-1]
                whole = walk.steps[number]
                is_own = whole.seat == viewer.seat
                hides = whole.kind in ("deal", "discard") and game != "wenzhou-pai-gow"
                if not hides or is_own:
                    assert (mine.text, mine.sentence) == (whole.text, whole.sentence)
                    assert mine.tiles == whole.tiles
                assert (mine.kind, mine.seat, mine.ms, mine.think_ms, mine.is_auto) == (
                    (whole.kind, whole.seat, whole.ms, whole.think_ms, whole.is_auto)
                )
                assert (mine.is_judged, mine.findings) == (whole.is_judged, whole.findings)
                assert mine.decision == (whole.decision if is_own else None)
                same_board(mine.board, whole.board, viewer)


def told(view: replay.SeatView) -> replay.SeatView:
    holding = tuple(sorted(view.holding))
    return msgspec.structs.replace(
        view, holding=holding, hand_note=None, so_far_minor=None, due_minor=None
    )


def same_board(mine: replay.Board, whole: replay.Board, viewer: replay.Viewpoint) -> None:
    assert (mine.heading, mine.notes, mine.corner_notes) == (
        (whole.heading, whole.notes, whole.corner_notes)
    )
    assert (mine.dice, mine.dice_note, mine.doors) == (whole.dice, whole.dice_note, whole.doors)
    for view, other in zip(mine.seats, whole.seats, strict=True):
        assert len(view.holding) == len(other.holding)
        if view.seat == viewer.seat or other.is_shown:
            # Seen is how tiles were shown, not how they were dealt; and that a payment is logged
            # later, so that it counts only then, cannot be seen before.
            assert told(view) == told(other)
        elif replay.BACK in view.holding:
            assert set(view.holding) == {replay.BACK}
        assert (view.tricks, view.lines, view.is_turn) == (other.tricks, other.lines, other.is_turn)
    for placed, other_placed in zip(mine.placed, whole.placed, strict=True):
        if placed.state != "down" or placed.seat == viewer.seat:
            assert placed == other_placed
        else:
            assert placed.tiles == (replay.BACK,) * len(other_placed.tiles)


def test_the_tiles_of_the_others_are_never_shown_after_a_declaration() -> None:
    """SVC-57: the second of the base hands as seat 3, at no step."""
    line = BASE[1]
    hand = json.loads(line)
    declarer = next(event["seat"] for event in hand["events"] if event["type"] == "declare")
    dealt = {e["seat"]: e["tiles"] for e in hand["events"] if e["type"] == "deal"}
    for number in range(len(hand["events"]) + 1):
        sight = seen(line, SEATS[3], number)
        assert not sight.is_revealed
        for view in sight.walk.steps[-1].board.seats:
            if view.seat not in (3, declarer):
                assert set(view.holding) <= {replay.BACK}
    last = seen(line, SEATS[3], len(hand["events"]))
    assert list(last.walk.steps[-1].board.seats[declarer].holding) == dealt[declarer]
    # What was declared is enough to settle by.
    assert last.walk.figures == replay.walk(line, rulesets()).figures


def test_discards_stay_down_until_the_hand_is_over() -> None:
    """SVC-58, TG-24: the third of the base hands as seat 3."""
    line = BASE[2]
    events = json.loads(line)["events"]
    for number in range(len(events)):
        sight = seen(line, SEATS[3], number)
        assert not sight.is_revealed
        for step in sight.walk.steps:
            if step.kind == "discard" and step.seat != 3:
                assert step.tiles == (replay.BACK,) * len(events[step.event or 0]["tiles"])
                assert step.text.startswith("discards ")
                assert step.text.endswith(" face down")
    last = seen(line, SEATS[3], len(events))
    assert last.is_revealed
    assert last.walk == replay.walk(line, rulesets())


@pytest.mark.parametrize("line", BASE, ids=["pg", "tg-declared", "tg", "small", "wz"])
def test_the_auditor_sees_the_whole_walk_at_every_step(line: bytes) -> None:
    walk = replay.walk(line, rulesets())
    for number in range(len(walk.steps)):
        sight = seen(line, replay.AUDITOR, number)
        assert (sight.walk, sight.is_revealed) == (walk, True)
        assert sight.has_next == (number < len(walk.steps) - 1)
    with pytest.raises(replay.NoSuchStep):
        seen(line, replay.AUDITOR, len(walk.steps))


def test_a_void_hand_keeps_what_was_not_shown() -> None:
    hand = json.loads(BASE[2])
    hand["events"] = [*hand["events"][:9], {"type": "void", "reason": "a fault"}]
    hand["result"] = None
    sight = seen(json.dumps(hand).encode(), SEATS[1], 10)
    assert not sight.is_revealed
    assert [figure.recomputed for figure in sight.walk.figures if figure.name == "net"] == (
        ["0.00"] * 4
    )
    shown = tiles_of(sight)
    assert shown - {replay.BACK} <= open_tiles(json.dumps(hand).encode(), SEATS[1], 10)


def test_a_fault_that_nobody_could_see_is_not_told() -> None:
    """Seat 0 was dealt a tile too often: seat 3 sees no finding before the reveal, seat 0 does."""
    hand = json.loads(BASE[0])
    deal = next(e for e in hand["events"] if e["type"] == "deal" and e["seat"] == 0)
    deal["tiles"] = ["36", "36"]
    line = json.dumps(hand).encode()
    stop = hand["events"].index(deal) + 1
    assert [f.code for f in seen(line, replay.AUDITOR, stop).walk.steps[stop].findings] == (
        ["tile-excess"]
    )
    assert [f.code for f in seen(line, SEATS[0], stop).walk.steps[-1].findings] == ["tile-excess"]
    for number in range(stop, len(hand["events"]) + 1):
        sight = seen(line, SEATS[3], number)
        assert all(step.is_judged and not step.findings for step in sight.walk.steps) or (
            number > stop + 4
        )


def test_what_is_refused_for_a_reason_that_all_see_is_told() -> None:
    """A discard out of turn: the seat is named, the tiles stay down."""
    hand = json.loads(BASE[2])
    index = next(i for i, event in enumerate(hand["events"]) if event["type"] == "discard")
    late = hand["events"][index]
    late["seat"] = (late["seat"] + 1) % 4
    line = json.dumps(hand).encode()
    viewer = SEATS[(late["seat"] + 1) % 4]
    step = seen(line, viewer, index + 1).walk.steps[-1]
    assert [finding.code for finding in step.findings] == ["out-of-turn"]
    assert step.text.startswith("discards 4 tiles face down, refused: it is the turn of ")
    assert set(step.board.placed[-1].tiles) == {replay.BACK}


def test_the_wall_is_never_told() -> None:
    for line in hands_of("tien-gow", 40, 9):
        hand = json.loads(line)
        if all(event["type"] != "wall" for event in hand["events"]):
            continue
        number = next(i for i, e in enumerate(hand["events"]) if e["type"] == "wall") + 1
        sight = seen(line, replay.PUBLIC, number)
        assert tiles_of(sight) == set()
        step = sight.walk.steps[-1]
        assert (step.is_judged, step.findings) == (True, ())
        assert step.text == replay.walk(line, rulesets()).steps[number].text
        return
    raise AssertionError("no simulated hand has a wall")


def test_viewpoints_are_written_and_read() -> None:
    for viewer in (replay.AUDITOR, *VIEWERS):
        assert replay.parse_viewpoint(str(viewer)) == viewer
    for text in ("", "seat-4", "seat-01", "Seat-1", "player", "auditor "):
        with pytest.raises(replay.UnknownViewpoint):
            replay.parse_viewpoint(text)


def test_a_pool_gives_what_is_left() -> None:
    pool = Pool()
    assert pool.take_out(["66", "66", "66", "36", "36"]) == ["66", "66", "36"]
    rest = pool.give(29)
    assert sorted([*rest, "66", "66", "36"]) == sorted(
        [kind.code for kind in replay.KINDS for _ in range(kind.copies)]
    )
    assert pool.give(1) == ["66"]


def test_simulated_hands_are_revealed_at_their_end() -> None:
    ruleset = rulesets().get(RULESETS["tien-gow"])
    assert ruleset is not None
    ends = Counter()
    for line in simulate("tien-gow", 60, 4, ruleset):
        events = json.loads(line)["events"]
        kinds = {event["type"] for event in events}
        ends[bool(kinds & {"void", "declare"}), seen(line, SEATS[1], len(events)).is_revealed] += 1
    assert set(ends) <= {(False, True), (True, False)}
    assert ends[False, True] > 50


@pytest.mark.parametrize("game", ["banker-pai-gow", "tien-gow", "small-tien-gow"])
def test_no_faulty_hand_breaks_a_view_or_shows_a_tile(game: str) -> None:
    """The planted faults, each looked at by each viewer at some steps and at the end."""
    chance = random.Random(game)
    looked = 0
    for line in (GOLDEN / game / "planted.ndjson").read_bytes().splitlines():
        try:
            last = replay.read(line).event_count
        except replay.Refusal:
            continue
        for viewer in VIEWERS:
            for number in {chance.randrange(last + 1), last}:
                sight = seen(line, viewer, number)
                assert len(sight.walk.steps) == (last if sight.is_revealed else number) + 1
                if not sight.is_revealed:
                    shown = tiles_of(sight) - {replay.BACK}
                    assert shown <= open_tiles(line, viewer, number)
                looked += 1
    assert looked > 200


def test_a_walk_that_is_at_hand_is_told_behind_the_reveal_and_nowhere_else() -> None:
    """It is not made again; before the reveal nothing of it is told."""
    line = BASE[0]
    found, whole = replay.read(line), replay.walk(line, rulesets())
    told = [
        replay.seen_of(found, rulesets(), replay.PUBLIC, number, whole_walk=whole)
        for number in range(found.event_count + 1)
    ]
    assert told == [seen(line, replay.PUBLIC, number) for number in range(found.event_count + 1)]
    assert [sight.walk is whole for sight in told] == [sight.is_revealed for sight in told]
    assert {sight.is_revealed for sight in told} == {False, True}
