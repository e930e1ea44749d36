"""Wenzhou Pai Gow (温州牌九): three doors against the house, bet on by players without tiles.

`record` reads a hand, `ranking` compares two tiles, `play` replays, `payout` settles and compares
with the log, `tell` and `derive` show how (RULEBOOK 4, FORMAT 2.3).
"""

from replay.game import Game
from replay.telling import say
from replay.wenzhou_pai_gow.derive import derive
from replay.wenzhou_pai_gow.hold import hold
from replay.wenzhou_pai_gow.options import OPTIONS, prepare
from replay.wenzhou_pai_gow.payout import judge, render
from replay.wenzhou_pai_gow.record import WenzhouHand, check
from replay.wenzhou_pai_gow.rules import RULES
from replay.wenzhou_pai_gow.seen import conceal
from replay.wenzhou_pai_gow.tell import tell

GAME = Game(
    name="wenzhou-pai-gow",
    prefix="wz",
    title=say("Wenzhou Pai Gow"),
    title_hant=say("温州牌九"),
    hand_type=WenzhouHand,
    options=OPTIONS,
    prepare=prepare,
    check=check,
    judge=judge,
    render=render,
    tell=tell,
    derive=derive,
    conceal=conceal,
    hold=hold,
    rules=RULES,
)

__all__ = ["GAME"]
