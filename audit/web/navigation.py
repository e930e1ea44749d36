"""The main navigation: the areas of the site; those that are opened less often stand in groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.selectors.access import Access, Act


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Some pages under one title. `name` is that of its first page, and of its section."""

    name: str
    title: str | Promise
    act: Act


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Areas that are folded away under one title."""

    title: str | Promise
    areas: tuple[Area, ...]


AREAS: tuple[Area | Group, ...] = (
    Area(name="overview", title=_("Overview"), act=Act.SEE_HANDS),
    Area(name="hands", title=_("Hands"), act=Act.SEE_HANDS),
    Area(name="desk", title=_("Desk"), act=Act.SEE_DESK),
    Area(name="uploads", title=_("Uploads"), act=Act.SEE_UPLOADS),
    Area(name="players", title=_("Players"), act=Act.SEE_HANDS),
    Area(name="totals", title=_("Totals"), act=Act.SEE_REPORTS),
    Area(name="reports", title=_("Reports"), act=Act.SEE_REPORTS),
    Group(
        title=_("Checks"),
        areas=(
            Area(name="certificates", title=_("Completeness"), act=Act.SEE_CERTIFICATES),
            Area(name="reaudits", title=_("Re-audits"), act=Act.SEE_REAUDITS),
            Area(name="evidence", title=_("Evidence"), act=Act.SEE_EVIDENCE),
            Area(name="journal", title=_("Journal"), act=Act.SEE_JOURNAL),
        ),
    ),
    Group(
        title=_("Settings"),
        areas=(
            Area(name="sources", title=_("Sources"), act=Act.SEE_SOURCES),
            Area(name="rules", title=_("Rules"), act=Act.SEE_RULES),
            Area(name="retention", title=_("Retention"), act=Act.MANAGE_RETENTION),
            Area(name="webhooks", title=_("Webhooks"), act=Act.MANAGE_WEBHOOKS),
            Area(name="accounts", title=_("Accounts"), act=Act.REVIEW_ACCESS),
        ),
    ),
)


def areas_for(access: Access) -> Iterator[Area | Group]:
    """The areas that one may open; a group of one area is that area."""
    for one in AREAS:
        if isinstance(one, Area):
            if access.may(one.act):
                yield one
            continue
        open_to = tuple(area for area in one.areas if access.may(area.act))
        if len(open_to) > 1:
            yield Group(title=one.title, areas=open_to)
        else:
            yield from open_to
