"""What a game must bring so that one flow serves them all.

A game is a value in the registry `replay.games`, not a name asked for inside general code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from replay.concealment import Concealed, Viewpoint
from replay.findings import Finding
from replay.holdings import Held
from replay.record import Hand
from replay.ruleset import Option, OptionValue
from replay.steps import Figure, Observer, Rule, Step


class Judgement(msgspec.Struct, kw_only=True):
    """What the replay of one hand under one ruleset says.

    `findings` are those on events, in order, then those without an event; `figures` those on
    `result`, in the order of FORMAT 6.4, 27, without `explained_by`. `settlement` is the game's
    own value in minor units, None when the replay could not reach the end.
    """

    findings: list[Finding]
    figures: list[Finding]
    stopped: bool
    void: bool
    settlement: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game.

    `prepare` compiles the options of a ruleset; `check` reads the amounts of a decoded hand and
    raises Refusal; `judge` replays, settles and compares; `render` writes a settlement in the
    shape of FORMAT 6.4, 32; `tell` gives the steps, with the decisions that a viewer knows of,
    and `derive` the figures with their way;
    `conceal` gives the first so many events of a hand as a viewer has seen them; `hold` what lay
    where, to find hands by.
    """

    name: str
    prefix: str
    title: str
    title_hant: str
    hand_type: type[Hand]
    options: Mapping[str, Option]
    prepare: Callable[[Mapping[str, OptionValue]], Any]
    check: Callable[[Any], Any]
    judge: Callable[[Any, Any, Any, Observer | None], Judgement]
    render: Callable[[Any, int], dict[str, Any]]
    tell: Callable[[Any, Any, Any, Viewpoint], tuple[Step, ...]]
    derive: Callable[[Any, Any, Any], tuple[Figure, ...]]
    conceal: Callable[[Any, Any, Viewpoint, int], Concealed]
    hold: Callable[[Any, Any], tuple[Held, ...]]
    rules: Mapping[str, Rule]
    # Codes on `result` that no option can explain (FORMAT 6.4, 30).
    unexplained: frozenset[str] = frozenset({"result-missing"})
    # Findings of a game that as a whole is derived speak with its confidence (RULEBOOK 3.11).
    confidence: str | None = None
