"""One hand that a re-audit judged otherwise: both judgements, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

import replay
from audit.selectors.reaudits import ReauditRow
from audit.selectors.reaudits_report import ChangeDetail
from audit.web import markup
from audit.web.language import phrase, say, told
from audit.web.presenters.findings import FindingCard, present_finding
from audit.web.reaudits_pages import about


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """One figure of a settlement on both sides; None where a side does not have it."""

    where: SafeString | str
    name: str
    before: str | None
    after: str | None

    @property
    def is_other(self) -> bool:
        return self.before != self.after


# In this order figures are computed; a stored settlement has its keys in another.
_ORDER = ("tricks", "units", "theoretical", "gross", "rake", "net", "profit", "valid_bet")
# How the parts of a settlement are told apart, and what they are called.
_PARTS = (("seats", "seat", say("Seat")), ("players", "player", ""), ("bets", "bet", say("Bet")))


def present_change(row: ReauditRow, detail: ChangeDetail) -> dict[str, Any]:
    """Both judgements of one version, side by side."""
    before, after = detail.before.settlement, detail.after.settlement
    return {
        "reaudit": row,
        "about": about(row),
        "detail": detail,
        "sides": tuple(
            {"title": title, "one": one, "findings": _cards(one.findings)}
            for title, one in (
                (phrase("Before"), detail.before),
                (phrase("By this re-audit"), detail.after),
            )
        ),
        "figures": _figures(before or {}, after or {}),
        "is_unsettled": (before is None, after is None),
    }


def _cards(findings: Sequence[replay.Finding] | None) -> tuple[FindingCard, ...]:
    """Findings in words; without a step, for one of other rules need not stand at the same."""
    return tuple(present_finding(one, step=0, options={}) for one in findings or ())


def _figures(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FigureLine]:
    lines = [
        FigureLine(
            where="",
            name=_figure(name),
            before=_text(before.get(name)),
            after=_text(after.get(name)),
        )
        for name in ("winner",)
        if name in before or name in after
    ]
    for part, key, title in _PARTS:
        one, other = _by(before.get(part, ()), key), _by(after.get(part, ()), key)
        for which in dict.fromkeys((*one, *other)):
            mine, theirs = one.get(which, {}), other.get(which, {})
            lines += [
                FigureLine(
                    where=_where(part, title, which),
                    name=_figure(name),
                    before=_text(mine.get(name)),
                    after=_text(theirs.get(name)),
                )
                for name in sorted({*mine, *theirs} - {key}, key=_place)
            ]
    if "next" in before or "next" in after:
        one, other = before.get("next") or {}, after.get("next") or {}
        lines += [
            FigureLine(
                where=phrase("Next hand"),
                name=_figure(name),
                before=_text(one.get(name)),
                after=_text(other.get(name)),
            )
            for name in dict.fromkeys((*one, *other))
        ]
    return lines


# Figures as a settlement names them; another name stands as it is.
_FIGURES = {
    "winner": say("winner"),
    "tricks": say("tricks"),
    "units": say("units"),
    "theoretical": say("theoretical"),
    "gross": say("gross"),
    "rake": say("rake"),
    "net": say("net"),
    "profit": say("profit"),
    "valid_bet": say("valid bet"),
    "carry_out": say("carry out"),
    "banker": say("banker"),
    "streak": say("streak"),
}


def _figure(name: str) -> str:
    return told(_FIGURES.get(name, name.replace("_", " ")))


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _where(part: str, title: str, which: object) -> SafeString:
    """A seat by its square, a bet and a player by their names."""
    if part == "seats" and isinstance(which, int):
        return markup.seal(which)
    return (
        format_html("{} <bdi>{}</bdi>", told(title), which)
        if title
        else format_html("<bdi>{}</bdi>", which)
    )


def _by(entries: Sequence[Mapping[str, Any]], key: str) -> dict[Any, Mapping[str, Any]]:
    return {entry[key]: entry for entry in entries}


def _text(value: object) -> str | None:
    return None if value is None else markup.minus(str(value))
