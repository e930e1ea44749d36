"""What makes findings one cause: a function of the verdict's findings alone (ADR: one cause).

A hand belongs to the cause of its primary finding: the first with severity `error` (FORMAT 3),
which follows from no other. With it go the findings of the same code that do not follow either:
a rake that is wrong at three seats is one fault, not three.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

import replay

_NUMBER = re.compile(r"-?\d+(?:\.(\d+))?", re.ASCII)
_JSON = msgspec.json.Encoder()
# Figures that are one number: amounts, units, tricks.
_FIGURES = frozenset(
    {
        "theoretical-mismatch", "gross-mismatch", "rake-mismatch", "net-mismatch",
        "profit-mismatch", "valid-bet-mismatch", "carry-out-mismatch", "units-mismatch",
        "tricks-mismatch", "banker-multiple", "streak-mismatch",
    }
)  # fmt: skip
# Parts of a structured value (FORMAT 6.5), compared one by one: what stands first in which they
# differ is the relation.
_PARTS = {
    "bonus-mismatch": (re.compile(r"(\S+) (\d) (\S+)", re.ASCII), ("kind", "collector", "units")),
    "trick-mismatch": (re.compile(r"(\d)/(\d+)", re.ASCII), ("seat", "number")),
    "next-mismatch": (re.compile(r"(\d)/(\d+)", re.ASCII), ("banker", "streak")),
}
_RATIOS = {(2, 1): "double", (1, 2): "half", (3, 1): "triple", (4, 1): "fourfold",
           (1, 3): "third", (1, 4): "quarter"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseKey:
    """The fields of a cause. Where an option explains the log, that is the algebra."""

    source: str
    game: str
    ruleset: str
    code: str
    rule: str
    relation: str
    explained_by: tuple[str, ...]

    @property
    def sha256(self) -> bytes:
        fields = (self.source, self.game, self.ruleset, self.code, self.rule, self.relation,
                  self.explained_by)  # fmt: skip
        return hashlib.sha256(_JSON.encode(fields)).digest()


def cause_of(
    findings: Sequence[replay.Finding],
    *,
    source: str,
    game: str,
    ruleset: str,
    rakes: dict[int, str] | None = None,
) -> CauseKey | None:
    """The cause of a hand's findings; None where none of them is an error.

    `rakes` are the recomputed rakes by seat, as text, to tell a net result without its rake.
    """
    primary = next((one for one in findings if one.severity == "error"), None)
    if primary is None:
        return None
    alike = [
        one
        for one in findings
        if one.code == primary.code and one.severity == "error" and not one.follows
    ] or [primary]
    explained = tuple(sorted(primary.explained_by))
    relations = sorted({_relation_of(one, rakes or {}) for one in alike} - {""})
    return CauseKey(
        source=source,
        game=game,
        ruleset=ruleset,
        code=primary.code,
        rule=primary.rule or "",
        relation="" if explained else "+".join(relations),
        explained_by=explained,
    )


def _relation_of(finding: replay.Finding, rakes: dict[int, str]) -> str:
    """How logged and expected stand to each other, in a word; empty where nothing can be said."""
    if finding.code in _FIGURES:
        return _figure_relation(finding, rakes)
    parts = _PARTS.get(finding.code)
    if parts is None:
        return ""
    if finding.logged is None or finding.expected is None:
        return "missing" if finding.logged is None else "surplus"
    pattern, names = parts
    logged, expected = pattern.fullmatch(finding.logged), pattern.fullmatch(finding.expected)
    if logged is None or expected is None:
        return ""
    return next(
        (
            name
            for name, one, other in zip(names, logged.groups(), expected.groups(), strict=True)
            if one != other
        ),
        "",
    )


def _figure_relation(finding: replay.Finding, rakes: dict[int, str]) -> str:
    if finding.logged is None or finding.expected is None:
        return "missing" if finding.logged is None else "surplus"
    pair = _same_scale(finding.logged, finding.expected)
    if pair is None:
        return ""
    logged, expected = pair
    if abs(logged - expected) == 1:
        return "one-more" if logged > expected else "one-less"
    if logged == -expected:
        return "opposite"
    if logged == 0:
        return "zero"
    rake = rakes.get(finding.seat) if finding.seat is not None else None
    if finding.code == "net-mismatch" and rake is not None:
        scaled = _same_scale(rake, finding.expected)
        if scaled is not None and scaled[0] and abs(logged - expected) == scaled[0]:
            return "rake-left-out" if logged > expected else "rake-twice"
    for (over, under), word in _RATIOS.items():
        if logged * under == expected * over:
            return word
    return "other"


def _same_scale(one: str, other: str) -> tuple[int, int] | None:
    """Two decimal texts as integers of one scale."""
    first, second = _NUMBER.fullmatch(one), _NUMBER.fullmatch(other)
    if first is None or second is None:
        return None
    digits = [len(match.group(1) or "") for match in (first, second)]
    scale = max(digits)
    texts = (one.replace(".", ""), other.replace(".", ""))
    units = [int(text) * 10 ** (scale - count) for text, count in zip(texts, digits, strict=True)]
    return units[0], units[1]
