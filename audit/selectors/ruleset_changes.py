"""Changes of rules as significant events: time, item, user, reason, value before, value after.

A revision that is published and a revision that comes into force somewhere are told option by
option, so that a change of the rake is a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Literal

from django.db.models import Q

import replay
from audit.models import Hand, RulesetRevision, RulesetState, RulesetSwitch, SwitchKind
from audit.selectors.access import Sources
from audit.selectors.rulesets import current_rulesets, file_rulesets
from audit.selectors.rulesets_force import list_periods, names_out_of_force, periods_of
from audit.selectors.rulesets_revisions import option_changes, previous_of, written

Kind = Literal["published", "retired", "withdrawn", "in-force", "ended", "taken-back"]
# An event of the whole ruleset beside those of its options.
WHOLE = "revision"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """One change. `at` is when it was made, `effective_at` from when it holds.

    `item` names what was changed, `option` (with its `rule`) is WHOLE for the revision itself.
    `source` is None where every source is concerned. `before` and `after` are never both empty.
    """

    at: datetime
    effective_at: datetime
    kind: Kind
    source: str | None
    game: str
    item: str
    option: str
    rule: str | None
    user: str
    reason: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfForce:
    """A hand that names a revision that was not in force; `in_force` are those that were."""

    hand_pk: int
    at: datetime
    source: str
    table: str
    hand_id: str
    game: str
    named: str
    in_force: tuple[str, ...]


def changes(
    *, sources: Sources, since: datetime | None = None, until: datetime | None = None
) -> tuple[RuleChange, ...]:
    """Changes made from `since` to before `until`, the earliest first.

    What concerns every source is seen by whoever sees any.
    """
    found = [*_of_revisions(), *_of_switches(sources)]
    kept = [
        one
        for one in found
        if (since is None or one.at >= since) and (until is None or one.at < until)
    ]
    if sources is not None and not sources:
        return ()
    return tuple(sorted(kept, key=lambda one: (one.at, one.kind, one.source or "")))


def _of_revisions() -> Iterator[RuleChange]:
    known = current_rulesets()
    published_before = list(file_rulesets())
    rows = RulesetRevision.objects.select_related("author", "published_by", "closed_by")
    for row in rows.order_by("publication", "pk"):
        if row.published_at is not None:
            ruleset = known.get(row.name)
            assert ruleset is not None, "what is published is known"
            yield from _published(row, ruleset, published_before)
            published_before.append(ruleset)
        if row.closed_at is not None:
            assert row.closed_by is not None
            is_draft = row.state == RulesetState.WITHDRAWN
            yield RuleChange(
                at=row.closed_at,
                effective_at=row.closed_at,
                kind="withdrawn" if is_draft else "retired",
                source=None,
                game=row.game,
                item=row.name,
                option=WHOLE,
                rule=None,
                user=row.closed_by.get_username(),
                reason=row.close_reason,
                before="draft" if is_draft else "published",
                after=row.state,
            )


def _published(
    row: RulesetRevision, ruleset: replay.Ruleset, published_before: list[replay.Ruleset]
) -> Iterator[RuleChange]:
    assert row.published_at is not None
    assert row.published_by is not None
    yield from _told(
        previous_of(ruleset, published_before),
        ruleset,
        at=row.published_at,
        effective_at=row.published_at,
        kind="published",
        source=None,
        user=row.published_by.get_username(),
        reason=row.publish_reason,
    )


def _of_switches(sources: Sources) -> Iterator[RuleChange]:
    """Each switch against what was in force just before it, as it was known when it was said."""
    known = current_rulesets()
    found = RulesetSwitch.objects.select_related("declared_by", "cancels").order_by("pk")
    if sources is not None:
        found = found.filter(source__in=sources)
    said: list[RulesetSwitch] = []
    for switch in found:
        place = (switch.source, switch.game, switch.ruleset_id)
        before = _in_force(said, place, switch.effective_at)
        said.append(switch)
        after = _in_force(said, place, switch.effective_at)
        kinds: dict[str, Kind] = {
            SwitchKind.START: "in-force",
            SwitchKind.END: "ended",
            SwitchKind.CANCEL: "taken-back",
        }
        yield from _told(
            known.get(before),
            known.get(after),
            at=switch.declared_at,
            effective_at=switch.effective_at,
            kind=kinds[switch.kind],
            source=switch.source,
            user=switch.declared_by.get_username(),
            reason=switch.reason,
            game=switch.game,
            names=(before, after),
        )


def _in_force(said: list[RulesetSwitch], place: tuple[str, str, str], instant: datetime) -> str:
    """The revision of one id in force at one source by these switches; empty where none is."""
    of_it = [one for one in said if (one.source, one.game, one.ruleset_id) == place]
    of_it.sort(key=lambda one: (one.effective_at, one.pk))
    return next((one.ruleset for one in periods_of(of_it) if one.holds(instant)), "")


def _told(
    before: replay.Ruleset | None,
    after: replay.Ruleset | None,
    *,
    at: datetime,
    effective_at: datetime,
    kind: Kind,
    source: str | None,
    user: str,
    reason: str,
    game: str = "",
    names: tuple[str, str] | None = None,
) -> Iterator[RuleChange]:
    """The change of a revision, and behind it each option that it changes."""
    whole = after or before
    if names is None:
        names = ("" if before is None else before.name, "" if after is None else after.name)
    title = names[1] or names[0]
    rows: list[tuple[str, str | None, str, str]] = [(WHOLE, None, names[0], names[1] or "none")]
    if before is not None and after is not None and before.name != after.name:
        rows += [
            (one.option, one.rule, written(one.before), written(one.after))
            for one in option_changes(before, after)
        ]
    for option, rule, old, new in rows:
        yield RuleChange(
            at=at,
            effective_at=effective_at,
            kind=kind,
            source=source,
            game=game or ("" if whole is None else whole.game),
            item=title if option == WHOLE else f"{title} {option}",
            option=option,
            rule=rule,
            user=user,
            reason=reason,
            before=old or "none",
            after=new or "none",
        )


def each_out_of_force(
    *,
    sources: Sources,
    since: datetime | None = None,
    until: datetime | None = None,
    kept_to: Q | None = None,
) -> Iterator[OutOfForce]:
    """Hands played from `since` to before `until` that name a revision that was not in force.

    The earliest first, one at a time; `kept_to` narrows the hands further.
    """
    periods = list_periods(sources=sources)
    if not periods:
        return
    found = Hand.objects.filter(kept_to or Q(), names_out_of_force(periods))
    if since is not None:
        found = found.filter(played_at__gte=since)
    if until is not None:
        found = found.filter(played_at__lt=until)
    rows = found.order_by("played_at", "pk").values_list(
        "pk", "played_at", "source", "table", "hand_id", "game", "ruleset"
    )
    for pk, played_at, source, table, hand_id, game, ruleset in rows.iterator():
        yield OutOfForce(
            hand_pk=pk,
            at=played_at,
            source=source,
            table=table,
            hand_id=hand_id,
            game=game,
            named=ruleset,
            in_force=tuple(
                one.ruleset
                for one in periods
                if (one.source, one.game) == (source, game) and one.holds(played_at)
            ),
        )


def hands_out_of_force(
    *,
    sources: Sources,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1_000,
) -> tuple[OutOfForce, ...]:
    """The first of them, at most `limit`."""
    return tuple(islice(each_out_of_force(sources=sources, since=since, until=until), limit))
