"""The registry of games. To add a game, write its package and put its `GAME` here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from replay.game import Game

# BOOTSTRAP ONLY: the packages are being written at the same time.
_found = []
for _module, _attribute in (
    ("banker_pai_gow", "GAME"),
    ("tien_gow", "BIG"),
    ("tien_gow", "SMALL"),
    ("wenzhou_pai_gow", "GAME"),
):
    try:
        _found.append(getattr(importlib.import_module(f"replay.{_module}"), _attribute))
    except (ImportError, AttributeError) as _error:
        print("replay.games bootstrap:", _module, _error, file=__import__("sys").stderr)
GAMES: Mapping[str, Game] = {game.name: game for game in _found}
