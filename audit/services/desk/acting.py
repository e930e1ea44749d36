"""Writing one act, and the case as it stands after it: nothing else changes a case."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from audit.models import ActKind, Case, CaseAct, CaseState
from audit.models.desk import AUDIT_ACTS
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.services.desk.errors import CaseNotFound, DeskConflict, DeskRefused
from audit.services.texts import storable, written
from replay import capital, say

TEXT_MAX = 4_000
KEY_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a case stands: what an act may change."""

    state: str
    decision: str
    assignee_id: int | None
    taken_until: datetime | None

    @classmethod
    def of(cls, case: Case) -> Standing:
        return cls(
            state=case.state,
            decision=case.decision,
            assignee_id=case.assignee_id,
            taken_until=case.taken_until,
        )


def locked_case(case_id: int, *, sources: Sources, revision: int | None = None) -> Case:
    """Lock a case of these sources for this transaction.

    `revision` is the newest act of a person that the caller has seen. Raises: CaseNotFound;
    DeskConflict when somebody acted since.
    """
    if not 1 <= case_id <= KEY_MAX:
        raise CaseNotFound(f"There is no case {case_id}.")
    cases = Case.objects.select_for_update(no_key=True).filter(in_sources(sources))
    case = cases.filter(pk=case_id).first()
    if case is None:
        raise CaseNotFound(f"There is no case {case_id}.")
    if revision is not None and revision != case.revision:
        raise DeskConflict(
            say("Somebody else was quicker: {in_words}.", in_words=in_words(case)), case_id=case.pk
        )
    return case


# What an act asks for.
A_REASON = say("a reason")
A_NOTE = say("a note, or leave it empty")


def in_words(case: Case) -> str:
    """How the case stands now, in words: what a refused act needs to be told."""
    newest = case.acts.select_related("actor").order_by("-number").first()
    by = say(" by {name}", name=newest.actor.get_username()) if newest and newest.actor else ""
    if case.state == CaseState.DECIDED:
        decision = case.get_decision_display()
        return say("{case} is decided as “{decision}”{by}", case=case, decision=decision, by=by)
    if case.state == CaseState.WITHDRAWN:
        return say("{case} is withdrawn{by}", case=case, by=by)
    if case.assignee is not None:
        name = case.assignee.get_username()
        return say("{case} is open and with {name}", case=case, name=name)
    return say("{case} is open", case=case)


def require_open(case: Case) -> None:
    """Raises: DeskConflict when the case is closed."""
    if case.state != CaseState.OPEN:
        raise DeskConflict(
            say("{standing}.", standing=capital(in_words(case))),
            case_id=case.pk,
        )


def is_others(case: Case, user: User, now: datetime | None = None) -> bool:
    """Tell whether the case is in somebody else's hands; a lock that ran out holds nobody."""
    if case.assignee_id is None or case.assignee_id == user.pk:
        return False
    return case.taken_until is None or case.taken_until > (now or timezone.now())


def require_free(case: Case, user: User) -> None:
    """Raises: DeskConflict when somebody else has the case."""
    if is_others(case, user):
        assert case.assignee is not None
        until = (
            say(" until {time} UTC", time=f"{case.taken_until:%H:%M}") if case.taken_until else ""
        )
        raise DeskConflict(
            say(
                "{case} is with {name}{until}.",
                case=case,
                name=case.assignee.get_username(),
                until=until,
            ),
            case_id=case.pk,
        )


def reason_of(text: str, *, what: str = A_REASON) -> str:
    """The text of an act. Raises: DeskRefused when there is none, or too much."""
    text = written(text)
    if not text:
        raise DeskRefused(say("Give {what}.", what=what))
    if len(text) > TEXT_MAX:
        raise DeskRefused(say("Write at most {text_max} characters.", text_max=TEXT_MAX))
    if storable(text, TEXT_MAX) != text:
        raise DeskRefused(say("The text has characters that cannot be stored."))
    return text


def note_of(text: str) -> str:
    """A note that may be left out, empty then; one of blanks alone is none. Raises: DeskRefused."""
    return reason_of(text, what=A_NOTE) if text else ""


def write_act(
    case: Case,
    kind: ActKind,
    *,
    actor: User | None,
    after: Standing | None = None,
    at: datetime | None = None,
    **fields: Any,
) -> CaseAct:
    """Add the act and bring the locked case to where it stands after it."""
    after = after or Standing.of(case)
    case.act_count += 1
    act = CaseAct.objects.create(
        case=case,
        number=case.act_count,
        kind=kind,
        actor=actor,
        created_at=at or timezone.now(),
        state=after.state,
        decision=after.decision,
        assignee_id=after.assignee_id,
        taken_until=after.taken_until,
        **fields,
    )
    case.state, case.decision = after.state, after.decision
    case.assignee_id, case.taken_until = after.assignee_id, after.taken_until
    if kind not in AUDIT_ACTS:
        case.revision = case.act_count
    case.save(
        update_fields=["state", "decision", "assignee", "taken_until", "act_count", "revision"]
    )
    return act
