"""A person named in everything that somebody, or the service, may write a name into."""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db import transaction

import replay
from audit.models import (
    AcceptedSoftware,
    BulkAct,
    Case,
    CaseAct,
    CaseAmount,
    CaseHand,
    Chunk,
    Claim,
    Erasure,
    FeedDrift,
    Hand,
    HoldEnd,
    Incident,
    JournalEntry,
    LegalHold,
    NameDecision,
    Reaudit,
    ReauditAmount,
    ReauditBatch,
    ReauditFault,
    RecordClass,
    Remedy,
    RemedyEntry,
    Rename,
    ReportRun,
    RetentionTerm,
    Review,
    RulesetRevision,
    RulesetSwitch,
    SavedFilter,
    ShareLink,
    Upload,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from audit.selectors.access import access_of
from audit.services.desk.remedies import export_remedy
from audit.services.retention import begin_run, continue_run
from tests.audit.rulesets import revision

THEN = datetime(2026, 3, 1, tzinfo=UTC)

# Where the name stands afterwards, beside what the hands themselves bring.
WRITTEN = {
    "audit_acceptedsoftware.reason", "audit_bulkact.reason", "audit_caseact.text",
    "audit_caseamount.player", "audit_chunk.error", "audit_claim.player", "audit_claim.text",
    "audit_erasure.ground", "audit_erasure.reason",
    "audit_feeddrift.example", "audit_holdend.reason", "audit_incident.detail",
    "audit_incident.place", "audit_journal.detail", "audit_journal.player",
    "audit_journal.subject", "audit_legalhold.reason", "audit_namedecision.name",
    "audit_namedecision.reason", "audit_reaudit.error", "audit_reaudit.filter",
    "audit_reaudit.filter_text", "audit_reaudit.reason", "audit_reauditamount.player",
    "audit_reauditbatch.error", "audit_reauditfault.reason", "audit_remedy.reason",
    "audit_remedyentry.player", "audit_remedyexport.csv", "audit_remedyexport.json",
    "audit_rename.old_name", "audit_reportrun.error", "audit_reportrun.parameters",
    "audit_retentionrun.certificate", "audit_retentionrun.reason", "audit_retentionterm.reason",
    "audit_review.note", "audit_rulesetrevision.close_reason",
    "audit_rulesetrevision.publish_reason", "audit_rulesetrevision.reason",
    "audit_rulesetrevision.unrehearsed_reason", "audit_rulesetswitch.reason",
    "audit_savedfilter.name", "audit_savedfilter.query", "audit_sharelink.reason",
    "audit_upload.error", "audit_upload.restatement", "audit_webhookattempt.answer",
    "audit_webhookattempt.error", "audit_webhookdelivery.body",
}  # fmt: skip


def name_everywhere(source: str, name: str, hand: Hand, by: User, second: User) -> None:
    """Write down what names the person in every table that has such a text."""
    _desk(source, name, hand, by, second)
    _rules(source, name, by, second)
    _keeping(source, name, by, second)
    _erased(source, name, by)
    _reaudits(source, name, hand, by)
    _others(source, name, hand, by)


def _desk(source: str, name: str, hand: Hand, by: User, second: User) -> None:
    with transaction.atomic():
        case = Case.objects.create(source=source, opened_at=THEN, due_at=THEN)
        bulk = BulkAct.objects.create(
            kind="commented", actor=by, reason=f"{name} again", case_count=1
        )
        CaseAct.objects.create(
            case=case, number=1, kind="commented", actor=by, text=f"{name} called", state="open",
            bulk=bulk,
        )  # fmt: skip
        CaseAct.objects.create(
            case=case, number=2, kind="decided", actor=by, state="decided", decision="player"
        )
        case.state, case.decision, case.act_count = "decided", "player", 2
        case.save()
    member = CaseHand.objects.create(
        case=case, hand=hand, verdict_id=hand.verdict_id, played_at=hand.played_at,
        table=hand.table, currency="CNY", minor_digits=2, at_risk_minor=0, is_known=True,
        left_at=THEN,
    )  # fmt: skip
    CaseAmount.objects.create(member=member, player=name)
    Claim.objects.create(
        case=case, source=source, player=name, claimed_at=THEN, deadline_at=THEN,
        text=f"I, {name}, won", entered_by=by,
    )  # fmt: skip
    with transaction.atomic():
        remedy = Remedy.objects.create(case=case, reason=f"pay {name}", proposed_by=by)
        for position, (account, player, amount) in enumerate(
            (("player", name, 700), ("house", "", -700))
        ):
            RemedyEntry.objects.create(
                remedy=remedy, position=position, account=account, player=player, currency="CNY",
                minor_digits=2, amount_minor=amount,
            )  # fmt: skip
    remedy.state, remedy.settled_by, remedy.settled_at = "approved", second, THEN
    remedy.save()
    export_remedy(remedy_id=remedy.pk, user=second, sources=None)
    NameDecision.objects.create(
        source=source, name=min(name, "~"), other=max(name, "~"), is_one=True,
        reason=f"{name} said so", made_by=by,
    )  # fmt: skip


def _rules(source: str, name: str, by: User, second: User) -> None:
    for number in (2, 3):
        content = revision(number)
        known = replay.read_ruleset(content, where="a test")
        ruleset = RulesetRevision.objects.create(
            ruleset_id=known.name.partition("@")[0], revision=number, name=known.name,
            game=known.game, title="t", content=content,
            sha256=hashlib.sha256(content).digest(), author=by, reason=f"as {name} asked",
        )  # fmt: skip
        if number == 2:
            ruleset.state, ruleset.publication = "published", 1
            ruleset.published_by, ruleset.published_at = second, THEN
            ruleset.publish_reason = f"{name} is right"
            ruleset.unrehearsed_reason = f"only {name} plays by it"
        else:
            ruleset.state, ruleset.closed_by, ruleset.closed_at = "withdrawn", by, THEN
            ruleset.close_reason = f"{name} took it back"
        ruleset.save()
    RulesetSwitch.objects.create(
        source=source, game="g", ruleset_id="x", kind="end", effective_at=THEN, declared_by=second,
        reason=f"{name} is gone",
    )  # fmt: skip


def _keeping(source: str, name: str, by: User, second: User) -> None:
    hold = LegalHold.objects.create(source=source, reason=f"{name} sues", placed_by=by)
    HoldEnd.objects.create(hold=hold, reason=f"{name} settled", lifted_by=by)
    RetentionTerm.objects.create(
        source=source, record_class="hands", count=20, unit="year", reason=f"for {name}", set_by=by
    )
    run = begin_run(
        access=access_of(second), record_class=RecordClass.JOURNAL, source=source,
        reason=f"{name} asked",
    )  # fmt: skip
    continue_run(run_id=run)


def _erased(source: str, name: str, by: User) -> None:
    """Of somebody else, in an act that is done."""
    act = Erasure.objects.create(
        source=source, token=f"#{'0' * 40}", reason=f"a friend of {name}", ground=f"{name} asked",
        asked_by=by,
    )  # fmt: skip
    act.state, act.finished_at = "done", THEN
    act.save()


def _reaudits(source: str, name: str, hand: Hand, by: User) -> None:
    reaudit = Reaudit.objects.create(
        requested_by=by, reason=f"{name} doubts it", filter={"player": name, "source": source},
        filter_text=f"player {name}", named="", ruleset="", rulesets={}, engine="e", hand_max=0,
        state="partly", error=f"{name} could not be read", finished_at=THEN,
    )  # fmt: skip
    batch = ReauditBatch.objects.create(
        reaudit=reaudit, rows=[], state="failed", error=f"KeyError: {name!r}"
    )
    ReauditFault.objects.create(
        reaudit=reaudit, version_id=hand.version_id, reason=f"KeyError: {name!r}"
    )
    ReauditAmount.objects.create(
        reaudit=reaudit, batch=batch, source=source, table=hand.table, player=name, currency="CNY",
        minor_digits=2, hand_count=1,
    )  # fmt: skip


def _others(source: str, name: str, hand: Hand, by: User) -> None:
    upload = Upload.objects.get(pk=hand.version.upload_id)
    Upload.objects.filter(pk=upload.pk).update(error=f"{name} is twice in it")
    Chunk.objects.create(
        upload=upload, number=99, first_line=1, line_count=0, payload=b"", state="failed",
        error=f"KeyError: {name!r}",
    )  # fmt: skip
    FeedDrift.objects.create(
        source=source, feed="f", field="nick", count=1, upload=upload, line=1,
        example=json.dumps(name),
    )  # fmt: skip
    Rename.objects.create(
        source=source, table=hand.table, seat=0, old_name=name, new_name="new", hand=hand
    )
    Incident.objects.create(kind="altered", place=f"hand of {name}", detail=f"{name} was another")
    Review.objects.create(kind="journal", reviewed_by=by, note=f"{name} was looked at by all")
    AcceptedSoftware.objects.create(
        actor=by, reason=f"{name} showed the fault", engine="e", items={}, sha256=b"x"
    )
    ShareLink.objects.create(
        hand=hand, viewpoint="public", reason=f"for {name}", prefix="x", sha256=bytes(32),
        created_by=by, expires_at=datetime(2099, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    SavedFilter.objects.create(account=by, name=f"{name}'s", query=urlencode({"player": name}))
    for where in (source, None):
        JournalEntry.objects.create(
            actor="ann", act="see-hands", source=where, player=name,
            subject=f"GET hands?{urlencode({'player': name})}", detail={"asked": {"player": name}},
        )  # fmt: skip
    ReportRun.objects.create(
        kind="player-statement", basis="day", first=date(2025, 3, 1), last=date(2025, 3, 1),
        parameters={"source": source, "player": name}, asked_by=by, state="failed",
        error=f"{name} has too many hands",
    )  # fmt: skip
    _webhook(source, name, by)


def _webhook(source: str, name: str, by: User) -> None:
    hook = Webhook.objects.create(
        name="Room 1", url="https://example.org/", secret="s", next_leaf=0, created_by=by, owner=by
    )
    told: dict[str, Any] = {"leaf": 10**9, "source": source, "subject": name}
    body = json.dumps({"type": "findings", "findings": [told]}, ensure_ascii=False)
    delivery = WebhookDelivery.objects.create(
        id=uuid.uuid4(), webhook=hook, first_leaf=10**9, finding_count=1, body=body
    )
    WebhookAttempt.objects.create(
        delivery=delivery, number=1, status=400, error=f"{name}?", answer=body, took_ms=1
    )
