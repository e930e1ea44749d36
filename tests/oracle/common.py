"""Tiles and arithmetic that all games need (docs/rules.md, chapters 2 and 3)."""

from fractions import Fraction
from math import floor

CIVIL = ["66", "11", "44", "13", "55", "33", "22", "56", "46", "16", "15"]
MILITARY = ["36", "45", "26", "35", "25", "34", "24", "14", "23", "12"]
ALL_TILES = CIVIL + CIVIL + MILITARY

VALUE = {
    "66": 12, "11": 2, "44": 8, "13": 4, "55": 10, "33": 6, "22": 4, "56": 11, "46": 10,
    "16": 7, "15": 6,
    "36": 9, "45": 9, "26": 8, "35": 8, "25": 7, "34": 7, "24": 6, "14": 5, "23": 5, "12": 3,
}  # fmt: skip


class NotLegal(Exception):
    """The rules refuse an action of this hand, or one that they require is missing."""


def require(condition: bool, sentence: str) -> None:
    """Refuse the hand unless the condition holds."""
    if not condition:
        raise NotLegal(sentence)


def minor(text: str, digits: int) -> int:
    """Read "80.5" as whole minor units."""
    amount = Fraction(text) * 10**digits
    assert amount.denominator == 1, text
    return amount.numerator


def money(amount: int, digits: int) -> str:
    """Write minor units with exactly `digits` decimals."""
    sign = "-" if amount < 0 else ""
    text = str(abs(amount)).rjust(digits + 1, "0")
    if digits == 0:
        return sign + text
    return sign + text[:-digits] + "." + text[-digits:]


def rounded(exact: Fraction, way: str) -> int:
    """Round to whole units: `floor`, or `half_up` where an exact half goes up."""
    if way == "floor":
        return floor(exact)
    if way == "half_up":
        return floor(exact + Fraction(1, 2))
    raise ValueError(way)


def rake_of(gross: int, rate: str, way: str) -> int:
    """Take the rake of a win; nothing of a loss, nothing at a rate of 0 (ruling 5)."""
    if gross <= 0 or Fraction(rate) == 0:
        return 0
    exact = gross * Fraction(rate)
    if way == "min_one":
        return max(1, rounded(exact, "floor"))
    return rounded(exact, way)


def share(total: int, weights: dict[int, int], order: list[int], way: str) -> dict[int, int]:
    """Split a total in proportion to weights; `order` says which seat is earlier."""
    sharing = [seat for seat in order if weights[seat] > 0]
    whole = sum(weights[seat] for seat in sharing)
    shares = dict.fromkeys(order, 0)
    fractions = {}
    for seat in sharing:
        exact = Fraction(total * weights[seat], whole)
        shares[seat] = floor(exact)
        fractions[seat] = exact - floor(exact)
    spare = total - sum(shares.values())
    if not sharing or way == "truncate":
        return shares
    if way == "last_takes_rest":
        shares[sharing[-1]] += spare
        return shares
    assert way == "largest_remainder", way
    # A sort keeps the order of equals, so the earlier seat comes first.
    for seat in sorted(sharing, key=lambda seat: -fractions[seat])[:spare]:
        shares[seat] += 1
    return shares


def seats_of(hand: dict) -> dict[int, int]:
    """Read the carry-in of each seat."""
    return {
        entry["seat"]: minor(entry["carry_in"], hand["minor_digits"]) for entry in hand["seats"]
    }


def require_set(tiles: list[str]) -> None:
    """Refuse more copies of a tile than the set holds."""
    for tile in tiles:
        require(tiles.count(tile) <= ALL_TILES.count(tile), f"too many {tile}")
