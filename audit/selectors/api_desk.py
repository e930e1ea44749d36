"""Cases as the API lists them: by number, which never changes, whatever becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q
from django.utils import timezone

from audit.models import Case, CaseState, Decision
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.desk_cases import ActRow, get_case, list_acts
from audit.selectors.desk_queue import OWNERS, CaseRow, QueueFilters, cases_by_number
from audit.selectors.pages import Cursor, Page, check_limit, make_page, read_cursor

STATES = tuple(CaseState.values)
DECISIONS = tuple(Decision.values)
OWNER_WORDS = OWNERS


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilters:
    """The filters of the queue; without a state, cases of every state."""

    queue: QueueFilters
    state: str = ""

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> CaseFilters:
        """Read `state owner decision code source overdue`. Raises: BadQuery."""
        return cls(queue=QueueFilters.parse(query), state=query.get("state", ""))

    def condition(self, user_id: int) -> Q:
        asked, now = self.queue, timezone.now()
        wanted = Q(state=self.state) if self.state else Q()
        for column, value in (
            ("decision", asked.decision),
            ("cause__code", asked.code),
            ("source", asked.source),
        ):
            if value:
                wanted &= Q(**{column: value})
        held = Q(assignee__isnull=False) & (Q(taken_until=None) | Q(taken_until__gt=now))
        if asked.owner == "mine":
            wanted &= held & Q(assignee_id=user_id)
        elif asked.owner == "free":
            wanted &= ~held
        elif asked.owner == "others":
            wanted &= held & ~Q(assignee_id=user_id)
        if asked.is_overdue:
            wanted &= Q(state=CaseState.OPEN, due_at__lt=now)
        return wanted


def list_cases(
    filters: CaseFilters,
    *,
    sources: Sources,
    user_id: int,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[CaseRow]:
    """Cases, the last opened first. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    is_back = at is not None and at.is_back
    found = Case.objects.filter(filters.condition(user_id) & in_sources(sources))
    if at is not None:
        found = found.filter(**{"id__gt" if is_back else "id__lt": at.key[0]})
    numbers = found.order_by("id" if is_back else "-id").values_list("id", flat=True)
    rows = {row.pk: row for row in cases_by_number(list(numbers[: limit + 1]), sources=sources)}
    ordered = sorted(rows, reverse=not is_back)
    return make_page(
        [rows[one] for one in ordered], cursor=at, limit=limit, key=lambda row: (row.pk,)
    )


def acts_of(
    case_id: int, *, sources: Sources, cursor: str | None = None, limit: int = 50
) -> Page[ActRow]:
    """The acts of a case, the newest first; onward only. Raises: CaseNotKnown, BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    get_case(case_id, sources=sources)
    before = None if at is None else at.key[0]
    rows = list_acts(case_id, sources=sources, before=before, limit=limit + 1)
    shown = rows[:limit]
    return Page(
        rows=shown,
        next_cursor=Cursor(key=(shown[-1].number,), is_back=False).write()
        if len(rows) > limit
        else None,
    )
