"""Tien Gow (打天九) of eight and of four tiles: one set of rules, two games."""

from replay.game import Game
from replay.telling import say
from replay.tien_gow.compare import judge, render
from replay.tien_gow.derive import derive
from replay.tien_gow.hold import hold
from replay.tien_gow.options import OPTIONS_BIG, OPTIONS_SMALL, prepare_big, prepare_small
from replay.tien_gow.record import SmallTienGowHand, TienGowHand, check
from replay.tien_gow.rules import RULES
from replay.tien_gow.seen import conceal
from replay.tien_gow.tell import tell

__all__ = ["BIG", "SMALL"]

_UNEXPLAINED = frozenset({"result-missing", "not-conserved"})

BIG = Game(
    name="tien-gow",
    prefix="tg",
    title=say("Tien Gow"),
    title_hant=say("打天九"),
    hand_type=TienGowHand,
    options=OPTIONS_BIG,
    prepare=prepare_big,
    check=check,
    judge=judge,
    render=render,
    tell=tell,
    derive=derive,
    conceal=conceal,
    hold=hold,
    rules=RULES,
    unexplained=_UNEXPLAINED,
)

# No source gives the small game a par or a pay table: whatever is found in it rests on a
# derivation (RULEBOOK 3.11).
SMALL = Game(
    name="small-tien-gow",
    prefix="tg",
    title=say("Small Tien Gow"),
    title_hant=say("小天九"),
    hand_type=SmallTienGowHand,
    options=OPTIONS_SMALL,
    prepare=prepare_small,
    check=check,
    judge=judge,
    render=render,
    tell=tell,
    derive=derive,
    conceal=conceal,
    hold=hold,
    rules=RULES,
    unexplained=_UNEXPLAINED,
    confidence="D",
)
