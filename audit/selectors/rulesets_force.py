"""Which revision was in force at a source at what time, and which hands name another one.

Periods are made of switches (models.RulesetSwitch): for each ruleset id of a source the one that
holds last before a time. A source that has said nothing of a game and a time is not judged by it:
such a hand is never marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import groupby
from operator import or_

from django.db import OperationalError, connection, transaction
from django.db.models import Q
from psycopg.errors import QueryCanceled

from audit.models import Hand, RulesetSwitch, SwitchKind
from audit.selectors.access import Sources

COUNTED_MAX = 10_000
# A page waits so long for a figure that it can do without.
MOMENT_MS = 800
SET_TIMEOUT = "SELECT set_config('statement_timeout', %s, true)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """From `starts_at` to before `ends_at` (None: still) this revision is in force at a source.

    `declared_…` say who put it in force and why, `ended_…` who put something else there or ended
    it; `switch_id` and `end_switch_id` are the switches that said so.
    """

    source: str
    game: str
    ruleset_id: str
    ruleset: str
    sha256: str
    starts_at: datetime
    ends_at: datetime | None
    switch_id: int
    declared_by: str
    declared_at: datetime
    reason: str
    end_switch_id: int | None
    ended_by: str | None
    end_reason: str | None

    def holds(self, instant: datetime) -> bool:
        """Whether it is in force at this time: its start is, its end is not."""
        return self.starts_at <= instant and (self.ends_at is None or instant < self.ends_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Force:
    """What was in force for a hand. `ruleset` is the one that it is judged by.

    `periods` are those that held when it was played. `is_named` whether its ruleset is one of them;
    `is_told` whether its source has said what is in force of this game at that time, or when this
    revision is.
    """

    ruleset: str
    periods: tuple[Period, ...]
    is_told: bool

    @property
    def is_named(self) -> bool:
        return any(one.ruleset == self.ruleset for one in self.periods)

    @property
    def is_out(self) -> bool:
        """Whether the hand names a revision that was not in force."""
        return self.is_told and not self.is_named


def list_periods(
    *,
    sources: Sources,
    source: str | None = None,
    ruleset: str | None = None,
    said_until: datetime | None = None,
) -> tuple[Period, ...]:
    """Periods by source, game, ruleset id and start; of one source or one ruleset where asked.

    `said_until` keeps to what had been said by then.
    """
    found = RulesetSwitch.objects.select_related("declared_by").order_by(
        "source", "game", "ruleset_id", "effective_at", "pk"
    )
    if sources is not None:
        found = found.filter(source__in=sources)
    if source is not None:
        found = found.filter(source=source)
    if said_until is not None:
        found = found.filter(declared_at__lte=said_until)
    said = list(found)
    periods = periods_of(said)
    return tuple(one for one in periods if ruleset in (None, one.ruleset))


def periods_of(said: Iterable[RulesetSwitch]) -> Iterator[Period]:
    """The periods of switches that come by source, game, ruleset id, time and number."""
    switches = list(said)
    cancelled = {one.cancels_id for one in switches}
    holding = [one for one in switches if one.kind != SwitchKind.CANCEL and one.pk not in cancelled]
    for _, group in groupby(holding, key=lambda one: (one.source, one.game, one.ruleset_id)):
        last: dict[datetime, RulesetSwitch] = {one.effective_at: one for one in group}
        row = list(last.values())
        for switch, after in zip(row, [*row[1:], None], strict=True):
            if switch.kind == SwitchKind.START:
                yield _period(switch, after)


def _period(switch: RulesetSwitch, after: RulesetSwitch | None) -> Period:
    assert switch.sha256 is not None, "a start says which bytes"
    return Period(
        source=switch.source,
        game=switch.game,
        ruleset_id=switch.ruleset_id,
        ruleset=switch.ruleset,
        sha256=bytes(switch.sha256).hex(),
        starts_at=switch.effective_at,
        ends_at=None if after is None else after.effective_at,
        switch_id=switch.pk,
        declared_by=switch.declared_by.get_username(),
        declared_at=switch.declared_at,
        reason=switch.reason,
        end_switch_id=None if after is None else after.pk,
        ended_by=None if after is None else after.declared_by.get_username(),
        end_reason=None if after is None else after.reason,
    )


def force_at(
    periods: Iterable[Period], *, source: str, game: str, ruleset: str, instant: datetime
) -> Force:
    """What was in force for a hand of this source and game that names this ruleset."""
    of_it = [one for one in periods if (one.source, one.game) == (source, game)]
    return Force(
        ruleset=ruleset,
        periods=tuple(one for one in of_it if one.holds(instant)),
        is_told=any(one.ruleset == ruleset or one.starts_at <= instant for one in of_it),
    )


def force_of_hand(*, source: str, game: str, ruleset: str, played_at: datetime) -> Force:
    """What was in force for a stored hand. One query."""
    periods = list_periods(sources=frozenset({source}), source=source)
    return force_at(periods, source=source, game=game, ruleset=ruleset, instant=played_at)


def names_out_of_force(periods: Iterable[Period]) -> Q:
    """The hands that `Force.is_out` is true of, for the database."""
    marked = [
        _out_of(source, game, list(group))
        for (source, game), group in groupby(periods, key=lambda one: (one.source, one.game))
    ]
    return reduce(or_, marked) if marked else Q(pk__in=())


def _out_of(source: str, game: str, periods: list[Period]) -> Q:
    covered = []
    for one in periods:
        held = Q(ruleset=one.ruleset, played_at__gte=one.starts_at)
        covered.append(held if one.ends_at is None else held & Q(played_at__lt=one.ends_at))
    told = Q(played_at__gte=min(one.starts_at for one in periods)) | Q(
        ruleset__in=sorted({one.ruleset for one in periods})
    )
    return Q(source=source, game=game) & told & ~reduce(or_, covered)


def count_out_of_force(source: str) -> int | None:
    """How many hands of a source name a revision that was not in force, up to COUNTED_MAX.

    None where a source is so large that it cannot be counted in a moment: the list has them.
    """
    periods = list_periods(sources=frozenset({source}), source=source)
    if not periods:
        return 0
    found = Hand.objects.filter(names_out_of_force(periods)).order_by()[:COUNTED_MAX]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout')")
            (before,) = cursor.fetchone()
            cursor.execute(SET_TIMEOUT, [f"{MOMENT_MS}ms"])
            count = found.count()
            cursor.execute(SET_TIMEOUT, [before])
    except OperationalError as error:
        if not isinstance(error.__cause__, QueryCanceled):
            raise
        return None
    return count
