"""What is in force at a source from when: said, ended, taken back. Only ever added to.

Who wrote a revision does not put it in force anywhere; the database refuses the same.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime

from django.db import transaction

import replay
from audit.models import RulesetRevision, RulesetState, RulesetSwitch, SwitchKind
from audit.selectors.access import Access, Act
from audit.selectors.rulesets import current_rulesets
from audit.services.outcomes import instant_of
from audit.services.rulesets import RulesetRefused, SecondPersonNeeded, actor_of, note, reason_of
from audit.services.texts import storable

NAME_MAX = 128


def put_in_force(
    *, access: Access, source: str, ruleset: str, effective_at: datetime, reason: str
) -> int:
    """Say that a published revision is in force at a source from a time on; gives the switch.

    Any other revision of its id ends there at that time. A time in the past is no fault: when it
    was said is kept beside it. Verdicts that stand stay as they are.
    Raises: RulesetRefused; SecondPersonNeeded for whoever wrote the revision.
    """
    who = _actor_in(access, source)
    reason = reason_of(reason)
    source = _source(source)
    _check_time(effective_at)
    with transaction.atomic():
        known = current_rulesets().get(ruleset)
        if known is None:
            raise RulesetRefused(replay.say("{ruleset} is not published.", ruleset=ruleset))
        stored = RulesetRevision.objects.filter(name=ruleset).exclude(state=RulesetState.WITHDRAWN)
        row = stored.select_for_update().first()
        if row is not None and row.author_id == who:
            raise SecondPersonNeeded(
                replay.say("Whoever wrote a ruleset cannot put it in force: ask somebody else.")
            )
        if row is not None and row.state == RulesetState.RETIRED:
            raise RulesetRefused(
                replay.say(
                    "{ruleset} is retired: no source may put it in force any more.", ruleset=ruleset
                )
            )
        note(access, Act.APPROVE_RULESETS, ruleset, "in force", reason, source=source)
        return RulesetSwitch.objects.create(
            source=source,
            game=known.game,
            ruleset_id=known.id,
            kind=SwitchKind.START,
            ruleset=known.name,
            sha256=bytes.fromhex(known.sha256),
            effective_at=effective_at,
            declared_by_id=who,
            reason=reason,
        ).pk


@transaction.atomic
def end_force(
    *, access: Access, source: str, game: str, ruleset_id: str, effective_at: datetime, reason: str
) -> int:
    """Say that from a time on no revision of an id is in force at a source; gives the switch.

    Raises: RulesetRefused, also where none is said to have been in force before.
    """
    who = _actor_in(access, source)
    reason = reason_of(reason)
    _check_time(effective_at)
    said = {"source": source, "game": game, "ruleset_id": ruleset_id}
    starts = RulesetSwitch.objects.filter(
        **said, kind=SwitchKind.START, effective_at__lte=effective_at, cancelled_by=None
    )
    if not starts.exists():
        raise RulesetRefused(
            replay.say(
                "No revision of {ruleset_id} is in force there before that time.",
                ruleset_id=ruleset_id,
            )
        )
    note(access, Act.APPROVE_RULESETS, ruleset_id, "ended", reason, source=source)
    return RulesetSwitch.objects.create(
        **said,
        kind=SwitchKind.END,
        ruleset="",
        effective_at=effective_at,
        declared_by_id=who,
        reason=reason,
    ).pk


def take_back_switch(*, access: Access, switch_pk: int, reason: str) -> int:
    """Take back what was said of a source, as if it had never been said; gives the switch.

    Raises: RulesetRefused.
    """
    reason = reason_of(reason)
    with transaction.atomic():
        # Locked, so that two do not take it back at once.
        found = RulesetSwitch.objects.select_for_update().filter(pk=switch_pk)
        switch = found.exclude(kind=SwitchKind.CANCEL).first()
        if switch is None or not access.may_in(Act.SEE_RULESETS, switch.source):
            raise RulesetRefused(replay.say("There is no such switch."))
        who = _actor_in(access, switch.source)
        if RulesetSwitch.objects.filter(cancels=switch).exists():
            raise RulesetRefused(replay.say("That was taken back already."))
        note(
            access,
            Act.APPROVE_RULESETS,
            switch.ruleset or switch.ruleset_id,
            f"switch {switch.pk} taken back",
            reason,
            source=switch.source,
        )
        return RulesetSwitch.objects.create(
            source=switch.source,
            game=switch.game,
            ruleset_id=switch.ruleset_id,
            kind=SwitchKind.CANCEL,
            ruleset="",
            effective_at=switch.effective_at,
            cancels=switch,
            declared_by_id=who,
            reason=reason,
        ).pk


def _actor_in(access: Access, source: str) -> int:
    who = actor_of(access, Act.APPROVE_RULESETS)
    if not access.may_in(Act.APPROVE_RULESETS, source):
        raise RulesetRefused(
            replay.say(
                "{access_name} may not say what is in force at this source.",
                access_name=access.name,
            )
        )
    return who


def _source(source: str) -> str:
    """A name that a source can have, exactly as it is (FORMAT 1). Raises: RulesetRefused."""
    is_name = 1 <= len(source) <= NAME_MAX and storable(source, NAME_MAX) == source
    if not is_name or any(unicodedata.category(one) == "Cc" for one in source):
        raise RulesetRefused(
            replay.say("Name a source: 1 to 128 characters, no control character.")
        )
    return source


def read_effective_at(text: str) -> datetime:
    """A time with its offset, as FORMAT 6.2, 15 has it. Raises: RulesetRefused."""
    try:
        replay.parse_time(text.strip())
    except ValueError:
        raise RulesetRefused(
            replay.say(
                "“{text}” is no time with an offset: write it as 2026-03-01T06:00:00+08:00.",
                text=text[:40],
            )
        ) from None
    return instant_of(text.strip())


def _check_time(effective_at: datetime) -> None:
    if effective_at.tzinfo is None:
        raise RulesetRefused(replay.say("A time needs its offset: 2026-03-01T06:00:00+08:00."))
