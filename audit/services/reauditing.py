"""The course of a re-audit: opened, gathered into batches, judged, stopped, resumed.

Gathering walks the hands by their keys, up to the last that was there at the start, and notes how
far it is: a worker that dies in the middle costs one step. Judging begins when all is gathered, for
it changes what a filter finds.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max
from django.db.models.fields.tuple_lookups import TupleGreaterThanOrEqual
from django.utils import timezone

import replay
from audit.models import (
    ChunkState,
    Hand,
    Reaudit,
    ReauditBatch,
    ReauditState,
    Refusal,
    RefusedLines,
)
from audit.selectors import current_rulesets
from audit.selectors.access import Sources
from audit.selectors.months import around
from audit.selectors.reaudits_scope import Scope, filter_words
from audit.selectors.rulesets import names_of, rehearsable_ruleset, ruleset_of_bytes
from audit.services.copying import fetch_rows, keys_text
from audit.services.queueing import queue_reaudit_on_commit
from audit.services.reauditing_batches import (
    OPEN,
    halt_reaudit,
    judge_some,
    settle_reaudit,
    start_lanes,
)
from audit.services.reauditing_sql import FREEZE_VERSIONS, FREEZE_VERSIONS_OF_HANDS
from audit.services.sifting import is_passing, words_of
from audit.services.texts import storable, written

logger = logging.getLogger(__name__)

REASON_MAX = 500
# Hands and lines looked at in one step of gathering, which is one transaction.
GATHERED_AT_ONCE = 20_000
# So many workers take part at once; the others stay free for uploads.
LANES = 4
# A re-audit without a sign of life for so long has lost its messages.
QUIET = timedelta(seconds=30)


BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


class ReauditRefused(ValueError):
    """A re-audit that cannot be; its text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A re-audit that goes on; `is_ended` when nothing was left to do."""

    reaudit_id: int
    is_ended: bool


def open_reaudit(
    *,
    user: User | None,
    sources: Sources,
    reason: str,
    query: Mapping[str, str],
    named: str = "",
    ruleset: str = "",
    refused_lines: str = RefusedLines.NONE,
    newest: int | None = None,
) -> int:
    """Start a re-audit of the hands that a query of the hands list finds; gives its number.

    It keeps to `sources`, and is seen by whoever sees all in which it lies.
    `named` keeps to hands that name this ruleset. With `ruleset` it is a rehearsal under that
    revision, of the current versions of hands of its game. `refused_lines` can be narrowed by
    `upload` alone, for a refused line has no other filter. `newest` keeps to so many of the hands
    that were played last.
    Raises: ReauditRefused; BadQuery for a malformed filter.
    """
    reason = written(reason)
    if not reason:
        raise ReauditRefused(replay.say("Say why: the reason stays on record."))
    if len(reason) > REASON_MAX:
        raise ReauditRefused(
            replay.say("The reason is longer than {reason_max} characters.", reason_max=REASON_MAX)
        )
    if storable(reason, REASON_MAX) != reason:
        raise ReauditRefused(replay.say("The reason holds a character that cannot be kept."))
    scope = Scope.parse(
        query,
        sources=sources,
        named=named,
        ruleset=ruleset,
        refused_lines=refused_lines,
        newest=newest,
    )
    if scope.sources is not None and not scope.sources:
        raise ReauditRefused(replay.say("There is no hand of this source."))
    rulesets = known_rulesets()
    rehearsed = rehearsable_ruleset(ruleset) if ruleset else None
    with transaction.atomic():
        reaudit = Reaudit.objects.create(
            requested_by=user,
            limited_to=None if scope.sources is None else sorted(scope.sources),
            reason=reason,
            filter=scope.query,
            filter_text=filter_words(scope),
            named=named,
            ruleset=ruleset,
            ruleset_sha256=None if rehearsed is None else bytes.fromhex(rehearsed.sha256),
            newest_max=newest,
            rulesets=rulesets,
            refused_lines=refused_lines,
            engine=replay.ENGINE,
            hand_max=Hand.objects.aggregate(last=Max("pk"))["last"] or 0,
            refusal_max=Refusal.objects.aggregate(last=Max("pk"))["last"] or 0,
        )
        queue_reaudit_on_commit(reaudit.pk)
    return reaudit.pk


def work_on_reaudit(*, reaudit_id: int) -> float | None:
    """Do what is next for a re-audit: a step of gathering, or one batch. Safe to run twice.

    Returns: in how many seconds to come again; None when nothing is left to do here.
    Raises: DatabaseError, InterfaceError when the database cannot be reached or was too busy.
    """
    reaudit = Reaudit.objects.filter(pk=reaudit_id).first()
    if reaudit is None or reaudit.state not in (ReauditState.GATHERING, ReauditState.RUNNING):
        return None
    misfit = misfit_of(reaudit)
    if misfit is not None:
        halt_reaudit(reaudit_id, f"{misfit} Restart that process, and resume.")
        return None
    if reaudit.state == ReauditState.RUNNING:
        return judge_some(reaudit_id=reaudit_id)
    try:
        return 0.0 if gather_some(reaudit_id=reaudit_id) else None
    except Exception as error:
        if is_passing(error):
            raise
        # It would fail again and again, and nobody would see why.
        logger.exception("reaudit_not_gathered", extra={"reaudit": reaudit_id})
        halt_reaudit(reaudit_id, f"The hands could not be gathered: {words_of(error)}")
        return None


def known_rulesets() -> dict[str, str]:
    """The rulesets of this process: name to SHA-256 in hexadecimal."""
    return names_of(current_rulesets())


def misfit_of(reaudit: Reaudit) -> str | None:
    """Why this process may take no part, or None: half a job under other rules is worth nothing."""
    if reaudit.engine != replay.ENGINE:
        return (
            f"A process runs engine {replay.ENGINE}, and this re-audit was started under"
            f" {reaudit.engine}."
        )
    known = known_rulesets()
    others = sorted(name for name, held in reaudit.rulesets.items() if known.get(name) != held)
    if reaudit.ruleset_sha256 is not None and not others:
        sha256 = bytes(reaudit.ruleset_sha256).hex()
        if ruleset_of_bytes(reaudit.ruleset, sha256) is None:
            others = [reaudit.ruleset]
    if not others:
        # What was published since is not asked: the job goes on by what was known at its start.
        return None
    return f"A process knows other rulesets than at the start ({', '.join(others[:5])})."


def gather_some(*, reaudit_id: int) -> bool:
    """One step of gathering; returns whether to come again for the next.

    Whoever finds another at it leaves it alone.
    """
    with transaction.atomic():
        reaudit = (
            Reaudit.objects.select_for_update(skip_locked=True)
            .filter(pk=reaudit_id, state=ReauditState.GATHERING)
            .first()
        )
        if reaudit is None:
            return False
        scope = Scope.of(reaudit)
        if reaudit.newest_max is not None and reaudit.played_from is None:
            # A step of its own, for of a rare ruleset it looks through many hands.
            played_from, hand_from = _first_of_newest(reaudit, scope)
            Reaudit.objects.filter(pk=reaudit_id).update(
                played_from=played_from, hand_from=hand_from, worked_at=timezone.now()
            )
            return True
        added = _gather_hands(reaudit, scope)
        if added is None:
            added = _gather_lines(reaudit, scope)
        now = timezone.now()
        if added is None:
            Reaudit.objects.filter(pk=reaudit_id).update(
                state=ReauditState.RUNNING, is_gathered=True, running_since=now, worked_at=now
            )
            settle_reaudit(reaudit_id)
            start_lanes(reaudit_id, LANES)
            return False
        Reaudit.objects.filter(pk=reaudit_id).update(
            hand_last=reaudit.hand_last,
            refusal_last=reaudit.refusal_last,
            total_count=F("total_count") + added,
            worked_at=now,
        )
    return True


def _first_of_newest(reaudit: Reaudit, scope: Scope) -> tuple[datetime, int]:
    """With which hand the latest ones begin; the beginning of time where there are no more."""
    assert reaudit.newest_max is not None
    known = Hand.objects.filter(scope.hands(), pk__lte=reaudit.hand_max)
    latest = known.order_by("-played_at", "-pk").values_list("played_at", "pk")
    found = latest[reaudit.newest_max - 1 : reaudit.newest_max]
    return next(iter(found), (BEGINNING, 0))


def _gather_hands(reaudit: Reaudit, scope: Scope) -> int | None:
    """Freeze the next hands into batches; None when none is left."""
    ahead = Hand.objects.filter(scope.hands(), pk__gt=reaudit.hand_last, pk__lte=reaudit.hand_max)
    if reaudit.played_from is not None:
        first = (reaudit.played_from, reaudit.hand_from)
        ahead = ahead.filter(TupleGreaterThanOrEqual(("played_at", "id"), first))
    found = list(ahead.order_by("pk").values_list("pk", "version_id")[:GATHERED_AT_ONCE])
    if not found:
        return None
    reaudit.hand_last = found[-1][0]
    values: dict[str, Any] = {
        "reaudit": reaudit.pk, "size": settings.TILECOURT_REAUDIT_BATCH_MAX,
    }  # fmt: skip
    if reaudit.ruleset:
        values["versions"] = keys_text(version for _, version in found)
        frozen = fetch_rows(FREEZE_VERSIONS, values)
    else:
        # Other records of a hand are judged, too: a restatement may put one in force.
        values["hands"] = keys_text(hand for hand, _ in found)
        values["first"], values["last"] = around((found[0][0], found[-1][0]))
        frozen = fetch_rows(FREEZE_VERSIONS_OF_HANDS, values)
    counts: list[int] = [count for (count,) in frozen]
    return sum(counts)


def _gather_lines(reaudit: Reaudit, scope: Scope) -> int | None:
    """Freeze the next refused lines, each batch of one upload; None when none is left."""
    if reaudit.refused_lines == RefusedLines.NONE:
        return None
    ahead = Refusal.objects.filter(
        scope.lines(), pk__gt=reaudit.refusal_last, pk__lte=reaudit.refusal_max
    )
    found = list(ahead.order_by("pk").values_list("pk", "upload_id")[:GATHERED_AT_ONCE])
    if not found:
        return None
    reaudit.refusal_last = found[-1][0]
    found.sort(key=lambda row: (row[1], row[0]))
    for upload_id, rows in groupby(found, key=lambda row: row[1]):
        parts = _parts([row for row, _ in rows], settings.TILECOURT_REAUDIT_BATCH_MAX)
        ReauditBatch.objects.bulk_create(
            ReauditBatch(reaudit_id=reaudit.pk, upload_id=upload_id, rows=part) for part in parts
        )
    return len(found)


def _parts(rows: list[int], size: int) -> Iterable[list[int]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def stop_reaudit(*, reaudit_id: int) -> bool:
    """Stop a re-audit where it is; tells whether it was under way. What is judged stays, and a
    batch that is being judged at this moment may still end."""
    return halt_reaudit(reaudit_id, "")


def resume_reaudit(*, reaudit_id: int) -> Resumed:
    """Let a stopped re-audit go on from where it is. Raises: ReauditRefused."""
    with transaction.atomic():
        reaudit = Reaudit.objects.select_for_update().get(pk=reaudit_id)
        if reaudit.state != ReauditState.STOPPED:
            raise ReauditRefused(
                replay.say("Re-audit {reaudit_id} is not stopped.", reaudit_id=reaudit_id)
            )
        misfit = misfit_of(reaudit)
        if misfit is not None:
            raise ReauditRefused(
                replay.say("{misfit} It cannot go on here: start another one.", misfit=misfit)
            )
        now = timezone.now()
        reaudit.state = ReauditState.RUNNING if reaudit.is_gathered else ReauditState.GATHERING
        reaudit.running_since = now if reaudit.is_gathered else None
        reaudit.worked_at, reaudit.error = now, ""
        reaudit.save(update_fields=["state", "running_since", "worked_at", "error"])
        queued = ReauditBatch.objects.filter(reaudit_id=reaudit_id, state=ChunkState.QUEUED)
        queued.update(due_at=now)
        if reaudit.is_gathered:
            settle_reaudit(reaudit_id)
        open_batches = ReauditBatch.objects.filter(reaudit_id=reaudit_id, state__in=OPEN)
        is_ended = reaudit.is_gathered and not open_batches.exists()
        if not is_ended:
            start_lanes(reaudit_id, LANES if reaudit.is_gathered else 1)
    return Resumed(reaudit_id=reaudit_id, is_ended=is_ended)


def sweep_reaudits(*, quiet: timedelta = QUIET) -> int:
    """Queue open re-audits again that have been quiet, for their messages may be lost; a message
    too many finds nothing to do. Gives how many."""
    now = timezone.now()
    with transaction.atomic():
        forgotten = list(
            Reaudit.objects.select_for_update(skip_locked=True)
            .filter(
                state__in=[ReauditState.GATHERING, ReauditState.RUNNING],
                worked_at__lte=now - quiet,
            )
            .order_by("pk")
            .values_list("pk", "is_gathered")
        )
        Reaudit.objects.filter(pk__in=[pk for pk, _ in forgotten]).update(worked_at=now)
        for pk, is_gathered in forgotten:
            start_lanes(pk, LANES if is_gathered else 1)
    return len(forgotten)
