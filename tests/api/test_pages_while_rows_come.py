"""Lists of pages that the API does not give, out of the selectors: walked while rows come (SVC-55).

Two stand by what may change, hands by when they began and the queue by how urgent a case is: there
whatever does not change keeps its place.
"""

from __future__ import annotations

import inspect
import itertools
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from audit import selectors, services
from audit.models import Case, Hand, ReviewKind, SignIn, SignInOutcome, SignInWay
from audit.selectors import desk_members, desk_queue, hands, journal, reaudits, visits
from audit.selectors.access import access_of
from audit.selectors.pages import Page
from audit.selectors.rulesets import forget_rulesets
from audit.services import desk
from audit.services.reviews import record_review
from tests.access import signed_in
from tests.api.arriving import bad, moved, sources_with_cases
from tests.api.conftest import World
from tests.audit.desk.wrong import wrong
from tests.audit.reauditing import OTHER, engine, know, reaudited, start, write_revision
from tests.web.lines import PAI_GOW, changed

# How a page is read, by its cursor; first the list is filled, and each step brings something.
Read = Callable[..., Page[Any]]
Arrivals = Iterator[Read]

BY_THE_API = {
    "api_desk.acts_of", "api_desk.list_cases", "api_hands.list_hands", "api_players.list_players",
    "certificates.list_certificates", "desk_books.list_claims", "desk_books.list_remedies",
    "desk_members.list_standing", "journal.list_journal", "players.list_decisions",
    "players.list_renames", "reaudits.list_faults", "reaudits.list_reaudits",
    "reaudits_report.list_changes", "reports.list_reports", "uploads.list_refusals",
    "uploads.list_uploads",
}  # fmt: skip
# What makes a page of the rows of others.
MAKERS = {"newest.newest_first", "pages.make_page", "desk_cases.case_detail"}


def by_play(world: World) -> Arrivals:
    world.stored(*(bad(f"h{number:02}") for number in range(12)))
    yield lambda **page: hands.list_hands(sources=None, **page)
    for number in itertools.count():
        world.stored(bad(f"late-{number}"), bad(f"early-{number}", **moved(2020)))
        with engine(f"9.0.{number}"):
            reaudited(reason=f"{number}")
        yield lambda **page: hands.list_hands(sources=None, **page)


def by_urgency(world: World) -> Arrivals:
    """Open cases; time goes on, and others are opened."""
    coming = sources_with_cases(world)
    for _ in range(10):
        next(coming)
    filters = desk_queue.QueueFilters()
    while True:
        yield lambda **page: desk_queue.list_cases(
            filters, sources=None, user_id=world.account.pk, **page
        )
        next(coming)


def in_a_case(world: World) -> Arrivals:
    """Hands join, and those that get another verdict join anew."""
    world.stored(*(bad(f"h{number:02}") for number in range(12)))
    assert desk.gather_cases().is_done
    case = Case.objects.get().pk
    for number in itertools.count():
        yield lambda **page: desk_members.list_members(case, **page)
        world.stored(bad(f"late-{number}"), bad(f"early-{number}", **moved(2020)))
        with engine(f"9.0.{number}"):
            reaudited(reason=f"{number}")
        assert desk.gather_cases().is_done


def reviews(world: World) -> Arrivals:
    for number in itertools.count(-10):
        if number >= 0:
            yield journal.list_reviews
        record_review(
            access=access_of(world.account), kind=ReviewKind.JOURNAL, note=f"{number}", first=1,
            last=1, facts={},
        )  # fmt: skip


def visited(world: World) -> Arrivals:
    for number in itertools.count(-10):
        if number >= 0:
            yield visits.list_visits
        signed_in(world.account)


def tries(world: World) -> Arrivals:
    for number in itertools.count(-10):
        if number >= 0:
            yield visits.list_sign_ins
        SignIn.objects.create(
            name=f"mallory {number}", way=SignInWay.PASSWORD, outcome=SignInOutcome.WRONG,
            address="192.0.2.1",
        )  # fmt: skip


def admissions(world: World) -> Arrivals:
    """Refused lines become hands while their re-audit runs."""
    world.settings.TILECOURT_REAUDIT_BATCH_MAX = 4
    world.stored(*(changed(PAI_GOW, hand_id=f"h{n}", ruleset=OTHER) for n in range(48)))
    assert not Hand.objects.exists()
    (folder,) = world.settings.TILECOURT_RULESETS
    write_revision(folder)
    know(world.settings, folder)
    job = start(refused_lines="waiting")
    for _ in range(4):
        services.work_on_reaudit(reaudit_id=job)
    while True:
        yield lambda **page: reaudits.list_admissions(job, **page)
        services.work_on_reaudit(reaudit_id=job)


PAGES: dict[str, Callable[[World], Arrivals]] = {
    "hands.list_hands": by_play,
    "desk_queue.list_cases": by_urgency,
    "desk_members.list_members": in_a_case,
    "journal.list_reviews": reviews,
    "visits.list_visits": visited,
    "visits.list_sign_ins": tries,
    "reaudits.list_admissions": admissions,
}


def test_each_selector_that_takes_a_cursor_is_walked() -> None:
    found = set()
    for module in pkgutil.iter_modules(selectors.__path__):
        there = vars(import_module(f"audit.selectors.{module.name}"))
        for name, one in there.items():
            if inspect.isfunction(one) and one.__module__.endswith(f".{module.name}"):
                is_list = {"cursor"} <= set(inspect.signature(one).parameters)
                if is_list and not name.startswith("_"):
                    found.add(f"{module.name}.{name}")
    assert found == set(PAGES) | BY_THE_API | MAKERS


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", PAGES)
def test_svc_55_no_page_skips_or_repeats_while_rows_come(
    world: World, tmp_path: Path, name: str
) -> None:
    world.settings.TILECOURT_RULESETS = (tmp_path,)
    try:
        arrivals = PAGES[name](world)
        read = next(arrivals)
        for way in ("next", "previous"):
            # Back from the last page as from the first, for what is read is the same.
            cursor = last_of(read) if way == "previous" else None
            there = ids(read(limit=500))
            seen = ids(read(cursor=cursor, limit=3)) if way == "previous" else []
            assert len(there) >= 8
            for number in range(len(there) + 20):
                page = read(cursor=cursor, limit=3)
                if way == "next" or number:
                    seen += ids(page)
                cursor = page.next_cursor if way == "next" else page.previous_cursor
                if cursor is None:
                    break
                if number < 3:
                    next(arrivals)
            assert cursor is None
            assert len(seen) == len(set(seen))
            assert set(there) <= set(seen)
    finally:
        forget_rulesets()


def test_svc_55_a_hand_that_begins_anew_moves_no_other(world: World) -> None:
    names = [f"h{number:02}" for number in range(12)]
    world.stored(*map(bad, names))

    def restate(step: int) -> set[int]:
        """One that was told and one that was not begin in another year."""
        pair = (names[step], names[11 - step])
        for name in pair:
            world.restate(bad(name, **moved(2020 + 15 * (step % 2))))
        return set(Hand.objects.filter(hand_id__in=pair).values_list("pk", flat=True))

    assert_others_told_once(lambda **page: hands.list_hands(sources=None, **page), restate)


def test_svc_55_a_case_that_grows_moves_no_other(world: World) -> None:
    coming = sources_with_cases(world)
    sources = [next(coming) for _ in range(12)]

    def grow(step: int) -> set[int]:
        """More hands join one that was told and one that was not."""
        pair = (sources[step], sources[11 - step])
        for source in pair:
            world.stored(*(wrong(f"more {step} {n}", source=source) for n in range(step + 2)))
        assert desk.gather_cases().is_done
        return set(Case.objects.filter(source__in=pair).values_list("pk", flat=True))

    filters, user = desk_queue.QueueFilters(), world.account.pk
    assert_others_told_once(
        lambda **page: desk_queue.list_cases(filters, sources=None, user_id=user, **page), grow
    )


def assert_others_told_once(read: Read, move: Callable[[int], set[int]]) -> None:
    """Walk onward while rows move; each of the others is told once."""
    there, touched, seen = ids(read(limit=500)), set[int](), list[int]()
    cursor = None
    for step in range(10):
        page = read(cursor=cursor, limit=3)
        seen += ids(page)
        cursor = page.next_cursor
        if cursor is None:
            break
        touched |= move(step) if step < 3 else set()
    assert cursor is None
    assert len(there) == 12
    assert 0 < len(touched) < 12
    others = [one for one in seen if one not in touched]
    assert sorted(others) == sorted(set(there) - touched)


def last_of(read: Read) -> str:
    """The cursor of the last page."""
    cursor = None
    while (page := read(cursor=cursor, limit=3)).next_cursor is not None:
        cursor = page.next_cursor
    assert cursor is not None
    return cursor


def ids(page: Page[Any]) -> list[Any]:
    """What the rows are known by."""
    return [getattr(row, "hand_pk", None) or getattr(row, "pk", None) or row.id
            for row in page.rows]  # fmt: skip
