"""Amounts in integer minor units, exact rates, and the only division of the project.

Text amounts follow FORMAT 6.2, 13. No amount ever passes through a float.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MAGNITUDE_LIMIT = 10**15
MINOR_DIGITS_MAX = 8
# How many amounts of one number of decimals are kept, to read and to write.
KEPT_MAX = 2_048

# The limit is on the amount, not on the minor units: 16 whole digits are always too many.
_WHOLE = "-?(?:0|[1-9][0-9]{0,14})"
# By the number of decimals.
_MONEY = (
    re.compile(_WHOLE),
    *(
        re.compile(rf"{_WHOLE}(?:\.[0-9]{{1,{digits}}})?")
        for digits in range(1, MINOR_DIGITS_MAX + 1)
    ),
)
_ANY_MONEY = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(?:\.([0-9]+))?", re.ASCII)


class MoneyError(ValueError):
    """A text that is not an amount; the message says why."""


def parse_minor(text: str, digits: int) -> int:
    """Read a decimal amount as integer minor units.

    Raises: MoneyError when the text is not of the form of FORMAT 6.2, 13, has more than
    `digits` decimals, is a negative zero, or reaches 10^15.
    """
    if _MONEY[digits].fullmatch(text) is None:
        raise MoneyError(_fault_of(text, digits))
    whole, _, fraction = text.partition(".")
    units = int(whole + fraction.ljust(digits, "0"))
    if units == 0 and text[0] == "-":
        raise MoneyError("a negative zero")
    return units


def _fault_of(text: str, digits: int) -> str:
    match = _ANY_MONEY.fullmatch(text)
    if match is None:
        return "not a plain decimal amount"
    if len(match[2] or "") > digits + 1:
        return f"more than {digits} decimals"
    return "magnitude not below 10^15"


def format_minor(units: int, digits: int) -> str:
    """Write minor units with exactly `digits` decimals: the inverse of `parse_minor`."""
    if digits == 0:
        return str(units)
    text = str(abs(units)).rjust(digits + 1, "0")
    sign = "-" if units < 0 else ""
    return f"{sign}{text[:-digits]}.{text[-digits:]}"


class _Units(dict[str, int]):
    """Amounts that were read, by their text; another one is read when it is asked for."""

    def __init__(self, digits: int) -> None:
        super().__init__()
        self._digits = digits

    def __missing__(self, text: str) -> int:
        units = parse_minor(text, self._digits)
        if len(self) >= KEPT_MAX:
            self.clear()
        self[text] = units
        return units


class _Texts(dict[int, str]):
    """Amounts that were written, by their minor units."""

    def __init__(self, digits: int) -> None:
        super().__init__()
        self._digits = digits

    def __missing__(self, units: int) -> str:
        text = format_minor(units, self._digits)
        if len(self) >= KEPT_MAX:
            self.clear()
        self[units] = text
        return text


# By the number of decimals: `UNITS_OF[2]["-26.67"]` is -2667, and `TEXT_OF[2][-2667]` the inverse.
# A hand has some forty amounts, and the same ones come again and again.
UNITS_OF: Sequence[Mapping[str, int]] = tuple(map(_Units, range(MINOR_DIGITS_MAX + 1)))
TEXT_OF: Sequence[Mapping[int, str]] = tuple(map(_Texts, range(MINOR_DIGITS_MAX + 1)))


@dataclass(frozen=True, slots=True)
class Rate:
    """An exact non-negative rate `numerator / denominator`, e.g. 5 / 100."""

    numerator: int
    denominator: int
    text: str

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Read a decimal string such as `"0.05"`.

        Raises: MoneyError when it is not a plain non-negative decimal.
        """
        match = _DECIMAL.fullmatch(text)
        if match is None:
            raise MoneyError("not a plain decimal of 0 or more")
        whole, fraction = match.group(1), match.group(2) or ""
        return cls(int(whole + fraction), 10 ** len(fraction), text)

    def is_above(self, limit: int) -> bool:
        """Tell whether the rate is greater than a whole number."""
        return self.numerator > limit * self.denominator

    def floor_of(self, amount: int) -> int:
        """`amount` × rate, rounded toward minus infinity."""
        return amount * self.numerator // self.denominator

    def half_up_of(self, amount: int) -> int:
        """`amount` × rate, rounded half up (an exact half goes up)."""
        return (2 * amount * self.numerator + self.denominator) // (2 * self.denominator)

    def exact_text_of(self, amount: int, digits: int) -> str:
        """`amount` × rate written out in full, for a derivation: 4.8175."""
        scale = len(str(self.denominator)) - 1
        return format_minor(amount * self.numerator, digits + scale)


def rake_of(amount: int, rate: Rate, rounding: str) -> int:
    """Rake of a positive win; 0 for anything else, and 0 under a rate of 0 (ruling 5).

    `rounding` is `floor`, `half_up` or `min_one` (floor, but at least one minor unit).
    """
    if amount <= 0 or rate.numerator == 0:
        return 0
    if rounding == "half_up":
        return rate.half_up_of(amount)
    fee = rate.floor_of(amount)
    if fee == 0 and rounding == "min_one":
        return 1
    return fee


def quotient_text(amount: int, numerator: int, denominator: int, digits: int) -> str:
    """amount × numerator / denominator with four more digits, for a derivation: 89.4013….

    All of zero or more. The mark `…` stands where digits were cut off.
    """
    scaled = amount * numerator * 10**4
    text = format_minor(scaled // denominator, digits + 4)
    return f"{text}…" if scaled % denominator else text


def scale_floor(amount: int, numerator: int, denominator: int) -> int:
    """floor(amount × numerator / denominator), for caps that scale a whole side."""
    return amount * numerator // denominator


def share_floor(total: int, weights: Sequence[int]) -> list[int]:
    """Split `total` in proportion to `weights`, each share rounded down; spare units stay over."""
    whole = sum(weights)
    if whole == 0:
        return [0] * len(weights)
    return [total * weight // whole for weight in weights]


def share_largest_remainder(total: int, weights: Sequence[int]) -> list[int]:
    """Split `total` exactly: floor each share, spare units to the largest fractional parts.

    Equal fractions go to the earlier position in `weights`, so the caller orders the seats.
    Only positions of positive weight share (ruling 3).
    """
    whole = sum(weights)
    if whole == 0:
        return [0] * len(weights)
    shares = [total * weight // whole for weight in weights]
    spare = total - sum(shares)
    if spare:
        order = sorted(range(len(weights)), key=lambda i: (-(total * weights[i] % whole), i))
        for position in order[:spare]:
            shares[position] += 1
    return shares


def share_last_takes_rest(total: int, weights: Sequence[int]) -> list[int]:
    """Split `total` exactly: floor each share, all spare units to the last sharing position."""
    shares = share_floor(total, weights)
    sharing = [position for position, weight in enumerate(weights) if weight > 0]
    if sharing:
        shares[sharing[-1]] += total - sum(shares)
    return shares
