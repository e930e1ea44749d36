"""`manage.py bundle SOURCE HAND_ID`: all the evidence about a hand in one file; or about the hands
of a table's day, or of a case."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.management.progress import Progress
from audit.models import Hand
from audit.selectors.access import EVERYTHING, Act
from audit.selectors.evidence import LogDamaged
from audit.selectors.seal_keys import SealKeyMissing
from audit.services.bundling import (
    Bundle,
    BundleRefused,
    bundle_case,
    bundle_hand,
    bundle_table_day,
)
from audit.services.journal import record
from audit.services.sealing import SealRefused

EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a day such as 2026-05-01") from None


class Command(BaseCommand):
    """Writes the bundle and prints its name. Exit status: 0; 1 when none can be made."""

    help = "Write evidence into a zip file, which python -m replay verify checks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", metavar="SOURCE", nargs="?")
        parser.add_argument("hand_id", metavar="HAND_ID", nargs="?")
        parser.add_argument("--table", help="with SOURCE and --day: the hands of a table's day")
        parser.add_argument("--day", type=day, help="the day in the offset of the log")
        parser.add_argument("--case", type=int, metavar="N", help="the hands that stand in a case")
        parser.add_argument("--output", metavar="FILE", type=Path, help="where to write it")

    def handle(self, *_: Any, **options: Any) -> None:
        self.progress = Progress(sys.stderr)
        try:
            bundle, told = self.make(options)
            record(access=EVERYTHING, act=Act.EXPORT, **told)
            path = options["output"] or Path(bundle.name)
            path.write_bytes(bundle.data)
        except (BundleRefused, SealRefused, SealKeyMissing, LogDamaged, OSError) as error:
            self.progress.clear()
            self.stderr.write(str(error))
            sys.exit(EXIT_REFUSED)
        except KeyboardInterrupt:
            self.progress.clear()
            self.stderr.write("Interrupted: nothing was written.")
            sys.exit(EXIT_INTERRUPTED)
        self.progress.clear()
        self.stdout.write(f"{path}: {len(bundle.data):,} bytes")

    def make(self, options: dict[str, Any]) -> tuple[Bundle, dict[str, Any]]:
        """What was asked for, with what the journal keeps of it; ends the command where that cannot
        be known."""
        source, hand_id, table = options["source"], options["hand_id"], options["table"]
        if options["case"] is not None and source is None:
            case = options["case"]
            told: dict[str, Any] = {
                "subject": f"command bundle case:{case}",
                "numbers": {"case": case},
            }
            return bundle_case(case_id=case, on_progress=self.show), told
        if source and table is not None and options["day"] and hand_id is None:
            made = bundle_table_day(
                source=source, table=table, day=options["day"], on_progress=self.show
            )
            about = f"command bundle table:{table} day:{options['day']}"
            return made, {"subject": about, "source": source}
        if not (source and hand_id) or table is not None or options["case"] is not None:
            self.stderr.write("Name SOURCE and HAND_ID, or SOURCE --table --day, or --case.")
            sys.exit(EXIT_USAGE)
        found = Hand.objects.filter(source=source, hand_id=hand_id)
        key = found.values_list("pk", flat=True).first()
        if key is None:
            raise BundleRefused("There is no such hand.")
        told = {"subject": f"command bundle hand:{key}", "source": source, "hand": key}
        return bundle_hand(hand_id=key, sources=None), told

    def show(self, done: int, whole: int) -> None:
        self.progress.show("Gathering", done, whole, f"{done:,} of {whole:,} versions")
