"""Re-audits: how far each is, and what it set aside or made a hand of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, QuerySet
from django.utils import timezone

from audit.models import Admission, Reaudit, ReauditFault, ReauditState
from audit.selectors.access import Sources
from audit.selectors.belonging import within
from audit.selectors.pages import (
    KEY_MAX,
    NotFound,
    Page,
    check_limit,
    make_page,
    read_cursor,
)

ENDS = (ReauditState.DONE, ReauditState.PARTLY)


class ReauditNotFound(NotFound):
    """No re-audit has this number, or it said nothing of this version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReauditRow:
    """One re-audit and its counts; see models.Reaudit for what adds up to what.

    `percent` is 0 to 100, None while it gathers, when the end is not known. `rate` is rows a
    second while it judged, `seconds_left` what the rest takes at that pace. `ruleset` is "" where
    each hand is judged under the one that it names.
    """

    id: int
    requested_by: str | None
    reason: str
    filter: dict[str, str]
    filter_text: str
    named: str
    ruleset: str
    ruleset_sha256: str | None
    refused_lines: str
    engine: str
    state: str
    state_title: str
    error: str
    total: int
    done: int
    written: int
    confirmed: int
    rehearsed: int
    admitted: int
    refused: int
    aside: int
    changed: int
    flipped: int
    unsettled: int
    created_at: datetime
    finished_at: datetime | None
    percent: int | None
    seconds: float
    rate: float | None
    seconds_left: float | None

    @property
    def is_ended(self) -> bool:
        return self.state in ENDS

    @property
    def is_open(self) -> bool:
        """Whether workers are at it."""
        return self.state in (ReauditState.GATHERING, ReauditState.RUNNING)

    @property
    def is_rehearsal(self) -> bool:
        return bool(self.ruleset)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """What was set aside: a version of a hand, or a refused line of an upload."""

    id: int
    hand_pk: int | None
    hand_id: str | None
    version: int | None
    upload_id: int | None
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionRow:
    """A refused line that became a hand."""

    id: int
    upload_id: int
    line: int
    refused_for: str
    hand_pk: int
    hand_id: str


def list_reaudits(
    *, sources: Sources, cursor: str | None = None, limit: int = 50
) -> Page[ReauditRow]:
    """Re-audits that lie wholly in these sources, newest first. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    found: QuerySet[Reaudit] = Reaudit.objects.select_related("requested_by").defer("rulesets")
    found = found.filter(within(sources))
    if at is None:
        found = found.order_by("-id")
    elif at.is_back:
        found = found.filter(id__gt=at.key[0]).order_by("id")
    else:
        found = found.filter(id__lt=at.key[0]).order_by("-id")
    rows = [reaudit_row(reaudit) for reaudit in found[: limit + 1]]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.id,))


def get_reaudit(reaudit_id: int, *, sources: Sources) -> ReauditRow:
    """One re-audit as it stands now. Raises: ReauditNotFound."""
    found = Reaudit.objects.select_related("requested_by").defer("rulesets")
    is_number = 1 <= reaudit_id <= KEY_MAX
    reaudit = found.filter(within(sources), pk=reaudit_id).first() if is_number else None
    if reaudit is None:
        raise ReauditNotFound(f"There is no re-audit {reaudit_id}.")
    return reaudit_row(reaudit)


def list_faults(reaudit_id: int, *, cursor: str | None = None, limit: int = 100) -> Page[FaultRow]:
    """What a re-audit set aside, in the order in which it did. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    found = ReauditFault.objects.filter(reaudit_id=reaudit_id).order_by("id")
    if at is not None and at.is_back:
        found = found.filter(id__lt=at.key[0]).order_by("-id")
    elif at is not None:
        found = found.filter(id__gt=at.key[0])
    rows = [
        FaultRow(
            id=pk,
            hand_pk=hand_pk,
            hand_id=hand_id,
            version=version,
            upload_id=upload_id,
            line=line,
            reason=reason,
        )
        for pk, hand_pk, hand_id, version, upload_id, line, reason in found.values_list(
            "pk", "version__hand_id", "version__hand__hand_id", "version__number",
            "refusal__upload_id", "refusal__line", "reason",
        )[: limit + 1]
    ]  # fmt: skip
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.id,))


def list_admissions(
    reaudit_id: int, *, cursor: str | None = None, limit: int = 100
) -> Page[AdmissionRow]:
    """The refused lines that a re-audit made hands. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    found = Admission.objects.filter(reaudit_id=reaudit_id).order_by("id")
    if at is not None and at.is_back:
        found = found.filter(id__lt=at.key[0]).order_by("-id")
    elif at is not None:
        found = found.filter(id__gt=at.key[0])
    rows = [
        AdmissionRow(
            id=pk,
            upload_id=upload_id,
            line=line,
            refused_for=reason,
            hand_pk=hand_pk,
            hand_id=hand_id,
        )
        for pk, upload_id, line, reason, hand_pk, hand_id in found.values_list(
            "pk", "refusal__upload_id", "refusal__line", "refusal__reason",
            "version__hand_id", "version__hand__hand_id",
        )[: limit + 1]
    ]  # fmt: skip
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.id,))


def admitted_later(upload_ids: Iterable[int]) -> dict[int, int]:
    """How many refused lines of each of these uploads became hands in a re-audit."""
    found = Admission.objects.filter(refusal__upload_id__in=list(upload_ids)).order_by()
    counted = found.values("refusal__upload_id").annotate(lines=Count("pk"))
    return {row["refusal__upload_id"]: row["lines"] for row in counted}


def replaced_refusals(refusal_ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Of these refusals the replaced ones: the hand that stands for each, and the re-audit."""
    found = Admission.objects.filter(refusal_id__in=list(refusal_ids))
    return {
        refusal: (hand, reaudit)
        for refusal, hand, reaudit in found.values_list(
            "refusal_id", "version__hand_id", "reaudit_id"
        )
    }


def reaudit_row(reaudit: Reaudit) -> ReauditRow:
    """A stored re-audit as a list shows it."""
    seconds = reaudit.seconds_before
    if reaudit.running_since is not None:
        seconds += (timezone.now() - reaudit.running_since).total_seconds()
    rate = reaudit.done_count / seconds if reaudit.done_count and seconds > 0 else None
    left = reaudit.total_count - reaudit.done_count
    return ReauditRow(
        id=reaudit.pk,
        requested_by=reaudit.requested_by.get_username() if reaudit.requested_by else None,
        reason=reaudit.reason,
        filter=reaudit.filter,
        filter_text=reaudit.filter_text,
        named=reaudit.named,
        ruleset=reaudit.ruleset,
        ruleset_sha256=bytes(reaudit.ruleset_sha256).hex() if reaudit.ruleset_sha256 else None,
        refused_lines=reaudit.refused_lines,
        engine=reaudit.engine,
        state=reaudit.state,
        state_title=reaudit.get_state_display(),
        error=reaudit.error,
        total=reaudit.total_count,
        done=reaudit.done_count,
        written=reaudit.written_count,
        confirmed=reaudit.confirmed_count,
        rehearsed=reaudit.rehearsed_count,
        admitted=reaudit.admitted_count,
        refused=reaudit.refused_count,
        aside=reaudit.aside_count,
        changed=reaudit.changed_count,
        flipped=reaudit.flipped_count,
        unsettled=reaudit.unsettled_count,
        created_at=reaudit.created_at,
        finished_at=reaudit.finished_at,
        percent=_percent(reaudit),
        seconds=seconds,
        rate=rate,
        seconds_left=left / rate if rate and reaudit.state == ReauditState.RUNNING else None,
    )


def _percent(reaudit: Reaudit) -> int | None:
    if not reaudit.is_gathered:
        return None
    return reaudit.done_count * 100 // reaudit.total_count if reaudit.total_count else 100
