"""Tilecourt's rules engine: hand logs in, verdicts out. Pure and deterministic.

This is the front door: the service imports from here and from nowhere deeper.

    rulesets = replay.load_rulesets()
    for line in replay.read_lines(stream):
        verdict = replay.audit(line.data, rulesets, number=line.number)
"""

from replay.audit import (
    Audited,
    Read,
    audit,
    audit_line,
    read,
    reject,
    walk,
    with_findings,
)
from replay.commitments import Commitment, commitment_of
from replay.concealment import AUDITOR, BACK, PUBLIC, UnknownViewpoint, Viewpoint, parse_viewpoint
from replay.continuity import Continuity, Summary, compare, summarise
from replay.findings import CODES, Code, Finding
from replay.game import Game
from replay.games import GAMES
from replay.held import held
from replay.holdings import COMBINATION_OF, COMBINATIONS, PLACES, Combination, Held
from replay.library import load_rulesets, read_ruleset, ruleset_problems
from replay.meaning import Difference, canonical_sha256, differences
from replay.money import format_minor, parse_minor
from replay.partial import (
    CHECKS,
    GAPS,
    Assumption,
    NotCheckable,
    PartiallyAudited,
    PartialVerdict,
    Readable,
    audit_partial,
    judge_partial,
    read_partial,
    reject_partial,
)
from replay.record import Hand, Refusal
from replay.ruleset import BYTES_MAX as RULESET_BYTES_MAX
from replay.ruleset import OptionValue, Ruleset, RulesetError, RulesetProblem, Rulesets
from replay.seen import NoSuchStep, Sight, seen, seen_of
from replay.simulate import simulate
from replay.steps import (
    Board,
    Choice,
    Decision,
    DoorView,
    Figure,
    Part,
    Placed,
    Rule,
    SeatView,
    Stage,
    Step,
    WagerView,
    Walk,
)
from replay.stream import Line, read_lines, read_whole
from replay.telling import Series, Unended, Words, capital, plain, say, tell_by
from replay.tiles import KINDS, TileKind
from replay.times import parse_time
from replay.verdict import ENGINE, Verdict, digest_of, format_verdict
from replay.what_if import Trial, UnknownRules, WhatIf, bisect, changes_of, what_if

__all__ = [
    "AUDITOR", "BACK", "CHECKS", "CODES", "COMBINATIONS", "COMBINATION_OF", "ENGINE", "GAMES",
    "GAPS", "KINDS", "PLACES", "PUBLIC", "RULESET_BYTES_MAX", "Assumption", "Audited", "Board",
    "Choice", "Code", "Combination", "Commitment", "Continuity", "Decision", "Difference",
    "DoorView", "Figure", "Finding", "Game", "Hand", "Held", "Line", "NoSuchStep", "NotCheckable",
    "OptionValue", "Part", "PartialVerdict", "PartiallyAudited", "Placed", "Read", "Readable",
    "Refusal", "Rule", "Ruleset", "RulesetError", "RulesetProblem", "Rulesets", "SeatView",
    "Series", "Sight", "Stage", "Step", "Summary", "TileKind", "Trial", "Unended", "UnknownRules",
    "UnknownViewpoint", "Verdict", "Viewpoint", "WagerView", "Walk", "WhatIf", "Words", "audit",
    "audit_line", "audit_partial", "bisect", "canonical_sha256", "capital", "changes_of",
    "commitment_of", "compare", "differences", "digest_of", "format_minor", "format_verdict",
    "held", "judge_partial", "load_rulesets", "parse_minor", "parse_time", "parse_viewpoint",
    "plain", "read", "read_lines", "read_partial", "read_ruleset", "read_whole", "reject",
    "reject_partial", "ruleset_problems", "say", "seen", "seen_of", "simulate", "summarise",
    "tell_by", "walk", "what_if", "with_findings",
]  # fmt: skip
