"""One operator's share of the store: something of each kind, and where it is found."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit import services
from audit.models import (
    ApiToken,
    Case,
    Certificate,
    Chunk,
    Hand,
    ReauditResult,
    ReportKind,
    ReportRun,
    RulesetRevision,
    SavedFilter,
)
from audit.models.retention import RecordClass
from audit.models.sharing import ShareLink
from audit.selectors.access import access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import DEFINITIONS
from audit.services import desk
from audit.services.certifying import continue_run, request_certificates
from audit.services.players import decide_names, note_players
from audit.services.reports import continue_report, request_report
from audit.services.retention import begin_run, place_hold
from audit.services.retention import continue_run as finish_retention
from audit.services.rulesets_rehearsing import rehearse_ruleset
from audit.services.saved_filters import save_filter
from audit.services.sharing import create_share_link
from audit.services.webhooks import create_webhook
from tests.audit.desk.wrong import wrong
from tests.audit.logs import log
from tests.audit.reauditing import engine, without_rake
from tests.audit.reauditing import run as judge
from tests.audit.rulesets import add, revision

PLAYERS = ("Ann", "Bo", "Cy", "Di")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """`keys` has a value for each name that stands in an address, and all that is posted by it;
    `marks` are texts that nobody else may read."""

    source: str
    keys: Mapping[str, Any]
    marks: tuple[str, ...]


def hand_of(source: str, name: str, **fields: Any) -> bytes:
    """A hand of the operator whose net is wrong, with players and a table of its own."""
    hand = json.loads(wrong(f"{source}-{name}", source=source, table=f"{source}-T1", **fields))
    for entry in hand["seats"]:
        entry["player"] = player_of(source, entry["player"])
    return json.dumps(hand, ensure_ascii=False).encode()


def player_of(source: str, name: str) -> str:
    return f"{source}-{name}"


def hand_in(user: Any, name: str, *lines: bytes) -> int:
    """Take lines in and judge them here; gives the upload."""
    data = log(*lines)
    upload = services.receive_upload(name=name, stream=io.BytesIO(data), user=user).upload_id
    for chunk in Chunk.objects.filter(upload_id=upload).order_by("number"):
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    return upload


def operator_of(source: str, *, first: Any, second: Any) -> Operator:
    """Fill the store with everything that one source can have, by two people."""
    lines = [hand_of(source, name) for name in ("1", "2")]
    refused = json.dumps({**json.loads(hand_of(source, "3")), "events": "none"}).encode()
    upload = hand_in(first, f"{source}.ndjson", *lines, refused)
    # Another record of a hand, and names that look alike.
    other = hand_of(source, "2").replace(b'"table"', b'"ext":{"note":1},"table"', 1)
    written = json.dumps(source, ensure_ascii=False)[1:-1]
    alike = hand_of(source, "4").replace(f"{written}-Ann".encode(), f"{written}-Аnn".encode())
    hand_in(first, f"{source}-again.ndjson", other, alike, lines[0])
    assert not note_players(seconds=240)
    names = (player_of(source, "Ann"), f"{source}-Аnn")
    decide_names(
        sources=None, source=source, name=names[0], other=names[1], is_one=False,
        reason=f"{source} looked", user=first,
    )  # fmt: skip
    hand = Hand.objects.get(source=source, hand_id=f"{source}-1")
    keys = {"hand": hand.pk, "upload": upload, "source": source, "verdict": hand.verdict_id}
    keys |= _judged_again(source, first)
    keys |= _at_the_desk(hand, first, second)
    certified = request_certificates(
        sources=None, day=hand.played_on, source=source, table=hand.table, user=first
    )
    assert not continue_run(run_id=certified)
    create_share_link(
        access=access_of(first), hand=hand.pk, viewpoint="seat-1", hours=1, reason=f"for {source}"
    )
    save_filter(account_id=second.pk, name=f"{source} only", query={"source": source})
    keys |= _reported(source, hand, first)
    keys["retention-run"] = begin_run(
        access=access_of(first), record_class=RecordClass.HANDS, source=source, reason=f"{source}?"
    )
    assert finish_retention(run_id=keys["retention-run"]).items == 0
    keys["hold"] = place_hold(access=access_of(first), source=source, reason=f"{source} asked")
    keys["hook"] = create_webhook(
        access=access_of(first),
        name=f"{source} hook",
        url=f"https://{re.sub('[^a-z]', '', source)}.example/",
        sources=[source],
    ).pk
    services.create_token(name=f"{source} robot", days=1, account=second.get_username())
    keys |= {
        "key": ApiToken.objects.get(name=f"{source} robot").pk,
        "run": certified,
        "certificate": Certificate.objects.get(source=source).pk,
        "link": ShareLink.objects.get(hand=hand.pk).pk,
        "saved": SavedFilter.objects.get(name=f"{source} only").pk,
    }
    return Operator(source=source, keys=keys, marks=(source,))


def draft_of(user: Any, number: int = 2) -> dict[str, Any]:
    """A draft of a ruleset that was rehearsed, by what stands for it in an address."""
    access = access_of(user)
    row = RulesetRevision.objects.get(pk=add(access, revision(number, rake_rate='"0.06"')))
    rehearsal = rehearse_ruleset(access=access, name=row.name, reason="before it is asked for")
    return {"sha256": row.sha256.hex(), "rehearsal": rehearsal}


def _at_the_desk(hand: Hand, first: Any, second: Any) -> dict[str, int]:
    """A claim, a bulk act, a decision, a remedy that a second person approved."""
    assert desk.gather_cases().is_done
    case = Case.objects.get(hands__hand_id=hand.pk, hands__left_at=None)
    player = hand.players[1]
    claim = desk.enter_claim(
        sources=None,
        user=first,
        complaint=desk.Complaint(
            player=player,
            claimed_at=hand.played_at,
            text=f"{hand.source} was wrong",
            hand_ids=(hand.pk,),
        ),
    )
    case.refresh_from_db()
    bulk = desk.act_in_bulk(
        sources=None,
        user=first,
        kind="decided",
        seen={case.pk: case.revision},
        reason=f"{hand.source} again",
        decision="operator",
    )
    assert bulk.done == (case.pk,)
    remedy = desk.propose_remedy(
        sources=None, case_id=case.pk, user=first, reason="owed", scope=desk.Scope.ALL
    )
    desk.approve_remedy(sources=None, remedy_id=remedy.pk, user=second)
    desk.export_remedy(sources=None, remedy_id=remedy.pk, user=second)
    assert bulk.bulk_id is not None
    return {"case": case.pk, "claim": claim.pk, "bulk": bulk.bulk_id, "remedy": remedy.pk}


def _judged_again(source: str, user: Any) -> dict[str, int]:
    with engine(alter=without_rake):
        reaudit = services.open_reaudit(
            user=user, sources=None, reason=f"{source} doubts", query={"source": source}
        )
        assert judge(reaudit).state == "done"
    changed = ReauditResult.objects.filter(reaudit_id=reaudit, is_changed=True).first()
    assert changed is not None
    return {"reaudit": reaudit, "version": changed.version_id}


def _reported(source: str, hand: Hand, user: Any) -> dict[str, int]:
    access = access_of(user)
    definition = DEFINITIONS[ReportKind.PERFORMANCE]
    query = {"source": source, "to": hand.played_on.isoformat()}
    made = request_report(
        definition=definition, asked=read_request(definition, query, access), access=access
    )
    assert not continue_report(run_id=made)
    run = ReportRun.objects.get(pk=made)
    assert run.report_id is not None, run.error
    return {"report-run": made, "made-report": run.report_id, "made": run.report_id}
