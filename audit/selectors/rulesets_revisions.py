"""Rulesets as a person reads them: which there are, how far each is, and what it changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet

import replay
from audit.models import Reaudit, Refusal, RulesetRevision, RulesetState, Upload
from audit.selectors.access import Sources
from audit.selectors.belonging import uploads_in, within
from audit.selectors.pages import NotFound
from audit.selectors.reaudits import ENDS, ReauditRow, reaudit_row
from audit.selectors.reaudits_scope import (
    ANY_REVISION,
    UNKNOWN_RULESET,
    Scope,
    preview_scope,
)
from audit.selectors.rulesets import current_rulesets, file_rulesets, ruleset_of_row

State = Literal["draft", "rehearsed", "published", "retired", "withdrawn", "shipped"]
REVISIONS_MAX = 500
REHEARSALS_SHOWN = 20
WAITING_MAX = 10_000


class RulesetNotFound(NotFound):
    """There is no ruleset with these bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """One ruleset. `pk` is None for one out of a file, whose state is `shipped`.

    `rehearsed` is a draft whose very bytes were rehearsed. `rehearsal_id` is the re-audit that the
    approver relied on, with so many hands of those that it could have had; `closed_…` say who
    retired or withdrew it.
    """

    pk: int | None
    ruleset_id: str
    revision: int
    name: str
    game: str
    title: str
    sha256: str
    state: State
    author_id: int | None = None
    author: str = ""
    created_at: datetime | None = None
    reason: str = ""
    publication: int | None = None
    published_by: str = ""
    published_at: datetime | None = None
    publish_reason: str = ""
    rehearsal_id: int | None = None
    rehearsed: int | None = None
    rehearsed_of: int | None = None
    unrehearsed_reason: str = ""
    closed_by: str = ""
    closed_at: datetime | None = None
    close_reason: str = ""

    @property
    def is_draft(self) -> bool:
        return self.state in ("draft", "rehearsed")

    @property
    def is_known(self) -> bool:
        """Whether hands that name it are judged by it."""
        return self.state in ("published", "retired", "shipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionChange:
    """An option that another revision sets otherwise; None where a game has no such option."""

    option: str
    rule: str | None
    before: replay.OptionValue | None
    after: replay.OptionValue | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a draft was rehearsed on: `rehearsed` hands of `could`, where `wanted` are wanted.

    `could` is PREVIEW_MAX where there are that many or more. `rehearsal_id` is the latest one of
    these very bytes that has ended and judged at least one hand, None without.
    """

    rehearsal_id: int | None
    rehearsed: int
    could: int
    wanted: int

    @property
    def is_enough(self) -> bool:
        """Whether nobody must say why so few are enough."""
        return self.rehearsal_id is not None and self.rehearsed >= self.wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionDetail:
    """One ruleset with its options, what it changes, and what was tried with it.

    `previous` is the last revision of its id before it that is known, None for the first.
    `history` has every row of its name, also withdrawn drafts, the latest first. `waiting` are
    refused lines that name it, up to WAITING_MAX. `proof` is of a draft alone.
    """

    row: RevisionRow
    ruleset: replay.Ruleset
    previous: replay.Ruleset | None
    changes: tuple[OptionChange, ...]
    rehearsals: tuple[ReauditRow, ...]
    history: tuple[RevisionRow, ...]
    waiting: int
    proof: Proof | None


def list_revisions() -> tuple[RevisionRow, ...]:
    """Every ruleset, by name and revision: those out of files, and the last REVISIONS_MAX others.

    Withdrawn drafts are left out.
    """
    stored = _rows().exclude(state=RulesetState.WITHDRAWN).order_by("-pk")[:REVISIONS_MAX]
    rows = {row.name: _revision_row(row) for row in stored}
    rows |= {one.name: row_of_file(one) for one in file_rulesets()}
    return tuple(sorted(rows.values(), key=lambda row: (row.ruleset_id, row.revision)))


def find_revision(name: str) -> RevisionRow:
    """A ruleset by id@revision, withdrawn drafts apart. Raises: RulesetNotFound."""
    filed = file_rulesets().get(name)
    if filed is not None:
        return row_of_file(filed)
    found = _rows().filter(name=name).exclude(state=RulesetState.WITHDRAWN).first()
    if found is None:
        raise RulesetNotFound(f"There is no ruleset {name}.")
    return _revision_row(found)


def revision_detail(sha256: str, *, sources: Sources) -> RevisionDetail:
    """The ruleset with these bytes (SHA-256 in hexadecimal). Raises: RulesetNotFound.

    `sources` narrow the rehearsals and the lines that wait.
    """
    row, ruleset = _by_bytes(sha256)
    previous = previous_of(ruleset)
    rehearsals = Reaudit.objects.filter(
        within(sources), ruleset=row.name, ruleset_sha256=bytes.fromhex(sha256)
    )
    history = _rows().filter(name=row.name).order_by("-pk")
    return RevisionDetail(
        row=row,
        ruleset=ruleset,
        previous=previous,
        changes=() if previous is None else option_changes(previous, ruleset),
        rehearsals=tuple(
            reaudit_row(one)
            for one in rehearsals.select_related("requested_by")
            .defer("rulesets")
            .order_by("-pk")[:REHEARSALS_SHOWN]
        ),
        history=tuple(_revision_row(one) for one in history[:REVISIONS_MAX]),
        waiting=_waiting(row.name, sources) if row.is_known else 0,
        proof=proof_of(ruleset, sources=sources) if row.is_draft else None,
    )


def proof_of(ruleset: replay.Ruleset, *, sources: Sources) -> Proof:
    """What a ruleset was rehearsed on in these sources, out of what it could have been.

    It could be of the hands that name any revision of its id; of all of its game where no revision
    of its id is known.
    """
    is_new = all(one.id != ruleset.id for one in current_rulesets())
    scope = Scope.parse(
        {},
        sources=sources,
        named="" if is_new else ruleset.id + ANY_REVISION,
        ruleset=ruleset.name,
    )
    could = preview_scope(scope).hands
    last = (
        Reaudit.objects.filter(
            within(sources),
            ruleset=ruleset.name,
            ruleset_sha256=bytes.fromhex(ruleset.sha256),
            state__in=ENDS,
            rehearsed_count__gt=0,
        )
        .order_by("-pk")
        .values_list("pk", "rehearsed_count")
        .first()
    )
    return Proof(
        rehearsal_id=None if last is None else last[0],
        rehearsed=0 if last is None else last[1],
        could=could,
        wanted=min(settings.TILECOURT_REHEARSED_MIN, could),
    )


def _by_bytes(sha256: str) -> tuple[RevisionRow, replay.Ruleset]:
    filed = next((one for one in file_rulesets() if one.sha256 == sha256), None)
    if filed is not None:
        return row_of_file(filed), filed
    try:
        wanted = bytes.fromhex(sha256)
    except ValueError:
        wanted = b""
    # The same draft may have been withdrawn and handed in again.
    found = sorted(
        _rows().filter(sha256=wanted), key=lambda row: (row.state != "withdrawn", row.pk)
    )
    if not found:
        raise RulesetNotFound("There is no ruleset with these bytes.")
    return _revision_row(found[-1]), ruleset_of_row(found[-1])


def previous_of(
    ruleset: replay.Ruleset, among: Iterable[replay.Ruleset] | None = None
) -> replay.Ruleset | None:
    """The last revision before this one of its id among these, or among all that are known."""
    earlier = [
        one
        for one in (current_rulesets() if among is None else among)
        if one.id == ruleset.id and one.revision < ruleset.revision
    ]
    return max(earlier, key=lambda one: one.revision, default=None)


def option_changes(before: replay.Ruleset, after: replay.Ruleset) -> tuple[OptionChange, ...]:
    """Which options two rulesets set otherwise, in the order of the rulebook."""
    schema = replay.GAMES[after.game].options
    keys = list(dict.fromkeys([*schema, *before.options]))
    return tuple(
        OptionChange(
            option=key,
            rule=schema[key].rule if key in schema else None,
            before=before.options.get(key),
            after=after.options.get(key),
        )
        for key in keys
        if before.options.get(key) != after.options.get(key)
    )


def written(value: replay.OptionValue | None) -> str:
    """An option as its file would have it, without the quotes; empty for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return str(value)


def row_of_file(ruleset: replay.Ruleset) -> RevisionRow:
    """A ruleset out of a file of the service."""
    return RevisionRow(
        pk=None,
        ruleset_id=ruleset.id,
        revision=ruleset.revision,
        name=ruleset.name,
        game=ruleset.game,
        title=ruleset.title,
        sha256=ruleset.sha256,
        state="shipped",
    )


def names_of_game(rows: Iterable[RevisionRow], game: str) -> tuple[str, ...]:
    """The names of the known rulesets of a game."""
    return tuple(row.name for row in rows if row.game == game and row.is_known)


def _waiting(name: str, sources: Sources) -> int:
    """How many refused lines of uploads that lie in these sources name this ruleset."""
    waiting = Refusal.objects.filter(
        place="$.ruleset",
        reason=f"{UNKNOWN_RULESET}{name}",
        raw__isnull=False,
        admission__isnull=True,
    )
    if sources is not None:
        waiting = waiting.filter(upload__in=Upload.objects.filter(uploads_in(sources)))
    return waiting.order_by()[:WAITING_MAX].count()


def _rows() -> QuerySet[RulesetRevision]:
    rehearsals = Reaudit.objects.filter(
        ruleset=OuterRef("name"),
        ruleset_sha256=OuterRef("sha256"),
        state__in=ENDS,
        rehearsed_count__gt=0,
    )
    return RulesetRevision.objects.select_related("author", "published_by", "closed_by").annotate(
        was_rehearsed=Exists(rehearsals), rehearsed=F("rehearsal__rehearsed_count")
    )


def _revision_row(row: RulesetRevision) -> RevisionRow:
    is_rehearsed = row.state == RulesetState.DRAFT and getattr(row, "was_rehearsed", False)
    state: State = "rehearsed" if is_rehearsed else row.state  # type: ignore[assignment]
    found = RevisionRow(
        pk=row.pk,
        ruleset_id=row.ruleset_id,
        revision=row.revision,
        name=row.name,
        game=row.game,
        title=row.title,
        sha256=bytes(row.sha256).hex(),
        state=state,
        author_id=row.author_id,
        author=row.author.get_username(),
        created_at=row.created_at,
        reason=row.reason,
        publication=row.publication,
        published_at=row.published_at,
        publish_reason=row.publish_reason,
        rehearsal_id=row.rehearsal_id,
        rehearsed=getattr(row, "rehearsed", None),
        rehearsed_of=row.rehearsed_of,
        unrehearsed_reason=row.unrehearsed_reason,
        closed_at=row.closed_at,
        close_reason=row.close_reason,
    )
    by = "" if row.published_by is None else row.published_by.get_username()
    closed = "" if row.closed_by is None else row.closed_by.get_username()
    return replace(found, published_by=by, closed_by=closed)
