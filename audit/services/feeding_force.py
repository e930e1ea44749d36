"""By which ruleset the records of a feed are judged: what was in force when they were played.

A record that comes late is judged by what was in force at its time, not by what is now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import replay
from audit import importers
from audit.selectors.rulesets_force import Period, list_periods
from audit.services.outcomes import instant_of

# Offsets that the world has used lie within: a clock without one may stand for any of them.
AHEAD_MAX, BEHIND_MAX = timedelta(hours=14), timedelta(hours=12)
NO_OFFSET = "-00:00"


def choice_of_feed(
    feed: str, facts: Mapping[str, Any], *, said_until: datetime | None = None
) -> importers.Choose | None:
    """How the records of an upload choose their ruleset; None where nothing has been said.

    `said_until` keeps to what had been said by then. One query, none for records that name theirs.
    """
    known = importers.FEEDS.get(feed)
    source = facts.get("source")
    if known is None or known.names_ruleset or source is None:
        return None
    periods = [
        one
        for one in list_periods(sources=frozenset({source}), source=source, said_until=said_until)
        if one.game == known.game
    ]
    return None if not periods else lambda readable: ruleset_of(readable, periods)


def ruleset_of(readable: replay.Readable, periods: Sequence[Period]) -> str:
    """The ruleset in force when a record was played; its importer's own where none was.

    `periods` are those of its source and game. Of several ids in force that of the importer's
    ruleset counts.
    Raises: Refusal where the record's clock has no zone and another revision came into force within
    the hours that it may mean, or where several rulesets are in force and none is the importer's.
    """
    hand: Any = readable.hand
    chosen: str = hand.ruleset
    first, last = _span(hand)
    seen = {
        ruleset_id: _seen([one for one in periods if one.ruleset_id == ruleset_id], first, last)
        for ruleset_id in sorted({one.ruleset_id for one in periods})
    }
    in_force = {ruleset_id: names for ruleset_id, names in seen.items() if names != {None}}
    own = chosen.rpartition("@")[0]
    if own in in_force:
        in_force = {own: in_force[own]}
    if not in_force:
        return chosen
    names = {name for found in in_force.values() for name in found}
    if len(names) == 1:
        (name,) = names
        assert name is not None
        return name
    told = ", ".join(sorted(name or "none" for name in names))
    if any(len(found) > 1 for found in in_force.values()):
        raise replay.Refusal(
            "$.started_at",
            f"its clock has no zone, and which ruleset was in force depends on it: {told}",
        )
    raise replay.Refusal(
        "$.ruleset", f"several rulesets were in force and the record names none: {told}"
    )


def _span(hand: Any) -> tuple[datetime, datetime]:
    """The first and the last instant at which a record may have been played."""
    if "time_zone" not in hand.gaps:
        instant = instant_of(hand.started_at)
        return instant, instant
    local = instant_of(hand.started_at + NO_OFFSET)
    return _moved(local, -AHEAD_MAX), _moved(local, BEHIND_MAX)


def _moved(instant: datetime, by: timedelta) -> datetime:
    try:
        return instant + by
    except OverflowError:
        return instant


def _seen(periods: Sequence[Period], first: datetime, last: datetime) -> set[str | None]:
    """The revisions of one id that were in force at some time of a span; None: none was."""
    instants = [first, last]
    for one in periods:
        edges = (one.starts_at, one.ends_at)
        instants += [edge for edge in edges if edge is not None and first < edge <= last]
    return {
        next((one.ruleset for one in periods if one.holds(instant)), None) for instant in instants
    }
