"""Say whether a table that was taken out is whole."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.selectors.exports_bulk import check_lines
from audit.selectors.exports_sheet import SheetBroken, check_sheet


class Command(BaseCommand):
    help = "Check that tables of the service, CSV or NDJSON, are whole and were not changed."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="the table; - for input")

    def handle(self, *_: Any, **options: Any) -> None:
        broken = 0
        for name in options["files"]:
            try:
                found = self._check(name)
            except (SheetBroken, OSError) as error:
                broken += 1
                self.stderr.write(f"{name}: {error}")
            else:
                self.stdout.write(f"{name}: whole, {found} rows")
        if broken:
            raise CommandError(f"{broken} of {len(options['files'])} tables cannot be relied on.")

    def _check(self, name: str) -> int:
        if name == "-":
            return _rows(sys.stdin.buffer)
        with Path(name).open("rb") as file:
            return _rows(file)


def _rows(lines: Iterable[bytes]) -> int:
    """How many rows a table has, which is of JSON where it begins so. Raises: SheetBroken."""
    read = iter(lines)
    first = next(read, b"")
    whole = chain([first], read)
    return check_lines(whole) if first.startswith(b"{") else check_sheet(whole).rows
