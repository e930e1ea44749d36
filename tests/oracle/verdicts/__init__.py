"""An independent second reading of FORMAT.md: whole verdict lines, slow and plain.

It shares no code with the package under test and imports nothing of it. What a hand settles at is
the other oracle's answer; here are the findings: which, where, what follows, what explains them.
A line must be one that can be read.
"""

import json
from typing import Any

from tests.oracle import NotLegal, settle
from tests.oracle.verdicts import across, pai_gow, tien_gow, wenzhou
from tests.oracle.verdicts.common import Findings, Stop, is_void

__all__ = ["judge", "judge_all"]

GAMES = {
    "banker-pai-gow": pai_gow,
    "tien-gow": tien_gow,
    "small-tien-gow": tien_gow,
    "wenzhou-pai-gow": wenzhou,
}


def judge(line: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """The verdict on one hand-log/1 line: its kind, its findings, its settlement.

    Raises: NotLegal, where the two oracles disagree whether the hand is legal.
    """
    hand = json.loads(line)
    game, findings = GAMES[hand["game"]], Findings()
    settlement = None
    try:
        game.walk(hand, options, findings)
        settlement = settle(line, options)
    except Stop:
        if is_void(hand):
            settlement = settle(line, options)
        else:
            refuse_to_settle(line, options)
    if settlement is not None:
        if hand["result"] is not None:
            game.compare_result(line, hand, options, settlement, findings)
        elif not is_void(hand):
            findings.add("result-missing", None)
    return verdict_of(hand, findings.made, settlement)


def verdict_of(hand: dict[str, Any], findings: list[Any], settlement: Any) -> dict[str, Any]:
    """The verdict with its kind."""
    is_wrong = any(finding["severity"] == "error" for finding in findings)
    kind = "discrepant" if is_wrong else "void" if is_void(hand) else "clean"
    return {"verdict": kind, "findings": findings, "settlement": settlement}


def judge_all(log: list[tuple[bytes, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The verdicts on a log with the findings across hands; of each line its ruleset's options."""
    verdicts, last = [], {}
    for line, options in log:
        hand, verdict = json.loads(line), judge(line, options)
        place, own = (hand["source"], hand["table"]), (hand, options, verdict["settlement"])
        if place in last:
            more = across.compare(last[place], own)
            verdict = verdict_of(hand, verdict["findings"] + more, verdict["settlement"])
        last[place] = own
        verdicts.append(verdict)
    return verdicts


def refuse_to_settle(line: bytes, options: dict[str, Any]) -> None:
    """A hand that stopped is not legal for the other oracle either."""
    try:
        settle(line, options)
    except NotLegal:
        return
    raise NotLegal("the hand stopped, but it settles")
