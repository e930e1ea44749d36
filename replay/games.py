"""The registry of games. To add a game, write its package and put its `Game` here."""

from __future__ import annotations

from collections.abc import Mapping

from replay.banker_pai_gow import GAME as BANKER_PAI_GOW
from replay.game import Game
from replay.tien_gow import BIG as TIEN_GOW
from replay.tien_gow import SMALL as SMALL_TIEN_GOW
from replay.wenzhou_pai_gow import GAME as WENZHOU_PAI_GOW

GAMES: Mapping[str, Game] = {
    game.name: game for game in (BANKER_PAI_GOW, TIEN_GOW, SMALL_TIEN_GOW, WENZHOU_PAI_GOW)
}
