"""What a person does with one case: take, hand back, assign, comment, decide, reopen, withdraw.

Each keeps to cases of `sources`, and is one transaction that locks the case, refuses what does not
fit how it stands, and adds one act. Raises throughout: CaseNotFound, DeskRefused, DeskConflict.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from audit.models import ActKind, Case, CaseAct, CaseState, Decision, Hand
from audit.selectors.access import Act, Sources, access_of
from audit.selectors.belonging import in_sources
from audit.selectors.desk_queue import next_case
from audit.services.desk.acting import (
    Standing,
    in_words,
    locked_case,
    note_of,
    reason_of,
    require_free,
    require_open,
    write_act,
)
from audit.services.desk.errors import DeskConflict, DeskRefused
from replay import say

STEP_MAX = 5_000


def take_next(*, sources: Sources, user: User) -> int | None:
    """Take the first case of these sources that nobody has; None where there is none.

    Two people never get one case: each locks its row, and passes over rows that are locked.
    """
    now = timezone.now()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(*next_case(now, sources=sources))
            found = cursor.fetchone()
        if found is None:
            return None
        case = locked_case(found[0], sources=sources)
        _take(case, user)
        return case.pk


def take_case(*, case_id: int, sources: Sources, user: User, revision: int | None = None) -> None:
    """Take this case, or prolong the own lock."""
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        require_open(case)
        require_free(case, user)
        _take(case, user)


def _take(case: Case, user: User) -> None:
    now = timezone.now()
    if case.assignee_id is not None and case.assignee_id != user.pk:
        # Only a lock that ran out comes here; that it did is on record, too.
        nobody = _standing(case, assignee_id=None, taken_until=None)
        write_act(case, ActKind.LAPSED, actor=None, after=nobody, at=now)
    until = now + timedelta(minutes=settings.TILECOURT_TAKE_MINUTES)
    after = _standing(case, assignee_id=user.pk, taken_until=until)
    write_act(case, ActKind.TAKEN, actor=user, after=after, at=now)


def _standing(case: Case, **changes: object) -> Standing:
    fields = {
        "state": case.state,
        "decision": case.decision,
        "assignee_id": case.assignee_id,
        "taken_until": case.taken_until,
    }
    return Standing(**(fields | changes))  # type: ignore[arg-type]


def release_case(
    *,
    case_id: int,
    sources: Sources,
    user: User,
    revision: int | None = None,
    note: str = "",
) -> None:
    """Hand a case back to the queue, with a note for whoever takes it next where there is one."""
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        require_open(case)
        if case.assignee_id != user.pk:
            raise DeskConflict(
                say("It is not yours: {in_words}.", in_words=in_words(case)), case_id=case.pk
            )
        text = note_of(note)
        after = _standing(case, assignee_id=None, taken_until=None)
        write_act(case, ActKind.RELEASED, actor=user, after=after, text=text)


def assign_case(
    *,
    case_id: int,
    sources: Sources,
    user: User,
    to: User,
    revision: int | None = None,
    note: str = "",
) -> None:
    """Give a case to a person for good; who has it now need not agree, but it is on record."""
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        assign_locked(case, user=user, to=to, note=note)


def assign_locked(case: Case, *, user: User, to: User, note: str = "", **fields: Any) -> CaseAct:
    require_open(case)
    if not to.is_active:
        raise DeskRefused(
            say("The account {get_username} is not active.", get_username=to.get_username())
        )
    if not access_of(to).may_in(Act.WORK_CASES, case.source):
        raise DeskRefused(
            say(
                "{get_username} does not work on cases of this source.",
                get_username=to.get_username(),
            )
        )
    text = note_of(note)
    after = _standing(case, assignee_id=to.pk, taken_until=None)
    return write_act(case, ActKind.ASSIGNED, actor=user, after=after, text=text, **fields)


def comment_case(
    *,
    case_id: int,
    sources: Sources,
    user: User,
    text: str,
    hand_id: int | None = None,
    step: int | None = None,
) -> None:
    """Say something about a case, also a closed one, and point to a step of a hand."""
    text = reason_of(text, what=say("a comment"))
    if step is not None and (hand_id is None or not 0 <= step <= STEP_MAX):
        raise DeskRefused(say("A step belongs to a hand, and counts from 0."))
    hands = Hand.objects.filter(in_sources(sources))
    if hand_id is not None and not hands.filter(pk=hand_id).exists():
        raise DeskRefused(say("The comment points to a hand that is not stored."))
    with transaction.atomic():
        case = locked_case(case_id, sources=sources)
        write_act(case, ActKind.COMMENTED, actor=user, text=text, hand_id=hand_id, step=step)


def decide_case(
    *,
    case_id: int,
    sources: Sources,
    user: User,
    decision: str,
    reason: str,
    revision: int | None = None,
) -> None:
    """Decide an open case that nobody else has. `revision`: see `locked_case`."""
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        decide_locked(case, user=user, decision=decision, reason=reason)


def decide_locked(case: Case, *, user: User, decision: str, reason: str, **fields: Any) -> CaseAct:
    require_open(case)
    require_free(case, user)
    if decision not in Decision.values:
        raise DeskRefused(say("Choose a decision."))
    after = Standing(state=CaseState.DECIDED, decision=decision, assignee_id=None, taken_until=None)
    text = reason_of(reason)
    return write_act(case, ActKind.DECIDED, actor=user, after=after, text=text, **fields)


def reopen_case(
    *, case_id: int, sources: Sources, user: User, reason: str, revision: int | None = None
) -> None:
    """Open a closed case again. What was decided stays in its history."""
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        reopen_locked(case, user=user, reason=reason)


def reopen_locked(case: Case, *, user: User, reason: str, **fields: Any) -> CaseAct:
    if case.state == CaseState.OPEN:
        raise DeskConflict(
            say("It is not closed: {in_words}.", in_words=in_words(case)), case_id=case.pk
        )
    after = Standing(state=CaseState.OPEN, decision="", assignee_id=None, taken_until=None)
    text = reason_of(reason)
    return write_act(case, ActKind.REOPENED, actor=user, after=after, text=text, **fields)


def withdraw_case(
    *, case_id: int, sources: Sources, user: User, reason: str, revision: int | None = None
) -> None:
    """Close an open case without a decision."""
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        withdraw_locked(case, user=user, reason=reason)


def withdraw_locked(case: Case, *, user: User, reason: str, **fields: Any) -> CaseAct:
    require_open(case)
    require_free(case, user)
    after = Standing(state=CaseState.WITHDRAWN, decision="", assignee_id=None, taken_until=None)
    text = reason_of(reason)
    return write_act(case, ActKind.WITHDRAWN, actor=user, after=after, text=text, **fields)
