"""The life of a ruleset: handed in, rehearsed, published by a second person, retired or withdrawn.

Who wrote a revision cannot publish it, and nothing is published that was not rehearsed unless the
approver says why. The database refuses the same (migration 0028).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Max
from django.utils import timezone

import replay
from audit.models import RulesetRevision, RulesetState
from audit.selectors.access import Access, Act
from audit.selectors.rulesets import current_rulesets, file_rulesets, ruleset_of_row
from audit.selectors.rulesets_revisions import Proof, proof_of
from audit.services.journal import record
from audit.services.texts import storable, written

REASON_MAX = 500
TITLE_MAX = 500
# FORMAT 6.2, 14: an integer of the format.
REVISION_MAX = 2**53 - 1


class RulesetRefused(ValueError):
    """A ruleset that cannot be handed in, or an act that cannot be done; a sentence for the reader.

    `problems` has what is wrong with a file, by its place; empty where the file is not to blame.
    """

    def __init__(self, sentence: str, problems: tuple[replay.RulesetProblem, ...] = ()) -> None:
        super().__init__(sentence)
        self.problems = problems


class SecondPersonNeeded(RulesetRefused):
    """Whoever wrote a revision asks to publish it, or to put it in force."""


def add_ruleset(*, access: Access, content: bytes, reason: str) -> int:
    """Keep the exact bytes of a ruleset file as a draft; gives its number.

    Raises: RulesetRefused, with the place of everything that is wrong with the file.
    """
    author = actor_of(access, Act.WRITE_RULESETS)
    reason = reason_of(reason)
    ruleset = _read(content)
    with transaction.atomic():
        _lock()
        _check_name(ruleset)
        row = RulesetRevision.objects.create(
            ruleset_id=ruleset.id,
            revision=ruleset.revision,
            name=ruleset.name,
            game=ruleset.game,
            title=storable(ruleset.title, TITLE_MAX),
            content=content,
            sha256=bytes.fromhex(ruleset.sha256),
            author_id=author,
            reason=reason,
        )
        note(access, Act.WRITE_RULESETS, row.name, "handed in", reason)
    return row.pk


def check_new_ruleset(content: bytes) -> replay.Ruleset:
    """What a file says, if it could be handed in now. Raises: RulesetRefused, as `add_ruleset`."""
    ruleset = _read(content)
    _check_name(ruleset)
    return ruleset


def _read(content: bytes) -> replay.Ruleset:
    """Raises: RulesetRefused, with the place of everything that is wrong."""
    problems = replay.ruleset_problems(content)
    if problems:
        words = (
            replay.say("1 thing is")
            if len(problems) == 1
            else replay.say("{count} things are", count=len(problems))
        )
        raise RulesetRefused(
            replay.say("This is no ruleset: {words} wrong with it.", words=words), problems
        )
    ruleset = replay.read_ruleset(content)
    if ruleset.revision > REVISION_MAX:
        raise RulesetRefused(
            replay.say("The revision is above {revision_max}.", revision_max=REVISION_MAX)
        )
    return ruleset


def _check_name(ruleset: replay.Ruleset) -> None:
    """Raises: RulesetRefused where the name is taken, by these bytes or by others."""
    known = current_rulesets().get(ruleset.name) or file_rulesets().get(ruleset.name)
    if known is not None:
        if known.sha256 == ruleset.sha256:
            raise RulesetRefused(
                replay.say(
                    "{ruleset_name} is known already, with these very bytes.",
                    ruleset_name=ruleset.name,
                )
            )
        raise RulesetRefused(
            replay.say(
                "{ruleset_name} is known already with other bytes, and a published revision"
                " is never edited: give the change a new revision.",
                ruleset_name=ruleset.name,
            )
        )
    draft = RulesetRevision.objects.filter(name=ruleset.name, state=RulesetState.DRAFT).first()
    if draft is not None:
        is_same = bytes(draft.sha256).hex() == ruleset.sha256
        raise RulesetRefused(
            replay.say(
                "There is a draft of {ruleset_name} already, with {value} bytes: withdraw"
                " it first.",
                ruleset_name=ruleset.name,
                value="these very" if is_same else "other",
            )
        )
    others = {one.game for one in current_rulesets() if one.id == ruleset.id}
    if others - {ruleset.game}:
        raise RulesetRefused(
            replay.say("{id} is a ruleset of another game, {min}.", id=ruleset.id, min=min(others))
        )


def approve_ruleset(
    *, access: Access, revision_pk: int, reason: str, unrehearsed_reason: str = ""
) -> int:
    """Publish a draft: from now on hands that name it are judged by it. Gives its publication.

    It relies on the latest rehearsal of these very bytes that has ended and judged at least one
    hand; where there is none, or one of fewer hands than are wanted, `unrehearsed_reason` must say
    why.
    Raises: RulesetRefused; SecondPersonNeeded for whoever wrote it.
    """
    approver = actor_of(access, Act.APPROVE_RULESETS)
    _check_reach(access)
    reason = reason_of(reason)
    with transaction.atomic():
        _lock()
        row = _row(revision_pk, RulesetState.DRAFT, "published")
        if row.author_id == approver:
            raise SecondPersonNeeded(
                replay.say("Whoever wrote a ruleset cannot publish it: ask somebody else.")
            )
        proof = proof_of(ruleset_of_row(row), sources=None)
        _check_proof(row.name, proof, unrehearsed_reason)
        filed = file_rulesets().get(row.name)
        if filed is not None and filed.sha256 != bytes(row.sha256).hex():
            raise RulesetRefused(
                replay.say(
                    "A file of this service says otherwise what {row_name} is.", row_name=row.name
                )
            )
        last = RulesetRevision.objects.aggregate(last=Max("publication"))["last"] or 0
        _change(
            row,
            state=RulesetState.PUBLISHED,
            publication=last + 1,
            published_by_id=approver,
            published_at=timezone.now(),
            publish_reason=reason,
            rehearsal_id=proof.rehearsal_id,
            rehearsed_of=proof.could,
            unrehearsed_reason="" if proof.is_enough else reason_of(unrehearsed_reason),
        )
        tried = {"rehearsed": proof.rehearsed, "rehearsed_of": proof.could}
        note(access, Act.APPROVE_RULESETS, row.name, "published", reason, more=tried)
    return last + 1


def _check_proof(name: str, proof: Proof, why: str) -> None:
    """Raises: RulesetRefused where too little was rehearsed and nobody says why that is enough."""
    if proof.is_enough or written(why):
        return
    if proof.rehearsal_id is None:
        raise RulesetRefused(
            replay.say(
                "{row_name} was not rehearsed with these bytes: rehearse it, or say why"
                " it is published without.",
                row_name=name,
            )
        )
    raise RulesetRefused(
        replay.say(
            "{row_name} was rehearsed on {rehearsed:,} of {could:,} hands, where {wanted:,} are"
            " wanted: rehearse more, or say why so few are enough.",
            row_name=name,
            rehearsed=proof.rehearsed,
            could=proof.could,
            wanted=proof.wanted,
        )
    )


def withdraw_ruleset(*, access: Access, revision_pk: int, reason: str) -> None:
    """Take a draft back; its name is free again. Raises: RulesetRefused."""
    act = Act.WRITE_RULESETS
    _close(access, act, revision_pk, (RulesetState.DRAFT, RulesetState.WITHDRAWN), reason)


def retire_ruleset(*, access: Access, revision_pk: int, reason: str) -> None:
    """Let no source put a published revision in force any more; hands that name it are judged by it
    as before. Raises: RulesetRefused."""
    act = Act.APPROVE_RULESETS
    _check_reach(access)
    _close(access, act, revision_pk, (RulesetState.PUBLISHED, RulesetState.RETIRED), reason)


def _check_reach(access: Access) -> None:
    """What is published may be named by a hand of any source. Raises: RulesetRefused."""
    if access.sources(Act.APPROVE_RULESETS) is not None and access.may(Act.APPROVE_RULESETS):
        raise RulesetRefused(
            replay.say(
                "What is published holds for every source, and you approve rules for some only."
            )
        )


def _close(
    access: Access,
    act: Act,
    revision_pk: int,
    states: tuple[RulesetState, RulesetState],
    reason: str,
) -> None:
    who, reason = actor_of(access, act), reason_of(reason)
    before, after = states
    with transaction.atomic():
        _lock()
        row = _row(revision_pk, before, str(after.value))
        now = timezone.now()
        _change(row, state=after, closed_by_id=who, closed_at=now, close_reason=reason)
        note(access, act, row.name, str(after.value), reason)


def _lock() -> None:
    """One change of rulesets at a time: two would not see each other's names and numbers."""
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE audit_rulesetrevision IN SHARE ROW EXCLUSIVE MODE")


def _row(revision_pk: int, state: RulesetState, becomes: str) -> RulesetRevision:
    row = RulesetRevision.objects.filter(pk=revision_pk).first()
    if row is None:
        raise RulesetRefused(replay.say("There is no such ruleset."))
    if row.state != state:
        raise RulesetRefused(
            replay.say(
                "{row_name} is {lower} and cannot be {becomes}.",
                row_name=row.name,
                lower=row.get_state_display().lower(),
                becomes=becomes,
            )
        )
    return row


def _change(row: RulesetRevision, **values: str | int | datetime | None) -> None:
    fields: dict[str, Any] = dict(values)
    try:
        RulesetRevision.objects.filter(pk=row.pk).update(**fields)
    except IntegrityError as error:
        raise RulesetRefused(
            replay.say("The store refuses it: {why}", why=str(error).splitlines()[0])
        ) from error


def note(
    access: Access,
    act: Act,
    name: str,
    done: str,
    reason: str,
    *,
    source: str | None = None,
    more: Mapping[str, int] | None = None,
) -> None:
    """Write an act on a ruleset into the journal."""
    detail = {"done": done, "reason": reason, **(more or {})}
    record(access=access, act=act, subject=f"ruleset:{name}", source=source, detail=detail)


def actor_of(access: Access, act: Act) -> int:
    """The account that does an act. Raises: RulesetRefused without one, or without the role."""
    if access.account_id is None:
        raise RulesetRefused(replay.say("Rulesets change by somebody's hand: name an account."))
    if not access.may(act):
        raise RulesetRefused(
            replay.say(
                "{access_name} has no role that may do this ({act_value}).",
                access_name=access.name,
                act_value=act.value,
            )
        )
    return access.account_id


def reason_of(reason: str) -> str:
    """A reason as it is kept. Raises: RulesetRefused."""
    reason = written(reason)
    if not reason:
        raise RulesetRefused(replay.say("Say why: the reason stays on record."))
    if len(reason) > REASON_MAX:
        raise RulesetRefused(
            replay.say("The reason is longer than {reason_max} characters.", reason_max=REASON_MAX)
        )
    if storable(reason, REASON_MAX) != reason:
        raise RulesetRefused(replay.say("The reason holds a character that cannot be kept."))
    return reason
