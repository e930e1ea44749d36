"""A hand as plain text: its verdict, its events, and each figure stage by stage with its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replay.audit import Audited, walk
from replay.games import GAMES
from replay.ruleset import Rulesets
from replay.steps import Figure, Rule, Stage, Step


def explain(line: bytes, audited: Audited, rulesets: Rulesets) -> str:
    """The derivation of a hand in lines of text.

    `audited` is what `audit_line` made of the same bytes under the same rulesets. A rejected line
    is explained by the place and the reason of its refusal.
    """
    verdict = audited.verdict
    if audited.hand is None:
        return f"line {verdict.line}: rejected\n  {verdict.error}\n"
    assert verdict.game is not None
    game = GAMES[verdict.game]
    walked = walk(line, rulesets)
    lines = [
        f"{game.title} {game.title_hant}  {verdict.hand_id}",
        f"  source {verdict.source}, table {audited.hand.table}, rules {verdict.ruleset}",
        f"  record {verdict.record_sha256}",
        f"  verdict: {verdict.verdict}",
        "",
        "Events",
        *_event_lines(walked.steps),
        "",
        "Findings",
        *([f"  {finding.code}: {finding.message}" for finding in verdict.findings] or ["  none"]),
    ]
    explained = sorted({label for finding in verdict.findings for label in finding.explained_by})
    lines += [f"  The log is right if {label}." for label in explained]
    lines += ["", "Figures", *_figure_lines(walked.figures)]
    cited = {stage.rule for figure in walked.figures for stage in figure.stages if stage.rule}
    cited |= {finding.rule for finding in verdict.findings if finding.rule}
    if not walked.figures:
        lines.append("  none: the replay did not reach the end of the hand")
    lines += ["", "Rules", *_rule_lines(game.rules, cited)]
    return "\n".join(lines) + "\n"


def _event_lines(steps: tuple[Step, ...]) -> Iterator[str]:
    part = None
    for step in steps[1:]:
        if step.part.key != part:
            part = step.part.key
            yield f"  {step.part.title}"
        marks = " (by timer)" if step.is_auto else ""
        if not step.is_judged:
            marks += " (not judged)"
        yield f"    {step.number:>3}  {step.sentence}{marks}"
        for finding in step.findings:
            if finding.event is not None:
                yield f"         ≠ {finding.code}"


def _figure_lines(figures: tuple[Figure, ...]) -> Iterator[str]:
    """Each figure with its stages; what an earlier figure of the seat shows is not repeated."""
    owner = None
    shown: set[Stage] = set()
    for figure in figures:
        if figure.owner != owner:
            owner = figure.owner
            shown = set()
            yield f"  {figure.owner_title}"
        mark = "=" if not figure.findings else "≠"
        logged = "not logged" if figure.logged is None else f"logged {figure.logged}"
        yield f"    {figure.title}: {figure.recomputed}  {mark} {logged}"
        for stage in figure.stages:
            if stage not in shown:
                shown.add(stage)
                yield f"      {_stage_line(stage)}"


def _rule_lines(rules: Mapping[str, Rule], cited: set[str]) -> Iterator[str]:
    """The rules that were cited, in the order of the catalogue."""
    for rule in rules.values():
        if rule.id in cited:
            yield f"  {rule.id} ({rule.confidence}): {rule.sentence}"


def _stage_line(stage: Stage) -> str:
    rule = f"  [{stage.rule}]" if stage.rule is not None else ""
    return f"{stage.title}: {stage.formula} → {stage.value}{rule}"
