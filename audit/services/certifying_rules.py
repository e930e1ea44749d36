"""Saying how the gaming day of a table is reckoned. What was said before stays on record."""

from __future__ import annotations

from django.contrib.auth.models import User

from audit.models import DayRule, Numbering, Table
from audit.models.certificates import MINUTES_A_DAY
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.certificates_days import current_rules, is_zone
from replay import say


class DayRuleRefused(ValueError):
    """A rule that cannot hold; its text is a sentence for the reader."""


def set_day_rule(
    *,
    sources: Sources,
    source: str,
    table: str,
    time_zone: str,
    starts_at: int,
    numbering: str,
    user: User,
) -> None:
    """Reckon the days of a place from now on so, also those that lie behind.

    Certificates that were made stay as they are and are shown as out of date. Nothing is written
    where the place has that rule of its own already. Raises: DayRuleRefused.
    """
    if table and not source:
        raise DayRuleRefused(say("A table is named together with its source."))
    if not source and sources is not None:
        raise DayRuleRefused(say("Name one of your sources: a rule for all is not yours to make."))
    known = Table.objects.filter(in_sources(sources))
    if source and not known.filter(source=source).exists():
        raise DayRuleRefused(say("There is no such source."))
    if table and not known.filter(source=source, name=table).exists():
        raise DayRuleRefused(say("There is no such table of this source."))
    if time_zone and not is_zone(time_zone):
        raise DayRuleRefused(
            say("“{time_zone}” is no time zone; one is written as Asia/Macau.", time_zone=time_zone)
        )
    if not 0 <= starts_at < MINUTES_A_DAY:
        raise DayRuleRefused(say("A day starts between 00:00 and 23:59."))
    if numbering not in Numbering.values:
        raise DayRuleRefused(say("The ids of hands are numbered, not numbered, or looked at."))
    held = current_rules().by_place.get((source, table))
    if held is not None and (held.time_zone, held.starts_at, held.numbering) == (
        time_zone,
        starts_at,
        numbering,
    ):
        return
    DayRule.objects.create(
        source=source,
        table=table,
        time_zone=time_zone,
        starts_at=starts_at,
        numbering=numbering,
        made_by=user,
    )
