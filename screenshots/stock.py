"""What the pictures show, brought in by the services as a user would; it runs beside Django.

`python -m screenshots.stock` wants a worker, a store that holds the sample logs, and in
TILECOURT_PICTURES_PASSWORD the password that the accounts get. It prints the keys of what the
pictures show as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402 - Django must stand first
from django.core.management import call_command  # noqa: E402

from audit import services  # noqa: E402
from audit.models import (  # noqa: E402
    Case,
    Certificate,
    CertificateRun,
    Chunk,
    Hand,
    Reaudit,
    ReauditState,
    ReportRun,
    TableTouch,
    Upload,
)
from audit.selectors.access import EVERYTHING, access_of  # noqa: E402
from audit.selectors.reaudits_report import list_changes  # noqa: E402
from audit.selectors.reports_asking import read_request  # noqa: E402
from audit.selectors.reports_definitions import definition_of  # noqa: E402
from audit.services import certifying, desk  # noqa: E402
from audit.services.granting import grant_everything  # noqa: E402
from audit.services.players import note_players  # noqa: E402
from audit.services.reports import request_report  # noqa: E402
from screenshots.aside import Aside  # noqa: E402

FEED = Path(__file__).with_name("feed.json")
WAIT_SECONDS = 240
PLAYED_HAND = {
    "tien_gow": "tg-20240517-0412",
    "pai_gow": "bs-7741-2",
    "wenzhou": "wz-L2-009931",
}
# A player complains of this one. Of another case the remedy waits for a second person.
CLAIMED = "bs-7741-2"
CERTIFIED = "banker-pai-gow-T3-3"


def stock() -> dict[str, int | str]:
    """Bring everything in; gives the keys of what the pictures show."""
    ines = _account("ines.castro")
    jun = _account("jun.lee")
    aside = Aside(ines=access_of(ines), jun=access_of(jun))
    with FEED.open("rb") as stream:
        services.receive_feed(
            name="records-2024-05-17.json",
            stream=stream,
            feed="ky-730",
            source="harbour-feed",
            user=ines,
        )
    _until_quiet()
    while not desk.gather_cases().is_done:
        pass
    while note_players(seconds=20):
        pass
    keys: dict[str, int | str]
    keys = {name: Hand.objects.get(hand_id=hand).pk for name, hand in PLAYED_HAND.items()}
    keys["feed"] = Hand.objects.get(source="harbour-feed").pk
    keys["upload"] = Upload.objects.get(name="simulated-banker-pai-gow.ndjson").pk
    keys |= _disputes(ines, jun) | _certificates(ines) | _reaudit(ines) | _report(ines)
    keys |= aside.bring(hand=Hand.objects.get(hand_id=PLAYED_HAND["tien_gow"]), until=_until_ended)
    call_command("seal", stdout=sys.stderr)
    return keys


def _account(name: str) -> User:
    made = User.objects.create_user(name, password=os.environ["TILECOURT_PICTURES_PASSWORD"])
    grant_everything(access=EVERYTHING, account_id=made.pk)
    return made


def _until_quiet() -> None:
    """Wait until the worker has judged and compared all. Raises: TimeoutError."""
    limit = time.monotonic() + WAIT_SECONDS
    while Chunk.objects.exclude(state="done").exists() or TableTouch.objects.exists():
        if time.monotonic() > limit:
            raise TimeoutError("The worker did not come to an end with the sample logs.")
        time.sleep(0.5)


def _disputes(ines: User, jun: User) -> dict[str, int]:
    hand = Hand.objects.get(hand_id=CLAIMED)
    claim = desk.enter_claim(
        user=ines,
        complaint=desk.Complaint(
            player="李四",
            claimed_at=hand.played_at + timedelta(hours=20),
            text="The rake of the hand that I banked is a cent too much.",
            amount="91.54",
            hand_ids=(hand.pk,),
        ),
        sources=None,
    )
    case = claim.case_id
    desk.take_case(case_id=case, user=ines, sources=None)
    desk.comment_case(
        case_id=case,
        user=ines,
        text="4.8175 was rounded up; this house rounds the rake down.",
        hand_id=hand.pk,
        step=20,
        sources=None,
    )
    remedy = _remedy(ines, exclude={case})
    others = Case.objects.filter(state="open", hand_count__gt=0).exclude(pk=case).order_by("pk")
    seen = dict(others.values_list("pk", "revision")[:3])
    done = desk.act_in_bulk(
        user=ines, kind="assigned", seen=seen, reason="One evening, one room", to=jun, sources=None
    )
    assert done.bulk_id is not None, "each of these cases is open and free"
    return {
        "claim": claim.pk,
        "case": case,
        "bulk": done.bulk_id,
        "remedy": remedy,
    }


def _remedy(ines: User, exclude: set[int]) -> int:
    """Decide the case in which most players are owed something, and propose to pay them."""
    owed = {
        case: sum(one.amount_minor > 0 for one in desk.open_differences(case))
        for case in Case.objects.filter(state="open").order_by("pk").values_list("pk", flat=True)
        if case not in exclude
    }
    case = max(owed, key=owed.__getitem__)
    desk.take_case(case_id=case, user=ines, sources=None)
    desk.decide_case(
        case_id=case,
        user=ines,
        decision="operator",
        reason="The room booked other figures than its own rules give.",
        sources=None,
    )
    return desk.propose_remedy(
        case_id=case, user=ines, reason="Pay what is owed.", scope=desk.Scope.OWED, sources=None
    ).pk


def _certificates(ines: User) -> dict[str, int]:
    hand = Hand.objects.get(hand_id=CERTIFIED)
    run = certifying.request_certificates(day=hand.played_at.date(), user=ines, sources=None)
    limit = time.monotonic() + WAIT_SECONDS
    while CertificateRun.objects.get(pk=run).finished_at is None:
        if time.monotonic() > limit:
            raise TimeoutError("The certificates were not made.")
        time.sleep(0.5)
    certificate = Certificate.objects.get(run_id=run, table=hand.table)
    return {"run": run, "certificate": certificate.pk}


def _reaudit(ines: User) -> dict[str, int]:
    key = services.open_reaudit(
        user=ines,
        reason="What the rules of Helic would give",
        query={"game": "tien-gow"},
        ruleset="tien-gow/helic@1",
        sources=None,
    )
    _until_ended(key)
    first = list_changes(key).rows[0]
    return {"reaudit": key, "version": first.version_pk, "rejudged": first.hand_pk}


def _until_ended(reaudit: int) -> None:
    limit = time.monotonic() + WAIT_SECONDS
    while Reaudit.objects.get(pk=reaudit).state in (ReauditState.GATHERING, ReauditState.RUNNING):
        if time.monotonic() > limit:
            raise TimeoutError("The re-audit did not end.")
        time.sleep(0.5)


def _report(ines: User) -> dict[str, int]:
    """A report of all that was played; its run is in the pictures, too."""
    access, definition = access_of(ines), definition_of("game-performance")
    query = {"basis": "life-to-date", "to": "2026-12-31"}
    asked = read_request(definition, query, access)
    run = request_report(definition=definition, asked=asked, access=access)
    limit = time.monotonic() + WAIT_SECONDS
    while (made := ReportRun.objects.get(pk=run)).report_id is None:
        if time.monotonic() > limit:
            raise TimeoutError(f"The report was not made: {made.error}")
        time.sleep(0.5)
    return {"report": made.report_id, "report_run": run}


if __name__ == "__main__":
    print(json.dumps(stock()))
