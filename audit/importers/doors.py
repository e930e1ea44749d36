"""The six plays of Wenzhou Pai Gow as live platforms write them."""

from __future__ import annotations

import re
from itertools import product

# 1 順門贏, 2 順門輸, 3 出門贏, 4 出門輸, 5 到門贏, 6 到門輸.
PLAYS: dict[str, tuple[str, str]] = {
    str(2 * number + (2 if side == "lose" else 1)): (door, side)
    for number, door in enumerate(("shun", "chu", "dao"))
    for side in ("win", "lose")
}
_DOORS = {"順": "shun", "顺": "shun", "出": "chu", "到": "dao"}
_SIDES = {"贏": "win", "赢": "win", "輸": "lose", "输": "lose"}
# In traditional and in simplified characters.
PLAY_NAMES: dict[str, tuple[str, str]] = {
    f"{door}{gate}{side}": (_DOORS[door], _SIDES[side])
    for door, gate, side in product(_DOORS, ("門", "门"), _SIDES)
}
_BETWEEN = re.compile(r"[,，、;；*|/ ]+")


def outcomes_of(text: str) -> dict[str, str] | None:
    """Which doors won, where a text names each of the three once, as 順門贏, 出門輸, 到門贏.

    None for any other text: its form is not known, and nothing is read out of it.
    """
    found: dict[str, str] = {}
    for word in _BETWEEN.split(text.strip()):
        play = PLAY_NAMES.get(word)
        if play is None or play[0] in found:
            return None
        found[play[0]] = "door" if play[1] == "win" else "bank"
    return found if len(found) == 3 else None
