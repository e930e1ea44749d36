"""Rounds of two hands from one shuffle (PG-1, WZ-1): which of them came in with only one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import replay
from audit.selectors.certificates_facts import Facts, HandFact, raw_of
from audit.selectors.rulesets import current_rulesets
from audit.selectors.totals_money import told

LISTED_MAX = 1_000
Json = dict[str, Any]


def round_report(facts: Facts) -> Json:
    """`count` rounds were touched that day; `whole` have both hands, `across` the other one just
    before or after the day, `excused` no second hand because somebody could no longer pay the
    entry (FORMAT 6.6, 35). `doubled` brought one of their hands under several ids."""
    rounds: dict[str, dict[int, list[HandFact]]] = {}
    for hand in facts.hands:
        if hand.round is not None:
            halves = rounds.setdefault(hand.round.id, {1: [], 2: []})
            halves[hand.round.hand].append(hand)
    single = [(name, halves) for name, halves in rounds.items() if not (halves[1] and halves[2])]
    elsewhere = _neighbouring(facts) if single else set()
    across, excused, missing = 0, 0, []
    for name, halves in single:
        lost = 2 if halves[1] else 1
        if (name, lost) in elsewhere:
            across += 1
            continue
        there = (halves[1] or halves[2])[0]
        if lost == 2 and _may_end_early(there):
            excused += 1
            continue
        missing.append(
            {"round": name, "missing": lost, "hand_id": there.hand_id, "game": there.game}
        )
    doubled = [
        {"round": name, "hand": number, "hand_ids": [hand.hand_id for hand in hands]}
        for name, halves in rounds.items()
        for number, hands in halves.items()
        if len(hands) > 1
    ]
    return {
        "count": len(rounds),
        "whole": len(rounds) - len(single),
        "across": across,
        "excused": excused,
        "missing": _listed(missing),
        "doubled": _listed(doubled),
    }


def _listed(entries: Sequence[Json]) -> Json:
    return {"count": len(entries), "listed": list(entries[:LISTED_MAX])}


def _neighbouring(facts: Facts) -> set[tuple[str, int]]:
    """The rounds of the hands just before and after the day: midnight may part a round."""
    versions = [one.version_id for one in (*facts.before, *facts.after)]
    return set(_rounds_in(raw_of(versions).values()))


def _rounds_in(raws: Iterable[bytes]) -> Iterable[tuple[str, int]]:
    for raw in raws:
        found = told(raw).round
        if found is not None:
            yield found.id, found.hand


def _may_end_early(hand: HandFact) -> bool:
    """Whether its ruleset lets the round end after this hand; not where it cannot be told."""
    rulesets = current_rulesets()
    try:
        read = replay.read(raw_of([hand.version_id])[hand.version_id]).hand
    except replay.Refusal:
        return False
    if rulesets.get(read.ruleset) is None:
        return False
    return replay.summarise(read, None, rulesets).may_end_early
