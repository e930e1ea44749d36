"""One act on many cases, after a preview, and its undoing.

The preview (selectors.desk_queue.preview_bulk) lists the cases with the revision that was seen.
What is done is done to exactly these: a case that changed meanwhile is left out and named.
Undoing is a further act on each case; one that somebody touched since stays as it is, named too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from audit.models import ActKind, BulkAct, Case, CaseAct
from audit.selectors.access import Sources
from audit.selectors.belonging import holds
from audit.services.desk.acting import Standing, locked_case, reason_of, write_act
from audit.services.desk.deciding import (
    assign_locked,
    decide_locked,
    reopen_locked,
    withdraw_locked,
)
from audit.services.desk.errors import CaseNotFound, DeskConflict, DeskRefused
from replay import say

# As many as one form can send: DATA_UPLOAD_MAX_NUMBER_FIELDS, less its other fields.
CASES_MAX = 90
KINDS = (ActKind.ASSIGNED, ActKind.DECIDED, ActKind.WITHDRAWN, ActKind.REOPENED)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkDone:
    """`left_out` are the cases that were not touched, each with the reason in words."""

    bulk_id: int | None
    done: tuple[int, ...]
    left_out: tuple[tuple[int, str], ...]


def act_in_bulk(
    *,
    sources: Sources,
    user: User,
    kind: str,
    seen: Mapping[int, int],
    reason: str,
    decision: str = "",
    to: User | None = None,
) -> BulkDone:
    """Do one thing to these cases; `seen` has the revision of each that the preview showed.

    Raises: DeskRefused when the act itself makes no sense.
    """
    reason = reason_of(reason)
    if kind not in KINDS:
        raise DeskRefused(say("Choose what to do with the cases."))
    if kind == ActKind.ASSIGNED and to is None:
        raise DeskRefused(say("Choose whom to assign the cases to."))
    if not 1 <= len(seen) <= CASES_MAX:
        raise DeskRefused(say("Choose 1 to {cases_max} cases.", cases_max=CASES_MAX))
    done, left_out = [], []
    with transaction.atomic():
        bulk = BulkAct.objects.create(kind=kind, actor=user, reason=reason, case_count=len(seen))
        # In the order of their keys, as everything that locks several cases.
        for case_id, revision in sorted(seen.items()):
            try:
                case = locked_case(case_id, sources=sources, revision=revision)
                _act(case, kind, user=user, reason=reason, decision=decision, to=to, bulk=bulk)
            except (DeskConflict, CaseNotFound) as error:
                left_out.append((case_id, str(error)))
            else:
                done.append(case_id)
    return BulkDone(bulk_id=bulk.pk, done=tuple(done), left_out=tuple(left_out))


def _act(
    case: Case,
    kind: str,
    *,
    user: User,
    reason: str,
    decision: str,
    to: User | None,
    bulk: BulkAct,
) -> CaseAct:
    if kind == ActKind.ASSIGNED:
        assert to is not None
        return assign_locked(case, user=user, to=to, note=reason, bulk=bulk)
    if kind == ActKind.DECIDED:
        return decide_locked(case, user=user, decision=decision, reason=reason, bulk=bulk)
    if kind == ActKind.WITHDRAWN:
        return withdraw_locked(case, user=user, reason=reason, bulk=bulk)
    return reopen_locked(case, user=user, reason=reason, bulk=bulk)


def undo_bulk(*, bulk_id: int, sources: Sources, user: User, reason: str) -> BulkDone:
    """Take a bulk act back: each case stands again as it did before it.

    Raises: CaseNotFound; DeskConflict when it was undone before or is an undoing itself.
    """
    reason = reason_of(reason)
    with transaction.atomic():
        bulk = BulkAct.objects.filter(pk=bulk_id).first() if bulk_id > 0 else None
        if bulk is None:
            raise CaseNotFound(f"There is no bulk act {bulk_id}.")
        acts = list(CaseAct.objects.filter(bulk=bulk).select_related("case").order_by("case_id"))
        if not all(holds(sources, act.case.source) for act in acts):
            raise CaseNotFound(f"There is no bulk act {bulk_id}.")
        cases = [locked_case(act.case_id, sources=sources) for act in acts]
        if bulk.undoes_id is not None or BulkAct.objects.filter(undoes=bulk).exists():
            raise DeskConflict(say("This has been undone already."))
        undoing = BulkAct.objects.create(
            kind=ActKind.UNDONE, actor=user, reason=reason, case_count=len(acts), undoes=bulk
        )
        return _undo(acts, cases, undoing, user=user, reason=reason)


def _undo(
    acts: Sequence[CaseAct],
    cases: Sequence[Case],
    undoing: BulkAct,
    *,
    user: User,
    reason: str,
) -> BulkDone:
    done, left_out = [], []
    for act, case in zip(acts, cases, strict=True):
        if case.revision != act.number:
            left_out.append((case.pk, f"{case} was changed since; it stays as it is."))
            continue
        before = CaseAct.objects.get(case=case, number=act.number - 1)
        after = Standing(
            state=before.state,
            decision=before.decision,
            assignee_id=before.assignee_id,
            taken_until=before.taken_until,
        )
        write_act(
            case, ActKind.UNDONE, actor=user, after=after, text=reason, bulk=undoing, undoes=act
        )
        done.append(case.pk)
    return BulkDone(bulk_id=undoing.pk, done=tuple(done), left_out=tuple(left_out))
