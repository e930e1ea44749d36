"""Tables as CSV for spreadsheets and programs, written so that both read back what was stored.

A text cell stands in quotes. One that a spreadsheet would take for a formula, a number, a date or a
truth value gets an apostrophe in front, and so does one that begins with an apostrophe: taking off
one apostrophe always gives the text. Numbers and times stand as they are, without quotes.

Lines that start with `#` are about the table: above it what it is, what it was narrowed by, when
and by which engine it was made; under it the end, with the number of rows and the SHA-256 of all
bytes before that line (but for the mark at the start). A table without that line was cut.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import replay
from audit.selectors.certificates_content import instant_text

LINE_END = "\r\n"
BOM = b"\xef\xbb\xbf"
PIECE_BYTES = 64 * 1024
END = "# end"
# Some spreadsheets take a full-width, small or raised form for the sign itself.
_SIGNS = frozenset("=+-@−")
# Blanks, and what nobody sees: marks of direction and joiners, which a program may drop.
_UNSEEN = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))
# With a digit among them a number, a date or an amount. However long, a text is read once.
_NUMERIC = re.compile(r"[\d\s.,:;/()%$€£¥eE+-]+")
_MONTH = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s./-]*\d", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TRUTH = frozenset(("true", "false"))


class Plain(str):
    """A number or a time in its one form, which no spreadsheet can take for a formula."""

    __slots__ = ()


Cell = str | int | None


class SheetBroken(ValueError):
    """A table that is not whole, or was changed; its text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What stands above and in a table. `about` are the lines above; `filters` what it was
    narrowed by, empty where by nothing."""

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Cell]]
    made_at: datetime
    filters: Mapping[str, str] = field(default_factory=dict)


def write_sheet(sheet: Sheet, *, with_mark: bool) -> Iterator[bytes]:
    """The bytes of a table in pieces of bounded size; `with_mark` puts the byte order mark in
    front, without which some spreadsheets take UTF-8 for something else."""
    summed = hashlib.sha256()
    count = 0
    piece = io.StringIO()
    for line in _head(sheet):
        piece.write(line + LINE_END)
    if with_mark:
        yield BOM
    for row in sheet.rows:
        piece.write(",".join(map(write_cell, row)) + LINE_END)
        count += 1
        if piece.tell() >= PIECE_BYTES:
            data = piece.getvalue().encode()
            summed.update(data)
            piece = io.StringIO()
            yield data
    if count == 0:
        piece.write("# no activity" + LINE_END)
    data = piece.getvalue().encode()
    summed.update(data)
    yield data
    yield f"{END},rows,{count},sha256:{summed.hexdigest()}{LINE_END}".encode()


def _head(sheet: Sheet) -> Iterator[str]:
    yield f"# title,{write_cell(sheet.title)}"
    yield f"# made at,{instant_text(sheet.made_at)}"
    yield f"# engine,{replay.ENGINE}"
    for name, value in sheet.filters.items():
        # A line above the table stays one line, whatever was asked for.
        yield f"# filter,{write_cell(name)},{write_cell(_CONTROL.sub(_escaped, value))}"
    if not sheet.filters:
        yield "# filter,none"
    yield ",".join(map(write_cell, sheet.columns))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def write_cell(value: Cell) -> str:
    """One cell: nothing for None, a text in quotes, all else as it is."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Plain):
        quoted = neutral(value).replace('"', '""')
        return f'"{quoted}"'
    return str(value)


def neutral(text: str) -> str:
    """A text that every spreadsheet takes for one; see `original`."""
    return f"'{text}" if text.startswith("'") or _is_taken_for_more(text) else text


def original(cell: str) -> str:
    """The text that `neutral` was given."""
    return cell.removeprefix("'")


def _is_taken_for_more(text: str) -> bool:
    bare = text.strip()
    first = next((one for one in text if unicodedata.category(one) not in _UNSEEN), "")
    is_sign = unicodedata.normalize("NFKC", first)[:1] in _SIGNS if first else False
    if is_sign or text[:1] in ("\t", "\r", "\n") or first.isdigit():
        return True
    is_numeric = _NUMERIC.fullmatch(bare) is not None and any(map(str.isdecimal, bare))
    return is_numeric or _MONTH.match(bare) is not None or bare.casefold() in _TRUTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A table that was read back whole; `about` are the lines about it, `rows` are as written.

    Of a file with several sections `columns` are those of the first.
    """

    about: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    rows: int
    sha256: str


def check_sheet(lines: Iterable[bytes]) -> Found:
    """Read a table to its end, in constant memory, and check that it is whole.

    Shape: lines with their ends, as a file opened for bytes gives them.
    Raises: SheetBroken.
    """
    summed = hashlib.sha256()
    last = b""
    reader = _Rows()
    for number, line in enumerate(lines):
        if last:
            summed.update(last)
            reader.take(last)
        last = line.removeprefix(BOM) if number == 0 else line
    end = re.fullmatch(rb"# end,rows,(\d+),sha256:([0-9a-f]{64})\r\n", last)
    if end is None:
        raise SheetBroken("The table was cut: its last line is missing.")
    if end[2].decode() != summed.hexdigest():
        raise SheetBroken("The table was changed: its SHA-256 is another.")
    if int(end[1]) != reader.rows:
        raise SheetBroken(f"The table has {reader.rows} rows; {int(end[1])} were written.")
    return Found(
        about=tuple(reader.about),
        columns=reader.columns,
        rows=reader.rows,
        sha256=end[2].decode(),
    )


class _Rows:
    """Counts what it is given line by line."""

    def __init__(self) -> None:
        self.about: list[tuple[str, ...]] = []
        self.columns: tuple[str, ...] = ()
        self.rows = 0
        # Each section of a file with several has a line of titles of its own.
        self._is_titled = False

    def take(self, line: bytes) -> None:
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise SheetBroken("The table was changed: it is no longer UTF-8.") from None
        # No cell begins with the sign, for a text stands in quotes.
        if text.startswith("# "):
            self.about.append(tuple(next(csv.reader([text[2:]]))))
            self._is_titled &= self.about[-1][0] != "section"
        elif not self._is_titled:
            self._is_titled = True
            self.columns = self.columns or tuple(map(original, next(csv.reader([text]))))
        else:
            self.rows += 1
