"""Say whether a table that was taken out is whole."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.selectors.exports_sheet import SheetBroken, check_sheet


class Command(BaseCommand):
    help = "Check that CSV tables of the service are whole and were not changed."
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
            return check_sheet(sys.stdin.buffer).rows
        with Path(name).open("rb") as file:
            return check_sheet(file).rows
