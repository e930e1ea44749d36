"""Times of RFC 3339 as FORMAT 6.2, 15 reads them."""

import calendar
import re
from datetime import date
from fractions import Fraction

PATTERN = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


def instant(text):
    """Minutes since the year 1 in UTC and the second in that minute; None for what is no time."""
    found = PATTERN.fullmatch(text) if type(text) is str else None
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found[group]) for group in range(1, 7))
    if year < 1 or month not in range(1, 13) or day not in range(1, days_of(year, month) + 1):
        return None
    if hour > 23 or minute > 59 or second > 60:
        return None
    offset = 0
    if found[8] is not None:
        if int(found[9]) > 23 or int(found[10]) > 59:
            return None
        offset = (60 * int(found[9]) + int(found[10])) * (1 if found[8] == "+" else -1)
    minutes = date(year, month, day).toordinal() * 1_440 + 60 * hour + minute - offset
    if second == 60:
        # The last instant of its minute: behind every other, whatever its fraction.
        return (minutes, Fraction(60)) if may_leap(minutes) else None
    fraction = found[7] or "0"
    return minutes, second + Fraction(int(fraction), 10 ** len(fraction))


def days_of(year, month):
    """How many days a month has."""
    return calendar.monthrange(year, month)[1]


def may_leap(minutes):
    """Whether a UTC minute is 23:59 on the last day of a month."""
    day, minute = divmod(minutes, 1_440)
    if minute != 1_439:
        return False
    if not 1 <= day <= date.max.toordinal():
        # The day before the year 1 ends a December; so does none behind the year 9999.
        return day == 0
    on = date.fromordinal(day)
    return on.day == days_of(on.year, on.month)
