"""What a re-audit found as CSV: streamed, formula-safe, with a last line that proves the end.

UTF-8 without a mark, lines ended by CR LF. A text that a spreadsheet would take for a formula, or
that begins with an apostrophe, has an apostrophe put before it; amounts stay numbers. The last line
is `end`, the number of rows and the SHA-256 of all bytes before it: where it is missing, the file
was cut.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain

import replay
from audit.selectors.reaudits_report import AmountRow, By, ChangeRow, every_amount, every_change

FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
CHANGES = (
    "hand", "source", "hand_id", "version", "in_force", "game", "ruleset", "table", "started_at",
    "verdict_before", "finding_before", "verdict_after", "finding_after",
)  # fmt: skip
AMOUNTS = (
    "source", "table", "player", "currency", "hands", "net_before", "net_after", "net_difference",
    "rake_before", "rake_after", "rake_difference", "valid_bet_before", "valid_bet_after",
    "valid_bet_difference",
)  # fmt: skip
BYTES_AT_ONCE = 1 << 16


class _Line:
    """A file that gives back what was written last."""

    text = ""

    def write(self, text: str) -> int:
        self.text = text
        return len(text)


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def written(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    """The file in pieces, with the line that ends it."""
    line = _Line()
    writer = csv.writer(line, lineterminator="\r\n")
    digest = hashlib.sha256()
    count, waiting = -1, bytearray()
    for cells in chain((header,), rows):
        writer.writerow(cells)
        count += 1
        waiting += line.text.encode()
        if len(waiting) >= BYTES_AT_ONCE:
            digest.update(waiting)
            yield bytes(waiting)
            waiting.clear()
    digest.update(waiting)
    yield bytes(waiting)
    yield f"end,{count},{digest.hexdigest()}\r\n".encode()


def changes(reaudit_id: int) -> Iterator[bytes]:
    """A line a version that was judged otherwise."""
    return written(CHANGES, map(_change, every_change(reaudit_id)))


def amounts(reaudit_id: int, by: By) -> Iterator[bytes]:
    """A line a player of a source, or a table, and currency."""
    return written(AMOUNTS, map(_amount, every_amount(reaudit_id, by)))


def _change(row: ChangeRow) -> list[str]:
    flip = row.flip
    texts = (row.source, row.hand_id)
    return [
        str(row.hand_pk),
        *map(safe, texts),
        str(row.version),
        "yes" if row.is_current else "no",
        row.game,
        safe(row.ruleset),
        safe(row.table),
        row.started_at,
        flip.kind_before,
        flip.code_before,
        flip.kind,
        flip.code,
    ]


def _amount(row: AmountRow) -> list[str]:
    pairs = (
        (row.net_before, row.net_after),
        (row.rake_before, row.rake_after),
        (row.valid_bet_before, row.valid_bet_after),
    )
    cells = []
    for before, after in pairs:
        if before is None or after is None:
            # The game has no rake: nothing is not zero.
            cells += ["", "", ""]
        else:
            digits = row.minor_digits
            cells += [replay.format_minor(one, digits) for one in (before, after, after - before)]
    names = (row.source, row.table, row.player, row.currency)
    return [*map(safe, names), str(row.hands), *cells]
