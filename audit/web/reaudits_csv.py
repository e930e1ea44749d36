"""What a re-audit found as CSV, in the form of every table that leaves the service."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import replay
from audit.selectors.exports_sheet import Cell, Plain, Sheet, write_sheet
from audit.selectors.reaudits import ReauditRow
from audit.selectors.reaudits_report import AmountRow, By, ChangeRow, every_amount, every_change

CHANGES = (
    "hand", "source", "hand_id", "version", "in_force", "game", "ruleset", "table", "started_at",
    "verdict_before", "finding_before", "verdict_after", "finding_after",
)  # fmt: skip
AMOUNTS = (
    "source", "table", "player", "currency", "hands", "net_before", "net_after", "net_difference",
    "rake_before", "rake_after", "rake_difference", "valid_bet_before", "valid_bet_after",
    "valid_bet_difference",
)  # fmt: skip


def changes(row: ReauditRow, *, made_at: datetime) -> Iterator[bytes]:
    """A line a version that was judged otherwise."""
    rows = map(_change, every_change(row.id))
    return write_sheet(
        _sheet(row, "Hands judged otherwise", CHANGES, rows, made_at), with_mark=True
    )


def amounts(row: ReauditRow, by: By, *, made_at: datetime) -> Iterator[bytes]:
    """A line a player of a source, or a table, and currency."""
    title = f"Recomputed money before and after, by {by}"
    rows = map(_amount, every_amount(row.id, by))
    return write_sheet(_sheet(row, title, AMOUNTS, rows, made_at), with_mark=True)


def _sheet(
    row: ReauditRow,
    title: str,
    columns: tuple[str, ...],
    rows: Iterator[list[Cell]],
    made_at: datetime,
) -> Sheet:
    under = row.ruleset or "the rulesets known then"
    filters = {
        "re-audit": str(row.id),
        "reason": row.reason,
        "hands": row.filter_text,
        "judged under": under,
        "by engine": row.engine,
    }
    return Sheet(title=title, columns=columns, rows=rows, made_at=made_at, filters=filters)


def _change(row: ChangeRow) -> list[Cell]:
    flip = row.flip
    return [
        row.hand_pk,
        row.source,
        row.hand_id,
        row.version,
        "yes" if row.is_current else "no",
        row.game,
        row.ruleset,
        row.table,
        Plain(row.started_at),
        flip.kind_before,
        flip.code_before,
        flip.kind,
        flip.code,
    ]


def _amount(row: AmountRow) -> list[Cell]:
    cells: list[Cell] = [row.source, row.table, row.player, row.currency, row.hands]
    for before, after in (
        (row.net_before, row.net_after),
        (row.rake_before, row.rake_after),
        (row.valid_bet_before, row.valid_bet_after),
    ):
        if before is None or after is None:
            # The game has no rake: nothing is not zero.
            cells += [None, None, None]
        else:
            digits = row.minor_digits
            cells += [
                Plain(replay.format_minor(one, digits)) for one in (before, after, after - before)
            ]
    return cells
