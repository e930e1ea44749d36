"""Times of RFC 3339, exactly: fractions of any length, leap seconds (FORMAT 6.2, 15)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


def parse_time(text: str) -> tuple[datetime, str]:
    """Read an RFC 3339 time (FORMAT 6.2, 15) as a sortable pair.

    Returns: the instant in UTC to the whole second, and the digits of its fraction without
    trailing zeros, so that a fraction of any length still compares exactly. Second 60 is the last
    instant of its minute: the fraction `~` sorts after every digit.
    Raises: ValueError when it is not one.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError("not an RFC 3339 time with an offset")
    year, month, day, hour, minute, second = (int(match.group(i)) for i in range(1, 7))
    fraction = (match.group(7) or "").rstrip("0")
    leap = second == 60
    offset = timedelta(0)
    if match.group(8) is None:
        hours, minutes = int(match.group(10)), int(match.group(11))
        if hours > 23 or minutes > 59:
            raise ValueError("offset out of range")
        offset = timedelta(hours=hours, minutes=minutes)
        if match.group(9) == "-":
            offset = -offset
    local = datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=UTC)
    try:
        instant = local - offset
    except OverflowError:
        # 0001-01-01 east of UTC, or 9999-12-31 west of it: legal, but outside of datetime. The
        # offset is kept apart, which still orders against every time inside the range.
        if leap:
            _check_far_leap_second(year, hour * 60 + minute, offset)
            return local.replace(tzinfo=timezone(offset)), "~"
        return local.replace(tzinfo=timezone(offset)), fraction
    if leap:
        _check_leap_second(instant)
        fraction = "~"
    return instant, fraction


def _check_leap_second(instant: datetime) -> None:
    tomorrow_is_first = instant.day == _month_days(instant.year, instant.month)
    if not (instant.hour == 23 and instant.minute == 59 and tomorrow_is_first):
        raise ValueError("second 60 outside of the last minute of a month in UTC")


def _check_far_leap_second(year: int, minute: int, offset: timedelta) -> None:
    """The same where UTC lies outside of the years 1 to 9999: only 31 December of year 0 fits."""
    if year != 1 or (minute - offset // timedelta(minutes=1)) % 1440 != 1439:
        raise ValueError("second 60 outside of the last minute of a month in UTC")


def _month_days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


# The usual form; of two such times of one length and one offset the later one is the greater text.
# 29 February and second 60 are not in it.
_USUAL_TIME = re.compile(
    r"(?!0000)[0-9]{4}-"
    r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)


def is_later_as_text(early: str, late: str) -> bool:
    """Tell whether both are times and the second is not before the first, where texts show it.

    False says nothing: then both must be parsed.
    """
    if early > late or len(early) != len(late):
        return False
    first, last = _USUAL_TIME.fullmatch(early), _USUAL_TIME.fullmatch(late)
    return first is not None and last is not None and first[1] == last[1]
