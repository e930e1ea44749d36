"""Uploads: their list and how far each is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from audit import selectors
from audit.web.language import phrase, phrases, sentences
from audit.web.stored import stored

_UNITS = ("bytes", "KB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Hands of one verdict, with the address of their list where there is one."""

    kind: str
    count: int
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLine:
    """One upload for a list: `state` names its look, `title` says it, `size` are its bytes in
    words."""

    row: selectors.UploadRow
    state: str
    title: str
    size: str


def size_words(count: int) -> str:
    """Bytes in a unit that keeps the number below 1,000; cut to one decimal, not rounded."""
    unit, tenths = 0, count * 10
    while tenths >= 10_000 and unit < len(_UNITS) - 1:
        tenths //= 1000
        unit += 1
    if unit == 0:
        return phrases("{count} byte", "{count} bytes", count)
    return f"{tenths // 10}.{tenths % 10} {_UNITS[unit]}"


def present_uploads(page: selectors.Page[selectors.UploadRow]) -> dict[str, Any]:
    """The list of uploads."""
    return {
        "lines": [
            UploadLine(
                row=row, state=_look(row), title=_title(row), size=size_words(row.byte_count)
            )
            for row in page.rows
        ],
        "newer": None if page.previous_cursor is None else f"?cursor={page.previous_cursor}",
        "older": None if page.next_cursor is None else f"?cursor={page.next_cursor}",
    }


def _look(row: selectors.UploadRow) -> str:
    """done, failed, partly or running: which of the four looks an upload has."""
    if row.state == "done" and row.error:
        return "partly"
    if row.state in ("failed", "partly", "done"):
        return row.state
    return "running"


def _title(row: selectors.UploadRow) -> str:
    return phrase("Done, file incomplete") if row.state == "done" and row.error else row.state_title


def present_progress(
    row: selectors.UploadRow,
    refusals: selectors.Page[selectors.RefusalRow],
    *,
    cursor: str | None,
) -> dict[str, Any]:
    """One upload as it stands now, with a page of its refused lines."""
    return {
        "upload": row,
        "state": _look(row),
        "title": _title(row),
        "size": size_words(row.byte_count),
        "counts": (
            _count(row, "discrepant", row.discrepant),
            _count(row, "clean", row.clean),
            *([_count(row, "consistent", row.consistent)] if row.feed else []),
            _count(row, "void", row.void),
            Count(kind="rejected", count=row.rejected, url="#refused" if row.rejected else None),
        ),
        "left": _left(row),
        "took": _took(row),
        "words": _words(row),
        "refusals": refusals.rows,
        "refused_words": _refused_words(row),
        "before": _address(row, refusals.previous_cursor),
        "after": _address(row, refusals.next_cursor),
        "poll_url": reverse("progress", args=(row.id,))
        + (f"?{urlencode({'cursor': cursor})}" if cursor else ""),
    }


def _address(row: selectors.UploadRow, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return f"{reverse('upload', args=(row.id,))}?{urlencode({'cursor': cursor})}#refused"


def _count(row: selectors.UploadRow, kind: str, count: int) -> Count:
    query = urlencode({"upload": row.id, "verdict": kind})
    return Count(kind=kind, count=count, url=f"{reverse('hands')}?{query}" if count else None)


def _left(row: selectors.UploadRow) -> str | None:
    """The time that the rest will take at the pace so far."""
    if row.is_ended or not row.rate or row.percent is None:
        return None
    return _span(timedelta(seconds=(row.lines - row.audited) / row.rate))


def _took(row: selectors.UploadRow) -> str | None:
    if row.finished_at is None or row.started_at is None:
        return None
    return _span(row.finished_at - row.started_at)


def _span(span: timedelta) -> str:
    whole = max(0, int(span.total_seconds()))
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


def _words(row: selectors.UploadRow) -> str:
    """One sentence on how far it is, which a screen reader speaks when it changes."""
    if row.state == "receiving":
        return phrase("The file is being received.")
    if row.state == "failed":
        return stored(row.error) or phrase("This upload failed.")
    if row.is_ended:
        words = phrase(
            "Done: {lines} read, {hands} hands audited.", lines=_lines(row.lines), hands=row.hands
        )
        if row.state == "partly":
            failed = phrase(
                "{lines} could not be audited through our fault.", lines=_lines(row.failed)
            )
            return sentences((words, failed))
        return words
    return phrase("{audited} of {lines} audited.", audited=row.audited, lines=_lines(row.lines))


def _refused_words(row: selectors.UploadRow) -> str:
    others = row.lines - row.rejected
    if not row.is_ended or not others:
        return phrase("{rejected} in all", rejected=row.rejected)
    return phrase("{rejected} in all; {lines} audited", rejected=row.rejected, lines=_lines(others))


def _lines(count: int) -> str:
    return phrases("{count} line", "{count} lines", count)
