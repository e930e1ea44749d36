"""What each list of the API holds, and what comes and changes while somebody walks over it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from audit import services
from audit.models import Case, Chunk, Hand, Remedy, RemedyState, ReportKind, Upload
from audit.selectors.access import access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import DEFINITIONS
from audit.services import desk
from audit.services.certifying import continue_run, request_certificates
from audit.services.players import decide_names, note_players
from audit.services.reports import continue_report, request_report
from tests.api.conftest import World
from tests.audit.desk.wrong import wrong
from tests.audit.reauditing import engine, many, reaudited, start, without_rake
from tests.audit.test_judging import break_the_core
from tests.audit.test_players import at_table
from tests.web.lines import PAI_GOW, changed, with_net

DAY = date(2025, 3, 1)


# Fills a list; gives what its address needs. Then each step of it brings something, or changes it.
Arrivals = Callable[[World], Iterator[dict[str, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """`rows` is where the rows of an answer stand, `keys` by what one is known."""

    rows: str
    arrivals: Arrivals
    keys: tuple[str, ...] = ("id",)
    query: str = ""


def bad(name: str, **fields: Any) -> bytes:
    return with_net(changed(PAI_GOW, **{"hand_id": name, **fields}), 1, "-99.00")


def moved(year: int) -> dict[str, str]:
    """Fields of a hand that began in another year than the others."""
    return {"started_at": f"{year}-01-01T00:00:00Z",
            "ended_at": f"{year}-01-01T00:01:00Z"}  # fmt: skip


def hands(world: World) -> Iterator[dict[str, int]]:
    """Hands come, played earlier and later; one that was told and one that was not begin anew."""
    world.stored(*(bad(f"h{number:02}") for number in range(12)))
    yield {}
    for number in itertools.count():
        world.stored(bad(f"late-{number}"), bad(f"early-{number}", **moved(2020)))
        for one in (f"h{number:02}", f"h{11 - number:02}"):
            world.restate(bad(one, **moved(2020 + 15 * (number % 2))))
        yield {}


def uploads(world: World) -> Iterator[dict[str, int]]:
    for number in itertools.count(-10):
        if number >= 0:
            yield {}
        world.stored(changed(PAI_GOW, hand_id=f"u{number}"))


def refused(world: World) -> Iterator[dict[str, int]]:
    """A log whose parts end in another order than they came in."""
    world.settings.TILECOURT_CHUNK_LINES_MAX = 4
    assert world.send(b"\n".join([b"{}"] * 40)).status_code == 201
    upload = Upload.objects.latest("pk").pk
    parts = list(Chunk.objects.filter(upload_id=upload).order_by("number"))
    assert len(parts) == 10
    for part in (parts[1], parts[4], parts[8]):
        world.judge(pk=part.pk)
    yield {"upload": upload}
    for part in (parts[0], parts[6], parts[3], parts[9], parts[2], parts[5], parts[7]):
        world.judge(pk=part.pk)
        yield {}
    while True:
        yield {}


def sources_with_cases(world: World) -> Iterator[str]:
    for number in itertools.count():
        source = f"s{number}"
        world.stored(wrong("1", source=source), wrong("2", source=source))
        assert desk.gather_cases().is_done
        yield source


def cases(world: World) -> Iterator[dict[str, int]]:
    coming = sources_with_cases(world)
    for _ in range(10):
        next(coming)
    yield {}
    while True:
        next(coming)
        told, waiting = Case.objects.latest("pk"), Case.objects.earliest("pk")
        for case in (told, waiting):
            if case.state == "open":
                desk.decide_case(
                    case_id=case.pk, user=world.account, decision="operator", reason="x",
                    sources=None,
                )  # fmt: skip
            else:
                desk.reopen_case(case_id=case.pk, user=world.account, reason="x", sources=None)
        yield {}


def case_hands(world: World) -> Iterator[dict[str, int]]:
    """Hands join; others get another verdict by the same cause, or another time."""
    world.stored(*(bad(f"h{number:02}") for number in range(12)))
    assert desk.gather_cases().is_done
    (case,) = Case.objects.all()
    yield {"case": case.pk}
    for number in itertools.count():
        world.stored(bad(f"late-{number}"), bad(f"early-{number}", **moved(2020)))
        for one in (f"h{number:02}", f"h{11 - number:02}"):
            world.restate(bad(one, **moved(2020 + 15 * (number % 2))))
        with engine(f"9.0.{number}"):
            reaudited(reason=f"{number}")
        assert desk.gather_cases().is_done
        yield {}


def case_hands_left(world: World) -> Iterator[dict[str, int]]:
    """Hands that turn out right leave their case."""
    names = [f"h{number:03}" for number in range(120)]
    world.stored(*map(bad, names))
    assert desk.gather_cases().is_done
    (case,) = Case.objects.all()
    for place in itertools.count():
        right = [changed(PAI_GOW, hand_id=one) for one in names[place % 12 :: 12]]
        world.restate(b"\n".join(right))
        assert desk.gather_cases().is_done
        yield {"case": case.pk}


def case_acts(world: World) -> Iterator[dict[str, int]]:
    next(sources_with_cases(world))
    (case,) = Case.objects.all()
    for number in itertools.count(-10):
        if number >= 0:
            yield {"case": case.pk}
        desk.comment_case(case_id=case.pk, user=world.account, text=f"{number}", sources=None)


def claims(world: World) -> Iterator[dict[str, int]]:
    world.stored(bad("claimed"))
    hand = Hand.objects.get()
    for number in itertools.count(-10):
        if number >= 0:
            yield {}
        said = desk.Complaint(
            player=hand.players[1], claimed_at=hand.played_at, text=f"{number}",
            hand_ids=(hand.pk,),
        )  # fmt: skip
        desk.enter_claim(user=world.account, complaint=said, sources=None)


def remedies(world: World) -> Iterator[dict[str, int]]:
    """Remedies are proposed; one that was told and one that was not are approved."""
    coming = sources_with_cases(world)
    for number in itertools.count(-10):
        if number >= 0:
            yield {}
            open_ones = Remedy.objects.filter(state=RemedyState.PROPOSED)
            for one in (open_ones.latest("pk"), open_ones.earliest("pk")):
                desk.approve_remedy(remedy_id=one.pk, user=world.other, sources=None)
        case = Case.objects.get(source=next(coming))
        desk.decide_case(
            case_id=case.pk, user=world.account, decision="operator", reason="x", sources=None
        )
        desk.propose_remedy(
            case_id=case.pk, user=world.account, reason="so", scope=desk.Scope.ALL, sources=None
        )


def reaudits(world: World) -> Iterator[dict[str, int]]:
    world.stored(PAI_GOW)
    for number in itertools.count(-10):
        if number >= 0:
            yield {}
        reaudited(reason=f"{number}")


def reaudit_changes(world: World) -> Iterator[dict[str, int]]:
    """A re-audit runs; of two batches the one behind is done before."""
    world.settings.TILECOURT_REAUDIT_BATCH_MAX = 4
    world.stored(*many(60))
    with engine(alter=without_rake):
        job = start()
        for _ in range(4):
            services.work_on_reaudit(reaudit_id=job)
        while True:
            yield {"reaudit": job}
            services.work_on_reaudit(reaudit_id=job)


def reaudit_aside(world: World) -> Iterator[dict[str, int]]:
    world.settings.TILECOURT_REAUDIT_BATCH_MAX = 4
    lines = many(60)
    world.stored(*lines)
    job = start()
    with pytest.MonkeyPatch.context() as broken:
        break_the_core(broken, *(f"h{number}" for number in range(60)))
        for _ in range(4):
            services.work_on_reaudit(reaudit_id=job)
        while True:
            yield {"reaudit": job}
            services.work_on_reaudit(reaudit_id=job)


def certificates(world: World) -> Iterator[dict[str, int]]:
    for number in itertools.count(-2):
        if number >= 0:
            yield {}
        world.stored(
            *(
                changed(PAI_GOW, hand_id=f"{number}-{table}", table=f"T{table}")
                for table in range(9)
            )
        )
        run = request_certificates(day=DAY, user=world.account, sources=None)
        while continue_run(run_id=run):
            pass


def players(world: World) -> Iterator[dict[str, int]]:
    for number in itertools.count(-5):
        if number >= 0:
            yield {}
        line = changed(PAI_GOW, hand_id=f"p{number}")
        world.stored(line.replace(b'"Bo"', f'"Bo {number}"'.encode()))
        assert not note_players(seconds=60)


def renames(world: World) -> Iterator[dict[str, int]]:
    for number in itertools.count(-8):
        if number >= 0:
            yield {}
        lines = at_table([f"Ling {number}", f"Lang {number}"])
        lines = lines.replace(b'"h-', f'"h{number}-'.encode()).replace(b'"T1"', b'"T%d"' % number)
        world.stored(*lines.splitlines())
        assert not note_players(seconds=60)


def name_decisions(world: World) -> Iterator[dict[str, int]]:
    world.stored(*at_table(["Ling", "Ling2"]).splitlines())
    assert not note_players(seconds=60)
    for number in itertools.count(-8):
        if number >= 0:
            yield {}
        decide_names(
            source="odd", name="Ling", other="Ling2", is_one=number % 2 == 0, reason=f"{number}",
            user=world.account, sources=None,
        )  # fmt: skip


def reports(world: World) -> Iterator[dict[str, int]]:
    world.stored(PAI_GOW)
    definition, access = DEFINITIONS[ReportKind.PERFORMANCE], access_of(world.account)
    for number in itertools.count(-8):
        if number >= 0:
            yield {}
        day = (DAY + timedelta(days=number)).isoformat()
        asked = read_request(definition, {"to": day}, access)
        run = request_report(definition=definition, asked=asked, access=access)
        while continue_report(run_id=run):
            pass


def journal(world: World) -> Iterator[dict[str, int]]:
    """Whoever reads the journal is written into it."""
    world.stored(PAI_GOW)
    for number in itertools.count(-10):
        if number >= 0:
            yield {}
        world.send(PAI_GOW)


# By the name of the address. The second of an address has another query.
LISTS: dict[str, tuple[Walked, ...]] = {
    "api-uploads": (Walked(rows="uploads", arrivals=uploads),),
    "api-upload-refused": (Walked(rows="refused", arrivals=refused, keys=("line",)),),
    "api-hands": (Walked(rows="hands", arrivals=hands),),
    "api-findings": (Walked(rows="hands", arrivals=hands, keys=("hand",)),),
    "api-verdicts": (Walked(rows="hands", arrivals=hands, keys=("hand",)),),
    "api-cases": (Walked(rows="cases", arrivals=cases),),
    "api-case-hands": (
        Walked(rows="hands", arrivals=case_hands, keys=("hand",)),
        Walked(rows="hands", arrivals=case_hands_left, keys=("hand",), query="left=1"),
    ),
    "api-case-acts": (Walked(rows="acts", arrivals=case_acts, keys=("number",)),),
    "api-claims": (Walked(rows="claims", arrivals=claims),),
    "api-remedies": (Walked(rows="remedies", arrivals=remedies),),
    "api-reaudits": (Walked(rows="reaudits", arrivals=reaudits),),
    "api-reaudit-changes": (Walked(rows="changes", arrivals=reaudit_changes, keys=("hand_id",)),),
    "api-reaudit-aside": (Walked(rows="aside", arrivals=reaudit_aside, keys=("hand_id",)),),
    # Where a newer one comes, the place is still told once.
    "api-certificates": (
        Walked(rows="certificates", arrivals=certificates, keys=("source", "table", "day")),
        Walked(rows="certificates", arrivals=certificates, keys=("url",), query="all=1"),
    ),
    "api-players": (Walked(rows="players", arrivals=players, keys=("source", "name")),),
    "api-renames": (Walked(rows="renames", arrivals=renames, keys=("old_name", "new_name")),),
    "api-name-decisions": (Walked(rows="decisions", arrivals=name_decisions, keys=("reason",)),),
    "api-reports": (Walked(rows="reports", arrivals=reports, keys=("number",)),),
    "api-journal": (Walked(rows="entries", arrivals=journal),),
}
