"""What belongs to which source: the one way in which all that is read is narrowed.

`sources` is None for every source: then no condition is added, and a query is planned as if there
were no such thing. A set, also an empty one, keeps to what lies in it. What lies elsewhere is not
there: not found, in no list, in no count.

A hand, a case, a claim, a table, a certificate and a name lie in one source. An upload lies in all
the sources that its lines name, and is seen by whoever sees each of them; a re-audit likewise in
all that it was limited to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from audit.models import Upload
from audit.models.uploads import UploadSource
from audit.selectors.access import Sources

NOTHING = Q(pk__in=[])


def in_sources(sources: Sources, column: str = "source") -> Q:
    """Rows whose column names one of these sources."""
    if sources is None:
        return Q()
    return Q(**{f"{column}__in": sorted(sources)})


def holds(sources: Sources, source: str) -> bool:
    """Whether a source is one of these."""
    return sources is None or source in sources


def narrowed(sources: Sources, column: str, parameters: dict[str, Any]) -> str:
    """The same as a condition of SQL, to be put behind another one; empty where nothing narrows.

    The list of names goes into `parameters`, as `sources`.
    """
    if sources is None:
        return ""
    parameters["sources"] = sorted(sources)
    return f' AND {column} = ANY(%(sources)s::text[] COLLATE "C")'


def within(sources: Sources, column: str = "limited_to") -> Q:
    """Rows whose list of sources holds none but these; None there stands for every source."""
    if sources is None:
        return Q()
    return Q(**{f"{column}__isnull": False, f"{column}__contained_by": sorted(sources)})


def uploads_in(sources: Sources, *, account_id: int | None = None) -> Q:
    """Uploads that have lines of these sources alone.

    A sender also sees what was handed in by him and has no hand of another source: that its lines
    were refused, and why, is for him to know.
    """
    if sources is None:
        return Q()
    if not sources:
        return NOTHING
    named = UploadSource.objects.filter(upload_id=OuterRef("pk"))
    outside = named.exclude(source__in=sorted(sources))
    inside = named.filter(source__in=sorted(sources))
    seen = Exists(inside) & ~Exists(outside)
    if account_id is None:
        return Q(seen)
    return Q(seen) | Q(~Exists(outside.filter(has_hands=True)), received_by_id=account_id)


def uploads_seen(
    upload_ids: Iterable[int], *, sources: Sources, account_id: int | None = None
) -> frozenset[int]:
    """Which of these uploads may be named; asks the database only where something narrows."""
    named = frozenset(upload_ids)
    if sources is None or not named:
        return named
    found: QuerySet[Upload, int] = Upload.objects.filter(
        uploads_in(sources, account_id=account_id), pk__in=named
    ).values_list("pk", flat=True)
    return frozenset(found)
