"""Setting terms and holds, and running a retention: what is of age is deleted, and on record.

The database refuses what is not due, and a run that only one person stands for (migrations 0028,
0050): nothing here could delete it by mistake. A run goes batch by batch, each in one transaction,
and may be stopped and gone on with at any time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
from django.db import connection, transaction
from django.utils import timezone

from audit.models import (
    Case,
    Hand,
    HoldEnd,
    LegalHold,
    RecordClass,
    RetentionRun,
    RetentionState,
    RetentionTerm,
    TermUnit,
)
from audit.selectors.access import Access, Act
from audit.selectors.retention import DEFAULTS, deleted_leaves, term_in_force, term_words
from audit.selectors.retention_due import Scope, scope_of
from audit.services.journal import record
from audit.services.retention_deleting import delete_batch
from audit.services.sealing import seal
from audit.services.texts import written
from replay import say

ITEMS_AT_ONCE = 500
REASON_MAX = 2_000
# No source has a longer name (FORMAT 6.2).
SOURCE_MAX = 128
COUNT_MAX = 36_500
# Any number will do; with the number of a run it is ours alone in this database.
LOCK = 0x7E7E
FORMAT = "retention-certificate/1"

Progress = Callable[[int, int], None]
_ENCODER = msgspec.json.Encoder(order="deterministic")


class RetentionRefused(Exception):
    """Something that cannot be as things stand; the text is a sentence."""


def set_term(
    *,
    access: Access,
    record_class: RecordClass,
    source: str | None,
    count: int,
    unit: TermUnit,
    reason: str,
) -> int:
    """Keep a class of a source (None: of each source without a term of its own) for so long.

    The terms before stay on record. Raises: RetentionRefused.
    """
    by = _who(access, source)
    if source is not None and len(source) > SOURCE_MAX:
        raise RetentionRefused(say("There is no such source."))
    if not 1 <= count <= COUNT_MAX:
        raise RetentionRefused(say("A term counts from 1 to {count_max:,}.", count_max=COUNT_MAX))
    with transaction.atomic():
        term = RetentionTerm.objects.create(
            source=source,
            record_class=record_class,
            count=count,
            unit=unit,
            reason=_reason(reason),
            set_by_id=by,
        )
        _note(access, f"retention-term:{term.pk}", source)
    return term.pk


def place_hold(
    *, access: Access, source: str, hand_id: str = "", case: int | None = None, reason: str
) -> int:
    """Keep a hand, a case with its hands, or all of a source, whatever its age.

    `hand_id` is the id in the log. Raises: RetentionRefused.
    """
    by = _who(access, source)
    if hand_id and case is not None:
        raise RetentionRefused(say("A hold is on one hand, on one case, or on a whole source."))
    hand = None
    if hand_id:
        found = Hand.objects.filter(source=source, hand_id=hand_id)
        hand = found.values_list("pk", flat=True).first()
        if hand is None:
            raise RetentionRefused(say("There is no such hand in this source."))
    if case is not None and not Case.objects.filter(pk=case, source=source).exists():
        raise RetentionRefused(say("There is no such case in this source."))
    with transaction.atomic():
        hold = LegalHold.objects.create(
            source=source, hand_id=hand, case_id=case, reason=_reason(reason), placed_by_id=by
        )
        _note(access, f"legal-hold:{hold.pk}", source, hand)
    return hold.pk


def lift_hold(*, access: Access, hold: int, reason: str) -> None:
    """End a hold. Raises: RetentionRefused, LegalHold.DoesNotExist."""
    with transaction.atomic():
        held = LegalHold.objects.select_for_update().get(pk=hold)
        by = _who(access, held.source)
        if HoldEnd.objects.filter(hold=held).exists():
            raise RetentionRefused(say("The hold was lifted already."))
        HoldEnd.objects.create(hold=held, reason=_reason(reason), lifted_by_id=by)
        _note(access, f"legal-hold:{hold}", held.source, held.hand_id)


def begin_run(
    *,
    access: Access,
    record_class: RecordClass,
    source: str | None,
    reason: str,
    cutoff_at: datetime | None = None,
) -> int:
    """Begin a run over what was received before `cutoff_at`, as the term allows where it is None.

    Raises: RetentionRefused where the date has not come, or such a run is not done; and for whoever
    set the term: nobody shortens one and deletes by it alone.
    """
    by = _who(access, source)
    term = term_in_force(record_class, source)
    if term.term is not None and RetentionTerm.objects.filter(pk=term.term, set_by_id=by).exists():
        # Runs are begun by the command alone, which speaks English.
        raise RetentionRefused("Whoever set a term does not delete by it: ask somebody else.")
    cutoff = term.cutoff_at if cutoff_at is None else cutoff_at
    if cutoff > term.cutoff_at:
        raise RetentionRefused(
            say(
                "The date has not come: {lower} are kept for {term_words}, so only what was"
                " received before {told} may go.",
                lower=record_class.label.lower(),
                term_words=term.words,
                told=_told(term.cutoff_at),
            )
        )
    going = RetentionRun.objects.filter(record_class=record_class, source=source)
    if (other := going.exclude(state=RetentionState.DONE).first()) is not None:
        raise RetentionRefused(
            say("Retention run {pk} over the same is not done: go on with it.", pk=other.pk)
        )
    with transaction.atomic():
        run = RetentionRun.objects.create(
            record_class=record_class,
            source=source,
            term_id=term.term,
            cutoff_at=cutoff,
            reason=_reason(reason),
            asked_by_id=by,
        )
        _note(access, f"retention-run:{run.pk}", source)
    return run.pk


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDone:
    """What a run deleted, and how many items it left for which reason."""

    run: int
    items: int
    leaves: int
    root: str
    kept: dict[str, int]


def continue_run(*, run_id: int, on_progress: Progress | None = None) -> RunDone:
    """Run a retention to its end; whatever stops it, it may be gone on with.

    `on_progress` hears how many items were looked at, and how many there are.
    Raises: RetentionRefused, RetentionRun.DoesNotExist; as `seal` does.
    """
    with _alone(run_id):
        run = RetentionRun.objects.get(pk=run_id)
        if run.state == RetentionState.DONE:
            raise RetentionRefused(say("Retention run {run_id} is done.", run_id=run_id))
        term = term_in_force(RecordClass(run.record_class), run.source)
        if run.cutoff_at > term.cutoff_at:
            raise RetentionRefused(
                say(
                    "A longer term was set since: {term_words}. What was received before"
                    " {told} is not yet of age.",
                    term_words=term.words,
                    told=_told(run.cutoff_at),
                )
            )
        _set_state(run_id, RetentionState.RUNNING)
        # What has no leaf yet could not be proven to have been there.
        seal()
        try:
            kept = _delete(run, on_progress)
        except BaseException:
            _set_state(run_id, RetentionState.STOPPED)
            raise
        done = _finish(run_id, kept)
        seal()
        return done


def _delete(run: RetentionRun, on_progress: Progress | None) -> Counter[str]:
    scope = scope_of(
        RecordClass(run.record_class),
        run.source,
        run.cutoff_at,
        deleter=run.asked_by_id,
        since=run.started_at,
    )
    whole, looked = scope.count(), 0
    kept: Counter[str] = Counter()
    for batch in _batches(scope):
        due = [item for item, because in batch if because is None]
        kept += Counter(because for _, because in batch if because is not None)
        if due:
            delete_batch(run_id=run.pk, items=due)
        looked += len(batch)
        if on_progress is not None:
            on_progress(looked, max(whole, looked))
    return kept


def _batches(scope: Scope) -> Iterator[list[tuple[int, str | None]]]:
    # A case may wait for a later one that is due as well: one at a time, the newest first.
    return scope.batches(1 if scope.record_class == RecordClass.CASES else ITEMS_AT_ONCE)


def _finish(run_id: int, kept: Counter[str]) -> RunDone:
    """Write the certificate of what was deleted, and end the run."""
    leaves, root = deleted_leaves(run_id)
    with transaction.atomic():
        run = RetentionRun.objects.select_for_update(of=("self",)).get(pk=run_id)
        run.state, run.finished_at = RetentionState.DONE, timezone.now()
        run.leaf_count, run.root = leaves, root
        run.certificate = _ENCODER.encode(
            {
                "format": FORMAT,
                "run": run_id,
                "class": run.record_class,
                "source": run.source,
                "term": _term_of(run),
                "received_before": _told(run.cutoff_at),
                "reason": run.reason,
                "asked_by": run.asked_by.get_username(),
                "started_at": _told(run.started_at),
                "finished_at": _told(run.finished_at),
                "deleted": run.item_count,
                "rows": run.counts,
                "leaves": leaves,
                "root": root.hex(),
                "kept": dict(kept),
            }
        ).decode()
        run.sha256 = hashlib.sha256(run.certificate.encode()).digest()
        run.save(
            update_fields=["state", "finished_at", "leaf_count", "root", "certificate", "sha256"]
        )
    return RunDone(
        run=run_id, items=run.item_count, leaves=leaves, root=root.hex(), kept=dict(kept)
    )


def _term_of(run: RetentionRun) -> str:
    if run.term is None:
        return term_words(*DEFAULTS[RecordClass(run.record_class)])
    return term_words(run.term.count, run.term.unit)


def _set_state(run_id: int, state: RetentionState) -> None:
    RetentionRun.objects.filter(pk=run_id).update(state=state, touched_at=timezone.now())


@contextmanager
def _alone(run_id: int) -> Iterator[None]:
    """Hold the lock of a run, so that only one goes on with it. Raises: RetentionRefused."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCK, run_id])
        (is_ours,) = cursor.fetchone()
    if not is_ours:
        raise RetentionRefused(
            say("Retention run {run_id} is going on elsewhere at this moment.", run_id=run_id)
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK, run_id])


def _who(access: Access, source: str | None) -> int:
    """The account that acts. Raises: RetentionRefused where it may not."""
    sources = access.sources(Act.MANAGE_RETENTION)
    if access.account_id is None:
        raise RetentionRefused(say("Somebody must do this: name an account."))
    if sources is not None and (source is None or source not in sources):
        raise RetentionRefused(
            say("This account may not say how long records of this source are kept.")
        )
    return access.account_id


def _reason(text: str) -> str:
    reason = written(text)
    if not reason:
        raise RetentionRefused(say("A reason is needed."))
    if len(reason) > REASON_MAX or "\x00" in reason:
        raise RetentionRefused(
            say(
                "A reason has at most {reason_max:,} characters, and no NUL.", reason_max=REASON_MAX
            )
        )
    return reason


def _note(access: Access, subject: str, source: str | None, hand: int | None = None) -> None:
    record(access=access, act=Act.MANAGE_RETENTION, subject=subject, source=source, hand=hand)


def _told(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
