"""`manage.py seal`: seal what waits now, hand heads and the public key out, take a new key."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.management.progress import Progress
from audit.selectors.evidence import LogDamaged, heads_after, latest_head
from audit.selectors.seal_keys import SealKeyMissing, read_keys
from audit.services.seal_keys import replace_seal_key
from audit.services.sealing import SealRefused, seal
from replay.evidence import NoteError, open_head, split_notes

EXIT_REFUSED, EXIT_INTERRUPTED = 1, 130
HEADS = "heads.txt"
WAIT_SECONDS = 1.0


class Command(BaseCommand):
    """Seals, and says how many leaves the log has. Ctrl-C stops between two batches."""

    help = "Turn the rows that wait into leaves of the log, and sign a head over all of them."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--export", metavar="DIR", type=Path,
            help=f"then add the heads that are not there yet to DIR/{HEADS}",
        )  # fmt: skip
        what.add_argument("--public-key", action="store_true", help="only print the public keys")
        what.add_argument(
            "--new-key", action="store_true", help="only make a new key for the heads to come"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            if options["public_key"]:
                self.print_keys()
            elif options["new_key"]:
                self.stdout.write(str(replace_seal_key().public[0]))
            else:
                self.seal()
                if options["export"] is not None:
                    self.export(options["export"])
        except (SealRefused, SealKeyMissing, LogDamaged, NoteError, OSError) as error:
            self.stderr.write(str(error))
            sys.exit(EXIT_REFUSED)
        except KeyboardInterrupt:
            self.stderr.write("Stopped: what was sealed so far is, the rest waits.")
            sys.exit(EXIT_INTERRUPTED)

    def print_keys(self) -> None:
        """The public keys by which heads may be signed, the present one first."""
        keys = read_keys()
        if keys is None:
            raise SealKeyMissing("There is no seal key yet: the first seal makes it.")
        for key in keys.public:
            self.stdout.write(str(key))

    def seal(self) -> None:
        progress = Progress(sys.stderr)
        is_told = False
        while True:
            sealed = seal(
                on_progress=lambda added, waiting: progress.show(
                    "Sealing", added, added + waiting, f"{added:,} of {added + waiting:,} rows"
                )
            )
            if not sealed.is_busy:
                break
            if not is_told:
                progress.say("Somebody else seals at this moment: waiting.")
            is_told = True
            time.sleep(WAIT_SECONDS)
        progress.clear()
        head = latest_head()
        if head is None:
            self.stdout.write("There is nothing to seal.")
            return
        self.stdout.write(f"{sealed.added:,} rows sealed; the log has {head.size:,} leaves.")

    def export(self, folder: Path) -> None:
        """Add what is new behind what is there, never over it. Raises: NoteError, OSError."""
        keys = read_keys()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / HEADS
        there = split_notes(path.read_text(encoding="utf-8")) if path.exists() else []
        last = 0
        if keys is not None and there:
            last = open_head(there[-1], *keys.public).head.size
            head = latest_head()
            if head is None or head.size < last:
                raise SealRefused(
                    f"{path} ends with a head over {last:,} leaves, and the log has fewer:"
                    " run manage.py verify-store."
                )
        count = 0
        with path.open("a", encoding="utf-8") as file:
            while heads := heads_after(last):
                file.writelines(head.note for head in heads)
                count, last = count + len(heads), heads[-1].size
            file.flush()
            os.fsync(file.fileno())
        self.stdout.write(f"{count:,} heads added to {path}.")
