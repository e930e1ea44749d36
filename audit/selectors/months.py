"""The month of receipt that the key of a hand carries (ADR 6), and with it all that belongs to the
hand: the tables of hands, versions, verdicts and findings are parted by it.

A key is the number of the month since January 2020, times 2^40, plus what a sequence gave. Rows
from before there were months have month 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Lookup, Q, QuerySet

MONTH_BITS = 40
FIRST_YEAR = 2020
_YEAR = 12


def month_of(key: int) -> int:
    """The number of a key's month."""
    return key >> MONTH_BITS


def first_key(month: int) -> int:
    """No key of this month or a later one is less."""
    return month << MONTH_BITS


def month_at(day: date) -> int:
    """The number of the month that a day lies in."""
    return (day.year - FIRST_YEAR) * _YEAR + day.month - 1


def day_of(month: int) -> date:
    """The first day of a month."""
    return date(FIRST_YEAR + month // _YEAR, month % _YEAR + 1, 1)


def around(keys: Iterable[int]) -> tuple[int, int]:
    """The least and the greatest key of the months that some keys lie in.

    What belongs to a row lies in its month, so this leads the database to few partitions where it
    would look into all. No keys: a range of none.
    """
    known = list(keys)
    if not known:
        return 0, -1
    return first_key(month_of(min(known))), first_key(month_of(max(known)) + 1) - 1


def within(column: str, keys: Iterable[int]) -> Q:
    """The same for a query: `column` is a key of a month that some keys lie in."""
    first, last = around(keys)
    return Q(**{f"{column}__gte": first, f"{column}__lte": last})


class _Among(Lookup):
    """`column = ANY(array)`."""

    lookup_name = "among"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        column, values = self.process_lhs(compiler, connection)
        array, more = compiler.compile(self.rhs)
        return f"{column} = ANY({array})", (*values, *more)


def among(column: str, keys: QuerySet[Any, Any]) -> Q:
    """Rows whose `column` is one of the keys that a query gives, of which there are few.

    As IN would have it, but the keys are taken first: a join is planned as though each of them
    were looked for in every month, so that reading all months would seem to be cheaper.
    """
    return Q(_Among(F(column), ArraySubquery(keys)))


def in_month_of(key: str, other: str) -> str:
    """SQL: the key in the first expression lies in the month of the one in the second.

    The second is one that the database knows before it looks up the first.
    """
    return (
        f"{key} BETWEEN ({other} >> {MONTH_BITS}) << {MONTH_BITS}"
        f" AND ((({other} >> {MONTH_BITS}) + 1) << {MONTH_BITS}) - 1"
    )
