"""Re-audits for their pages: the list, the form, how far one is, and what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

import replay
from audit import selectors
from audit.models import RefusedLines
from audit.selectors.reaudits import AdmissionRow, FaultRow, ReauditRow
from audit.selectors.reaudits_report import AmountRow, ChangeRow, Flip, FlipCount
from audit.selectors.reaudits_scope import KEYS, PREVIEW_MAX, Preview
from audit.web import markup
from audit.web.language import phrase, phrases, say, sentences, told

NO_FINDING = say("no finding")
# The filters that have a field of their own in the form; the others come with the address.
FIELDS = ("game", "verdict", "code", "table", "player", "from", "to", "upload")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A verdict with its primary finding in words."""

    kind: str
    code: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLine:
    """A way in which hands changed, with the address of its hands."""

    before: Side
    after: Side
    is_flipped: bool
    count: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One figure on both sides and the difference; None where the games have none."""

    before: str
    after: str
    difference: str
    is_other: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountLine:
    """Amounts of a currency, a table or a player."""

    row: AmountRow
    net: Pair | None
    rake: Pair | None
    valid_bet: Pair | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """A hand that was judged otherwise, with the address of both judgements."""

    row: ChangeRow
    before: Side
    after: Side
    url: str


def side(kind: str, code: str) -> Side:
    known = replay.CODES.get(code)
    return Side(kind=kind, code=code, title=told(known.title) if known else (code or NO_FINDING))


def present_list(page: selectors.Page[ReauditRow]) -> dict[str, Any]:
    """The list of re-audits."""
    return {
        "lines": [{"row": row, "state": look(row), "about": about(row)} for row in page.rows],
        "newer": None if page.previous_cursor is None else f"?cursor={page.previous_cursor}",
        "older": None if page.next_cursor is None else f"?cursor={page.next_cursor}",
    }


def look(row: ReauditRow) -> str:
    """done, partly, stopped or running: which of the looks it has."""
    return "running" if row.is_open else row.state


def about(row: ReauditRow) -> str:
    return (
        phrase("Rehearsal under {ruleset}", ruleset=row.ruleset)
        if row.is_rehearsal
        else phrase("Under the rulesets known now")
    )


def present_form(
    asked: Mapping[str, str],
    *,
    choices: selectors.FilterChoices,
    rulesets: Sequence[str],
    preview: Preview | None,
) -> dict[str, Any]:
    """The form of a new re-audit; `asked` is what stands in it."""
    return {
        "asked": asked,
        "choices": choices,
        "rulesets": rulesets,
        "refused_lines": RefusedLines.choices,
        "others": [
            (key, KEYS[key], asked[key]) for key in KEYS if key not in FIELDS and asked.get(key)
        ],
        "preview": None if preview is None else _preview_words(preview),
    }


def _preview_words(preview: Preview) -> str:
    hands = phrases("{shown} hand", "{shown} hands", preview.hands, shown=_at_most(preview.hands))
    if not preview.lines:
        return phrase("{hands} would be judged again.", hands=hands)
    lines = phrases("{shown} refused line", "{shown} refused lines", preview.lines,
                    shown=_at_most(preview.lines))  # fmt: skip
    return phrase("{hands} and {lines} would be judged again.", hands=hands, lines=lines)


def _at_most(count: int) -> str:
    """A count as far as the preview counted."""
    if count >= PREVIEW_MAX:
        return phrase("{count} or more", count=f"{PREVIEW_MAX:,}")
    return f"{count:,}"


def present_progress(row: ReauditRow) -> dict[str, Any]:
    """How far a re-audit is."""
    return {
        "reaudit": row,
        "state": look(row),
        "about": about(row),
        "words": _words(row),
        "facts": [(title, f"{count:,}") for title, count in _facts(row)],
        "left": None if row.seconds_left is None else _span(row.seconds_left),
        "took": _span(row.seconds) if row.is_ended else None,
        "rate": f"{row.rate:,.0f}" if row.rate and row.done >= 1_000 else None,
        "poll_url": reverse("reaudit-progress", args=(row.id,)),
    }


def _words(row: ReauditRow) -> str:
    """One sentence on how far it is, which a screen reader speaks when it changes."""
    if row.state == "gathering":
        return phrase("Gathering: {total} found so far.", total=f"{row.total:,}")
    if row.is_ended:
        words = phrase(
            "Done: {done} judged again, {flipped} verdicts flipped.",
            done=f"{row.done:,}",
            flipped=f"{row.flipped:,}",
        )
        if not row.aside:
            return words
        return sentences((words, phrase("{aside} set aside.", aside=f"{row.aside:,}")))
    words = phrase("{done} of {total} judged again.", done=f"{row.done:,}", total=f"{row.total:,}")
    return phrase("Stopped. {words}", words=words) if row.state == "stopped" else words


def _facts(row: ReauditRow) -> list[tuple[str, int]]:
    """The counts that say something."""
    facts = [
        (phrase("New verdicts"), row.written),
        (phrase("Confirmed"), row.confirmed),
        (phrase("Rehearsed"), row.rehearsed),
        (phrase("Refused lines that are hands now"), row.admitted),
        (phrase("Still refused"), row.refused),
        (phrase("Set aside"), row.aside),
    ]
    return [
        (phrase("Flipped"), row.flipped),
        (phrase("Judged otherwise in all"), row.changed),
        *((title, count) for title, count in facts if count),
    ]


def _span(seconds: float) -> str:
    whole = max(0, int(timedelta(seconds=seconds).total_seconds()))
    if whole < 1:
        return phrase("less than a second")
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return phrase("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return (
        phrase("{minutes} min {rest} s", minutes=minutes, rest=rest)
        if minutes
        else phrase("{rest} s", rest=rest)
    )


def present_report(
    row: ReauditRow,
    flips: Sequence[FlipCount],
    amounts: Mapping[str, tuple[Sequence[AmountRow], bool]],
) -> dict[str, Any]:
    """What it found so far; `amounts` by currency, table and player, and whether there are more."""
    return {
        "flips": [_flip_line(row.id, one) for one in flips],
        "changes_url": reverse("reaudit-changes", args=(row.id,)),
        "amounts": [
            {
                "by": by,
                "title": title,
                "lines": [amount_line(one) for one in amounts[by][0]],
                "has_more": amounts[by][1],
            }
            for by, title in (
                ("currency", phrase("In all")),
                ("table", phrase("Tables")),
                ("player", phrase("Players")),
            )
        ]
        if amounts["currency"][0]
        else [],
    }


def _flip_line(reaudit_id: int, one: FlipCount) -> FlipLine:
    flip = one.flip
    query = urlencode({"flip": flip.write()})
    return FlipLine(
        before=side(flip.kind_before, flip.code_before),
        after=side(flip.kind, flip.code),
        is_flipped=flip.is_flipped,
        count=one.count,
        url=f"{reverse('reaudit-changes', args=(reaudit_id,))}?{query}",
    )


def amount_line(row: AmountRow) -> AmountLine:
    digits = row.minor_digits
    return AmountLine(
        row=row,
        net=_pair(row.net_before, row.net_after, digits),
        rake=_pair(row.rake_before, row.rake_after, digits),
        valid_bet=_pair(row.valid_bet_before, row.valid_bet_after, digits),
    )


def _pair(before: int | None, after: int | None, digits: int) -> Pair | None:
    if before is None or after is None:
        return None
    difference = after - before
    sign = "+" if difference > 0 else ""
    return Pair(
        before=_money(before, digits),
        after=_money(after, digits),
        difference=sign + _money(difference, digits),
        is_other=difference != 0,
    )


def _money(units: int, digits: int) -> str:
    return markup.grouped(replay.format_minor(units, digits))


def present_changes(
    row: ReauditRow, page: selectors.Page[ChangeRow], flip: Flip | None
) -> dict[str, Any]:
    """Hands that were judged otherwise."""
    kept = {} if flip is None else {"flip": flip.write()}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else "?" + urlencode({**kept, "cursor": cursor})

    return {
        "reaudit": row,
        "about": about(row),
        "from_side": None if flip is None else side(flip.kind_before, flip.code_before),
        "to_side": None if flip is None else side(flip.kind, flip.code),
        "lines": [_change_line(row.id, one) for one in page.rows],
        "before": address(page.previous_cursor),
        "after": address(page.next_cursor),
    }


def _change_line(reaudit_id: int, one: ChangeRow) -> ChangeLine:
    return ChangeLine(
        row=one,
        before=side(one.flip.kind_before, one.flip.code_before),
        after=side(one.flip.kind, one.flip.code),
        url=reverse("reaudit-change", args=(reaudit_id, one.version_pk)),
    )


def present_hand(
    hand_pk: int, hand_id: str, found: Sequence[tuple[int, str, ChangeRow]]
) -> dict[str, Any]:
    """What re-audits made of one hand."""
    return {
        "hand_pk": hand_pk,
        "hand_id": hand_id,
        "lines": [
            {"number": number, "reason": reason, "change": _change_line(number, row)}
            for number, reason, row in found
        ],
    }


def present_aside(
    faults: selectors.Page[FaultRow], admissions: selectors.Page[AdmissionRow]
) -> dict[str, Any]:
    """The first of what was set aside, and of the lines that became hands."""
    return {
        "faults": faults.rows,
        "has_more_faults": faults.next_cursor is not None,
        "admissions": admissions.rows,
        "has_more_admissions": admissions.next_cursor is not None,
    }
