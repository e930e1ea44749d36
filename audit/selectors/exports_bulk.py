"""The same tables for programs: as lines of JSON and as Parquet, in pieces of bounded size.

Amounts are decimal texts in both, exactly as in the CSV; numbers of hands are texts, because not
every reader keeps all their digits.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

import replay
from audit.selectors.certificates_content import instant_text
from audit.selectors.exports_sheet import Cell, Sheet, SheetBroken

PIECE_BYTES = 64 * 1024
ROWS_A_GROUP = 10_000
# Whole numbers that every reader can hold; every other column is text.
_COUNTS = frozenset(
    (
        "minor_digits", "findings", "position", "event", "seat", "hands", "clean", "consistent",
        "discrepant", "void", "in_conflict", "possible_duplicates", "hands_summed",
        "hands_not_recomputed", "hands_not_logged",
    )
)  # fmt: skip
_TRUTHS = frozenset(("against_hand_before", "follows"))


class NotInstalled(Exception):
    """What writes this form is not installed; its text says how to mend that."""


def write_lines(sheet: Sheet) -> Iterator[bytes]:
    """One object a row, and a last one `{"end": {"rows": …, "sha256": …}}` over all bytes before
    it: without it the table was cut. The first line says what the table is."""
    summed, count, piece = hashlib.sha256(), 0, bytearray()
    about = {
        "title": sheet.title,
        "made_at": instant_text(sheet.made_at),
        "engine": replay.ENGINE,
        "filters": dict(sheet.filters),
        "columns": list(sheet.columns),
    }
    piece += msgspec.json.encode({"about": about}) + b"\n"
    for row in sheet.rows:
        piece += msgspec.json.encode(_told(sheet.columns, row)) + b"\n"
        count += 1
        if len(piece) >= PIECE_BYTES:
            summed.update(piece)
            yield bytes(piece)
            piece.clear()
    summed.update(piece)
    yield bytes(piece)
    end = {"end": {"rows": count, "sha256": summed.hexdigest()}}
    yield msgspec.json.encode(end) + b"\n"


class _End(msgspec.Struct, forbid_unknown_fields=True):
    rows: int
    sha256: str


class _Last(msgspec.Struct, forbid_unknown_fields=True):
    end: _End


def check_lines(lines: Iterable[bytes]) -> int:
    """Read a table of `write_lines` to its end, in constant memory; gives its rows.

    Shape: lines with their ends, as a file opened for bytes gives them.
    Raises: SheetBroken for one that was cut or changed.
    """
    summed, count, last = hashlib.sha256(), -1, b""
    for line in lines:
        if last:
            summed.update(last)
            count += 1
        last = line
    try:
        end = msgspec.json.decode(last, type=_Last).end
    except msgspec.MsgspecError:
        raise SheetBroken("The table was cut: its last line is missing.") from None
    if not last.endswith(b"\n"):
        raise SheetBroken("The table was cut: its last line is not whole.")
    if end.sha256 != summed.hexdigest():
        raise SheetBroken("The table was changed: its SHA-256 is another.")
    if end.rows != count:
        raise SheetBroken(f"The table has {count} rows; {end.rows} were written.")
    return count


def _told(columns: Sequence[str], row: Sequence[Cell]) -> dict[str, Any]:
    return {name: _value(name, cell) for name, cell in zip(columns, row, strict=True)}


def _value(name: str, cell: Cell) -> Any:
    if cell is None:
        return None
    if name in _COUNTS and isinstance(cell, int):
        return cell
    if name in _TRUTHS or (name == "in_conflict" and isinstance(cell, str)):
        return cell == "yes"
    return "".join(cell) if isinstance(cell, str) else str(cell)


def write_parquet(sheet: Sheet) -> Iterator[bytes]:
    """A Parquet file, a row group at a time; one that was cut has no footer and cannot be opened.

    What the table is stands in the metadata of its schema. Raises: NotInstalled.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - in requirements/export, which not everybody has
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise NotInstalled(
            "Parquet needs pyarrow, which is not installed here (requirements/export.txt)."
        ) from None
    schema = _schema(pa, sheet)
    return _groups(pa, parquet, schema, sheet)


def _schema(pyarrow: Any, sheet: Sheet) -> Any:
    def kind(name: str) -> Any:
        if name in _TRUTHS or (name == "in_conflict" and sheet.title != "Totals"):
            return pyarrow.bool_()
        return pyarrow.int64() if name in _COUNTS else pyarrow.string()

    return pyarrow.schema(
        [pyarrow.field(name, kind(name)) for name in sheet.columns],
        metadata={
            "title": sheet.title,
            "made_at": instant_text(sheet.made_at),
            "engine": replay.ENGINE,
            "filters": msgspec.json.encode(dict(sheet.filters)),
        },
    )


def _groups(pyarrow: Any, parquet: Any, schema: Any, sheet: Sheet) -> Iterator[bytes]:
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        yield sink.taken()
        for rows in _some(sheet.rows, ROWS_A_GROUP):
            told = [_told(sheet.columns, row) for row in rows]
            writer.write_table(pyarrow.Table.from_pylist(told, schema=schema))
            yield sink.taken()
    yield sink.taken()


def _some(rows: Iterable[Sequence[Cell]], count: int) -> Iterator[list[Sequence[Cell]]]:
    left = iter(rows)
    while batch := list(islice(left, count)):
        yield batch


class _Sink(io.RawIOBase):
    """Where a writer puts bytes that are passed on at once."""

    def __init__(self) -> None:
        super().__init__()
        self._bytes = bytearray()
        self._passed = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._passed + len(self._bytes)

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._bytes += piece
        return len(piece)

    def taken(self) -> bytes:
        """What came since the last time."""
        piece = bytes(self._bytes)
        self._passed += len(piece)
        self._bytes.clear()
        return piece
