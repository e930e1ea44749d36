"""`manage.py partitions`: the months of hands, versions, verdicts and findings."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from audit.selectors.partitions import PARTED, list_partitions, partition_trouble
from audit.services.partitions import PartitionsRefused, analyze_parents, drop_month, make_months

MIB = 1024**2


class Command(BaseCommand):
    """Without a word it lists the partitions with their sizes."""

    help = (
        "List the months that the large tables are parted by, make those to come, or drop one"
        " whose rows retention has deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = parser.add_subparsers(dest="word")
        words.add_parser("list", help="months, rows (about) and sizes; the default")
        words.add_parser("make", help="make this month's and the next three, as beat does daily")
        drop = words.add_parser("drop", help="drop an empty month; tells what it would do")
        drop.add_argument("month", type=_month, help="for instance 2016-11")
        drop.add_argument(
            "--confirm", type=_month, metavar="MONTH", help="the month again: do it indeed"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            if options["word"] == "make":
                self._make()
            elif options["word"] == "drop":
                self._drop(options["month"], options["confirm"])
            else:
                self._list()
        except PartitionsRefused as error:
            raise CommandError(str(error)) from None

    def _list(self) -> None:
        rows: dict[str, dict[str, int]] = {}
        sizes: dict[str, int] = {}
        for one in list_partitions():
            rows.setdefault(one.part, {})[one.table] = one.rows
            sizes[one.part] = sizes.get(one.part, 0) + one.size
        titles = [name.removeprefix("audit_") for name in PARTED]
        self.stdout.write("".join((f"{'month':<12}", *(f"{name:>14}" for name in titles),
                                   f"{'MiB':>12}")))  # fmt: skip
        for part in sorted(rows):
            counts = "".join(f"{rows[part].get(table, 0):>14,}" for table in PARTED)
            self.stdout.write(f"{part.replace('_', '-'):<12}{counts}{sizes[part] / MIB:>12,.1f}")
        trouble = partition_trouble(_today())
        self.stdout.write("All is well." if trouble is None else trouble)

    def _make(self) -> None:
        made = make_months(today=_today())
        analyze_parents()
        names = ", ".join(f"{day:%Y-%m}" for day in made)
        self.stdout.write(f"Made {names}." if made else "Every month ahead was there.")

    def _drop(self, month: date, confirmed: date | None) -> None:
        if confirmed is not None and confirmed != month:
            raise CommandError("--confirm names another month.")
        is_rehearsal = confirmed is None
        dropped = drop_month(month=month, today=_today(), is_rehearsal=is_rehearsal)
        names = ", ".join(dropped.names)
        if is_rehearsal:
            self.stdout.write(
                f"Would drop {names} ({dropped.size / MIB:,.1f} MiB)."
                f" To do it: --confirm {month:%Y-%m}"
            )
        else:
            self.stdout.write(f"Dropped {names} ({dropped.size / MIB:,.1f} MiB).")


def _today() -> date:
    return timezone.now().date()


def _month(text: str) -> date:
    return datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007 - a month, nowhere
