"""Two rows of each kind of evidence that takes more than one act to come about."""

from __future__ import annotations

from django.utils import timezone

from audit.models import Hand, RecordClass
from audit.selectors.access import Access
from audit.selectors.rulesets import forget_rulesets
from audit.services.erasing import erase_person
from audit.services.retention import begin_run, continue_run
from audit.services.rulesets_force import put_in_force, take_back_switch
from tests.audit.logs import B, Ingest, W, changed, log
from tests.audit.reauditing import NAMED, OTHER, reaudited
from tests.audit.rulesets import publish, revision
from tests.audit.test_verifying import tamper

AGED = ("aged-1", "aged-2")
FORGOTTEN = ("forgotten-1", "forgotten-2")


def take_in_what_becomes_rare(ingest: Ingest) -> None:
    """Hands that are of age, hands of people to be erased, and lines that wait for a ruleset.

    Before anything is sealed: when a hand was received is part of its leaf.
    """
    ingest(log(*(changed(B, source=source, hand_id=source) for source in AGED)))
    tamper(
        "SET CONSTRAINTS ALL IMMEDIATE",
        "UPDATE audit_handversion SET created_at = created_at - interval '11 years' WHERE hand_id"
        f" IN (SELECT id FROM audit_hand WHERE source IN {AGED})",
        "SET CONSTRAINTS ALL DEFERRED",
    )
    ingest(log(*(changed(W, source=source, hand_id=source) for source in FORGOTTEN)))
    ingest(log(*(changed(B, hand_id=f"waits {n}", ruleset=OTHER) for n in range(2))))


def make_rare_rows(author: Access, approver: Access) -> None:
    """Two of each: a published ruleset, a switch, an admission, a retention run with its batch and
    its deletions, an erasure with its rows."""
    publish(author, approver, revision(2, rake_rate='"0.06"'))
    publish(author, approver, revision(3, rake_rate='"0.07"'))
    switch = put_in_force(
        access=approver, source="here", ruleset=NAMED, reason="agreed",
        effective_at=timezone.now(),
    )  # fmt: skip
    take_back_switch(access=approver, switch_pk=switch, reason="not so")
    forget_rulesets()
    assert reaudited(refused_lines="waiting").admitted_count == 2
    for source in AGED:
        run = begin_run(
            access=author, record_class=RecordClass.HANDS, source=source, reason=f"{source} is old"
        )
        assert continue_run(run_id=run).items == 1
    for source in FORGOTTEN:
        name = Hand.objects.get(source=source).players[0]
        erase_person(
            access=author, source=source, name=name, reason=f"{source} asked", ground="GDPR 17"
        )
