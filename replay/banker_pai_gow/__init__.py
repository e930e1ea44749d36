"""Banker-bidding Pai Gow 搶莊牌九 (RULEBOOK 2, FORMAT 2.1)."""

from __future__ import annotations

from replay.banker_pai_gow.derive import derive
from replay.banker_pai_gow.hold import hold
from replay.banker_pai_gow.options import OPTIONS, prepare
from replay.banker_pai_gow.payout import judge, render
from replay.banker_pai_gow.record import PaiGowHand, check
from replay.banker_pai_gow.rules import RULES
from replay.banker_pai_gow.seen import conceal
from replay.banker_pai_gow.tell import tell
from replay.game import Game
from replay.telling import say

GAME = Game(
    name="banker-pai-gow",
    prefix="pg",
    title=say("Banker Pai Gow"),
    title_hant=say("搶莊牌九"),
    hand_type=PaiGowHand,
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
