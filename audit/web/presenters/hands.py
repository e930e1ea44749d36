"""The list of hands, the head of a hand's page, and its verdict as a line of verdict/1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, cast
from urllib.parse import urlencode

import replay
from audit import selectors
from audit.web.language import here, phrase, say, told
from audit.web.markup import POSITIONS, SEAT_NAMES
from audit.web.presenters.findings import FindingCard, present_finding

MONTHS = (
    say("January"), say("February"), say("March"), say("April"), say("May"), say("June"),
    say("July"), say("August"), say("September"), say("October"), say("November"), say("December"),
)  # fmt: skip
FILTERS = ("verdict", "game", "code", "table", "player", "met", "from", "to", "source", "q",
           "upload", "conflict", "rules", "open", "risk", "tile", "combination", "seat",
           "net", "currency")  # fmt: skip
# Those that look into the records.
HELD_FILTERS = ("tile", "combination", "seat", "net")
# Those that the form has no field for, and passes on.
HIDDEN_FILTERS = ("q", "upload", "conflict", "rules", "open", "currency")
_VERDICTS = (
    ("discrepant", say("Discrepant")),
    ("clean", say("Clean")),
    ("consistent", say("Consistent")),
    ("void", say("Void")),
    ("conflict", say("In conflict")),
)
DIFFERENCES_MAX = 200
VALUE_MAX = 200
_TIME = re.compile(r".{10}.(?P<clock>\d\d:\d\d:\d\d)(?P<fraction>\.\d+)?(?P<offset>.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLine:
    """One row of the list: its primary finding, and how many others there are.

    `card` is that finding in full where it is at hand; `title` is there without it.
    """

    row: selectors.HandRow
    game: str
    played: str
    title: str | None
    code: str | None
    card: FindingCard | None
    more: int


# As labels of a chart have room for.
SHORT_MONTHS = (
    say("Jan"), say("Feb"), say("Mar"), say("Apr"), say("May"), say("Jun"), say("Jul"), say("Aug"),
    say("Sep"), say("Oct"), say("Nov"), say("Dec"),
)  # fmt: skip


def day_words(day: date) -> str:
    return phrase(
        "{day} {month} {year}", day=day.day, month=MONTHS[day.month - 1], year=f"{day.year:04d}"
    )


def clock_words(started_at: str) -> str:
    """The time of the log with its offset, as logged but for the fraction of a second."""
    match = _TIME.fullmatch(started_at)
    if match is None:
        return started_at
    return f"{match['clock']} {match['offset'].upper()}"


def logged_words(started_at: str) -> str:
    """A logged time as the head of a hand has it: its own day, its clock and its offset."""
    try:
        day = date.fromisoformat(started_at[:10])
    except ValueError:
        return started_at
    return moment_words(day, started_at)


def moment_words(day: date, started_at: str) -> str:
    """A day and the time of the log, as the language of the page puts them together."""
    return phrase("{day}, {clock}", day=day_words(day), clock=clock_words(started_at))


def present_hands(
    page: selectors.Page[selectors.HandRow],
    query: Mapping[str, str],
    choices: selectors.FilterChoices,
    findings: Mapping[int, replay.Finding],
) -> dict[str, Any]:
    """The list with its filters; `query` is what was asked for, `findings` the primary ones."""
    asked = {key: query[key] for key in FILTERS if query.get(key)}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else "?" + urlencode({**asked, "cursor": cursor})

    return {
        "lines": [_line(row, findings.get(row.pk)) for row in page.rows],
        "newer": address(page.previous_cursor),
        "older": address(page.next_cursor),
        "asked": asked,
        "others": {key: value for key, value in asked.items() if key in HIDDEN_FILTERS},
        "choices": choices,
        "held": _held_choices(),
        "is_filtered": bool(asked),
        "verdict_links": [
            {
                "title": title,
                "value": value,
                "url": "?" + urlencode({**{k: v for k, v in asked.items() if k != "verdict"},
                                        **({"verdict": value} if value else {})}),
                "is_current": asked.get("verdict", "") == value,
            }
            for value, title in (("", phrase("All hands")), *_VERDICTS)
        ],
    }  # fmt: skip


def _line(row: selectors.HandRow, finding: replay.Finding | None) -> HandLine:
    game = replay.GAMES.get(row.game)
    code = row.leading_code
    known = replay.CODES.get(code) if code is not None else None
    card = None
    if finding is not None and known is not None:
        step = 0 if finding.event is None else finding.event + 1
        card = present_finding(finding, step=step, options={})
    return HandLine(
        row=row,
        game=told(game.title) if game is not None else row.game,
        played=moment_words(row.played_on, row.started_at),
        title=told(known.title) if known is not None else code,
        code=code,
        card=card,
        more=max(0, row.finding_count - 1),
    )


def present_head(detail: selectors.HandDetail) -> dict[str, Any]:
    """The head of a hand's page, which needs no replay."""
    hand = detail.hand
    return {
        "hand": hand,
        "game": replay.GAMES.get(hand.game),
        "played": moment_words(hand.played_on, hand.started_at),
        "version": detail.version,
        "versions": detail.versions if len(detail.versions) > 1 else (),
        "version_count": detail.version_count,
        "left_out_count": detail.version_count - len(detail.versions),
        "duplicates": detail.duplicates,
        "differing": _differing(detail),
        "restatements": detail.restatements,
        "twins": detail.twins,
        "compared": detail.comparison,
    }


def present_single_head(played: selectors.PlayedHand) -> dict[str, Any]:
    """The same for a hand that came once and alone: nothing stands beside it but twins."""
    hand = played.hand
    return {
        "hand": hand,
        "game": replay.GAMES.get(hand.game),
        "played": moment_words(hand.played_on, hand.started_at),
        "version": played.version,
        "twins": played.twins,
        "compared": played.comparison,
    }


def _held_choices() -> dict[str, list[tuple[str, str]]]:
    """Tiles, combinations and places that a form offers: value and title."""
    is_english = here() in ("en", None)

    def title(words: str, hant: str) -> str:
        return f"{words} {hant}" if is_english else told(words)

    return {
        "tiles": [
            (kind.code, f"{kind.code} {title(kind.english, kind.hant)}") for kind in replay.KINDS
        ],
        "combinations": [(one.code, title(one.english, one.hant)) for one in replay.COMBINATIONS],
        "places": [
            *(
                (str(seat), phrase("Seat {seat}, {name}", seat=seat, name=name))
                for seat, name in enumerate(SEAT_NAMES)
            ),
            *((place, told(name)) for place, name in POSITIONS.items()),
        ],
    }


def present_public_head(hand: selectors.HandRow) -> dict[str, Any]:
    """The head for those who do not see every tile: nothing that was found, stored or compared."""
    public = {
        name: getattr(hand, name)
        for name in ("pk", "source", "hand_id", "game", "ruleset", "table", "started_at")
    }
    return {
        "hand": public,
        "game": replay.GAMES.get(hand.game),
        "played": moment_words(hand.played_on, hand.started_at),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """Where the versions of a hand differ: a column a version, a row a field; `more` were cut."""

    versions: tuple[selectors.VersionRow, ...]
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]
    more: int


def _differing(detail: selectors.HandDetail) -> Differing | None:
    if not detail.differences:
        return None
    return Differing(
        versions=tuple(one for one in detail.versions if one.number in detail.compared),
        rows=tuple(
            (one.path, tuple(_cut(value) for value in one.values))
            for one in detail.differences[:DIFFERENCES_MAX]
        ),
        more=max(0, len(detail.differences) - DIFFERENCES_MAX),
    )


def _cut(value: str | None) -> str | None:
    return value if value is None or len(value) <= VALUE_MAX else f"{value[:VALUE_MAX]}…"


def stored_verdict(detail: selectors.HandDetail) -> replay.Verdict:
    """The verdict as it was reached and stored, in the shape of verdict/1, with what was found
    against the hand before."""
    hand, verdict = detail.hand, detail.verdict
    return replay.Verdict(
        file=detail.version.upload_name,
        line=detail.version.line,
        source=hand.source,
        hand_id=hand.hand_id,
        game=hand.game,
        ruleset=verdict.ruleset,
        ruleset_sha256=verdict.ruleset_sha256,
        record_sha256=detail.version.sha256,
        engine=verdict.engine,
        verdict=cast("Literal['clean', 'discrepant', 'void']", detail.kind),
        findings=detail.findings,
        settlement=verdict.settlement,
        replay_digest=detail.digest,
    )
