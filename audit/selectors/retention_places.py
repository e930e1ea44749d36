"""The classes and sources that have records, each of which has a term."""

from __future__ import annotations

from django.db import connection

from audit.models import RecordClass
from audit.selectors.access import Sources

_SOURCES = """
SELECT source FROM audit_table UNION SELECT source FROM audit_case
UNION SELECT source FROM audit_retentionterm WHERE source IS NOT NULL ORDER BY source
"""


def known_sources(*, sources: Sources) -> tuple[str, ...]:
    """The sources with records or with a term, by name."""
    with connection.cursor() as cursor:
        cursor.execute(_SOURCES)
        found = [source for (source,) in cursor.fetchall()]
    return tuple(sorted(one for one in found if sources is None or one in sources))


def places(*, sources: Sources) -> tuple[tuple[RecordClass, str | None], ...]:
    """Each class with each source that may have records of it; None: with no source."""
    names = known_sources(sources=sources)
    found: list[tuple[RecordClass, str | None]] = []
    for record_class in (RecordClass.HANDS, RecordClass.CASES, RecordClass.JOURNAL):
        found += [(record_class, name) for name in names]
        if sources is None and record_class != RecordClass.CASES:
            found.append((record_class, None))
    return tuple(found)
