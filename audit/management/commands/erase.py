"""`manage.py erase SOURCE NAME`: erase a person; the log and every verdict still verify."""

from __future__ import annotations

import sys
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from audit.management.progress import Progress
from audit.models import Erasure
from audit.selectors.access import access_of
from audit.selectors.seal_keys import SealKeyMissing
from audit.services.erasing import ErasureRefused, erase_person
from audit.services.sealing import SealRefused

EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130


class Command(BaseCommand):
    """Says what stands for the name from now on. Exit status: 0; 1 refused; 130 interrupted.

    Ctrl-C stops between two batches; the same command goes on.
    """

    help = (
        "Put a token in the place of a name in everything that was kept of a source, and take the"
        " salt that leads from the one to the other out of the vault. It cannot be taken back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", metavar="SOURCE")
        parser.add_argument("name", metavar="NAME", help="the exact name")
        parser.add_argument("--by", metavar="ACCOUNT", required=True, help="who erases")
        parser.add_argument("--reason", required=True, help="why, for the record")
        parser.add_argument("--ground", required=True, help="by what right, such as GDPR Art. 17")

    def handle(self, *_: Any, **options: Any) -> None:
        progress = Progress(sys.stderr)
        user = User.objects.filter(username=options["by"]).first()
        if user is None:
            self.stderr.write(f"There is no account {options['by']}.")
            sys.exit(EXIT_USAGE)
        try:
            act = erase_person(
                access=access_of(user),
                source=options["source"],
                name=options["name"],
                reason=options["reason"],
                ground=options["ground"],
                on_progress=lambda done, whole: progress.show(
                    "Erasing", done, whole, f"{done:,} of {whole:,} hands"
                ),
            )
        except (ErasureRefused, SealRefused, SealKeyMissing) as error:
            progress.clear()
            self.stderr.write(str(error))
            sys.exit(EXIT_REFUSED)
        except KeyboardInterrupt:
            progress.clear()
            self.stderr.write("Stopped: the same command goes on.")
            sys.exit(EXIT_INTERRUPTED)
        progress.clear()
        self.report(Erasure.objects.get(pk=act))

    def report(self, act: Erasure) -> None:
        self.stdout.write(f"Erased by act E-{act.pk}: {act.token} stands for the name.")
        for name, count in sorted(act.counts.items()):
            self.stdout.write(f"{count:,} rewritten: {name}")
        for name, count in sorted(act.left.items()):
            self.stdout.write(f"{count:,} left to be looked at: {name}")
        self.stdout.write(
            "Backups made before hold the name and its salt until they are gone; VACUUM FULL the"
            " rewritten tables where the disk itself must not hold them."
        )
