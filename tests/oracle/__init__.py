"""An independent second reading of docs/rules.md: rankings and settlements, slow and plain.

It shares no code with the package under test and imports nothing of it. Money is whole minor
units; rates are fractions. Only legal hands are settled: anything else raises `NotLegal`.
"""

import json
from typing import Any

from tests.oracle import pai_gow, tien_gow, wenzhou
from tests.oracle.common import NotLegal

__all__ = ["NotLegal", "beats", "rank_name", "settle"]

GAMES = {
    "banker-pai-gow": pai_gow,
    "tien-gow": tien_gow,
    "small-tien-gow": tien_gow,
    "wenzhou-pai-gow": wenzhou,
}


def settle(line: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """Settle one hand-log/1 line, in the shape of `settlement` of verdict/1.

    Raises: NotLegal, where the hand breaks the rules.
    """
    hand = json.loads(line)
    game = GAMES[hand["game"]]
    if hand["events"] and hand["events"][-1]["type"] == "void":
        return game.settle_void(hand)
    return game.settle(hand, options)


def rank_name(game: str, tiles: list[str], options: dict[str, Any]) -> str:
    """Name what tiles make: a rank of 4.2, a class or points of 6.2, a type of 5.3."""
    return GAMES[game].rank_name(tiles, options)


def beats(game: str, tiles: list[str], other: list[str], options: dict[str, Any]) -> bool:
    """Whether a player's tiles beat a banker's, a door's the bank's, or a play beats the lead."""
    return GAMES[game].beats(tiles, other, options)
