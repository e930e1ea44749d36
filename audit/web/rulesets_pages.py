"""Rulesets for their pages: options in words, what changes, what happened to each, what is in force
where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import replay
from audit.selectors.reaudits_scope import PREVIEW_MAX
from audit.selectors.rulesets_force import Period
from audit.selectors.rulesets_revisions import (
    WAITING_MAX,
    OptionChange,
    RevisionDetail,
    RevisionRow,
    written,
)
from audit.services.rulesets_rehearsing import NEWEST
from audit.web.language import listed, phrase, say, told
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS
from audit.web.stored import stored_filter

STATES = {
    "draft": say("Draft"),
    "rehearsed": say("Draft, rehearsed"),
    "published": say("Published"),
    "retired": say("Retired"),
    "withdrawn": say("Withdrawn"),
    "shipped": say("Shipped"),
}
# The look of a state: which tag it has.
LOOKS = {"published": "done", "shipped": "done", "rehearsed": "partly", "withdrawn": "failed"}
# Lines before and behind a wrong one.
AROUND = 2
LINE_SHOWN = 200
# More periods than this are looked up source by source.
PERIODS_SHOWN = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionLine:
    """One option with its rule; `before` is empty unless another revision set it otherwise."""

    key: str
    rule: str | None
    words: str
    value: str
    value_words: str
    before: str
    before_words: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One step in the life of a revision."""

    at: datetime
    words: str
    by: str
    reason: str
    reaudit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLine:
    """A line of a file that was refused, with what is wrong on it."""

    number: int
    text: str
    problems: tuple[replay.RulesetProblem, ...]


def option_words(key: str) -> str:
    words = OPTION_WORDS.get(key)
    return key.replace("_", " ") if words is None else told(words)


def value_words(key: str, value: replay.OptionValue | None) -> str:
    """A value in words where its own word is unclear; empty elsewhere."""
    words = VALUE_WORDS.get((key, written(value)))
    return "" if words is None else told(words)


def present_list(
    rows: Sequence[RevisionRow], periods: Sequence[Period], now: datetime
) -> dict[str, Any]:
    """All rulesets by game, and where each is in force now."""
    games = []
    for game in replay.GAMES.values():
        of_it = [row for row in rows if row.game == game.name]
        lines = [
            {**look(row), "in_force": _places(periods, row.name, now)} for row in reversed(of_it)
        ]
        games.append({"game": game, "title": told(game.title), "lines": lines})
    return {"games": games, "drafts": [look(row) for row in rows if row.is_draft]}


def look(row: RevisionRow) -> dict[str, Any]:
    """A ruleset with its state in words and its look."""
    return {"row": row, "state": told(STATES[row.state]), "look": LOOKS.get(row.state, "")}


def _places(periods: Iterable[Period], name: str, now: datetime) -> str:
    """The sources at which it is in force now."""
    return listed([one.source for one in periods if one.ruleset == name and one.holds(now)])


def present_revision(
    detail: RevisionDetail, periods: Sequence[Period], *, account_id: int | None
) -> dict[str, Any]:
    """One ruleset. `is_own`: whoever looks at it wrote it."""
    row, previous = detail.row, detail.previous
    changed = {one.option for one in detail.changes}
    return {
        **look(row),
        "game": replay.GAMES[row.game],
        "options": [
            option_line(detail.ruleset, key, previous if key in changed else None)
            for key in detail.ruleset.options
        ],
        "previous": previous,
        "changes": change_lines(detail.changes),
        "periods": periods,
        "history": _history(detail),
        "rehearsals": detail.rehearsals,
        "proof": detail.proof,
        "could": "" if detail.proof is None else _counted(detail.proof.could, PREVIEW_MAX),
        "waiting": _counted(detail.waiting, WAITING_MAX) if detail.waiting else "",
        "waiting_count": detail.waiting,
        "is_own": row.author_id is not None and row.author_id == account_id,
        "byte_count": len(detail.ruleset.content),
        "text": detail.ruleset.content.decode(),
        "newest": NEWEST,
    }


def _counted(count: int, most: int) -> str:
    """A number that was counted up to `most`."""
    if count >= most:
        return phrase("{count} or more", count=f"{count:,}")
    return f"{count:,}"


def option_line(
    ruleset: replay.Ruleset, key: str, previous: replay.Ruleset | None = None
) -> OptionLine:
    """An option, beside its value in an earlier revision."""
    value = ruleset.options[key]
    before = None if previous is None else previous.options.get(key)
    option = replay.GAMES[ruleset.game].options[key]
    return OptionLine(
        key=key,
        rule=option.rule,
        words=option_words(key),
        value=written(value),
        value_words=value_words(key, value),
        before=written(before),
        before_words=value_words(key, before),
        because=ruleset.sources.get(key, ""),
    )


def change_lines(changes: Iterable[OptionChange]) -> list[dict[str, Any]]:
    """What another revision sets otherwise: option, its words, before, after."""
    return [
        {
            "option": one.option,
            "rule": one.rule,
            "words": option_words(one.option),
            "before": written(one.before),
            "before_words": value_words(one.option, one.before),
            "after": written(one.after),
            "after_words": value_words(one.option, one.after),
        }
        for one in changes
    ]


def _history(detail: RevisionDetail) -> list[Happened]:
    """What happened to this name, the latest first."""
    found = [one for row in detail.history for one in _steps(row)]
    found += [
        Happened(
            at=one.created_at,
            words=phrase("Rehearsed: {filter}", filter=stored_filter(one.filter_text)),
            by=one.requested_by or "",
            reason=one.reason,
            reaudit=one.id,
        )
        for one in detail.rehearsals
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)


def _steps(row: RevisionRow) -> Iterable[Happened]:
    short = row.sha256[:8]
    if row.created_at is not None:
        words = phrase("Handed in, SHA-256 {short}…", short=short)
        yield Happened(at=row.created_at, words=words, by=row.author, reason=row.reason)
    if row.published_at is not None:
        words = phrase("Published")
        if row.rehearsal_id is None:
            why = row.unrehearsed_reason
            words = phrase("Published without a rehearsal: {why}", why=why)
        elif row.rehearsed_of is not None:
            words = _published_after(row)
        yield Happened(
            at=row.published_at, words=words, by=row.published_by, reason=row.publish_reason,
            reaudit=row.rehearsal_id,
        )  # fmt: skip
    if row.closed_at is not None:
        words = phrase("Withdrawn") if row.state == "withdrawn" else phrase("Retired")
        yield Happened(at=row.closed_at, words=words, by=row.closed_by, reason=row.close_reason)


def _published_after(row: RevisionRow) -> str:
    """Upon how many rehearsed hands it was published, and why upon so few."""
    tried = f"{row.rehearsed or 0:,}"
    could = _counted(row.rehearsed_of or 0, PREVIEW_MAX)
    if not row.unrehearsed_reason:
        return phrase(
            "Published after a rehearsal of {tried} of {could} hands", tried=tried, could=could
        )
    return phrase(
        "Published after a rehearsal of {tried} of {could} hands alone: {why}",
        tried=tried,
        could=could,
        why=row.unrehearsed_reason,
    )


def present_new(content: bytes, problems: tuple[replay.RulesetProblem, ...]) -> dict[str, Any]:
    """A file that was refused: what is wrong, and the lines around it."""
    text = content.decode("utf-8", "replace").split("\n")
    wrong = {one.line for one in problems if one.line is not None}
    shown = sorted(
        {
            number
            for line in wrong
            for number in range(line - AROUND, line + AROUND + 1)
            if 1 <= number <= len(text)
        }
    )
    return {
        "problems": problems,
        "lines": [
            FileLine(
                number=number,
                text=text[number - 1].rstrip("\r")[:LINE_SHOWN],
                problems=tuple(one for one in problems if one.line == number),
            )
            for number in shown
        ],
    }


def present_tried(
    ruleset: replay.Ruleset,
    previous: replay.Ruleset | None,
    changes: tuple[OptionChange, ...],
) -> dict[str, Any]:
    """A file that could be handed in: what it would change."""
    return {"tried": ruleset, "previous": previous, "changes": change_lines(changes)}


def present_force(
    periods: Sequence[Period], rows: Sequence[RevisionRow], asked: Mapping[str, str]
) -> dict[str, Any]:
    """Periods by source; `known` are the rulesets that may be put in force."""
    wanted = asked.get("source", "") if "do" not in asked else ""
    kept = [one for one in periods if wanted in ("", one.source)]
    groups = [
        {"source": source, "periods": [_period_line(one) for one in reversed(list(group))]}
        for source, group in groupby(kept[:PERIODS_SHOWN], key=lambda one: one.source)
    ]
    return {
        "groups": groups,
        "has_more": len(kept) > PERIODS_SHOWN,
        "wanted": wanted,
        "known": [row.name for row in rows if row.state in ("published", "shipped")],
    }


def _period_line(period: Period) -> dict[str, Any]:
    game = replay.GAMES.get(period.game)
    return {
        "row": period,
        "game": period.game if game is None else told(game.title),
        "is_late": period.declared_at > period.starts_at,
    }
