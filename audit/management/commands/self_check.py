"""`manage.py self-check`: is this the software that was accepted?"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.management.progress import Progress
from audit.models import CheckOccasion, SoftwareCheck
from audit.selectors import find_account
from audit.selectors.software import code_files, latest_accepted
from audit.services.self_check import AcceptanceRefused, accept_software, check_software

EXIT_DIFFERS, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130
SHOWN = 100


class Command(BaseCommand):
    """Prints each thing that differs, with the hash expected and found. Exit status: 0, or 1."""

    help = (
        "Compare code, rulesets, settings and libraries with what was accepted, and keep the"
        " outcome. --accept declares what lies here to be right."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--accept", action="store_true", help="needs --by and --reason")
        what.add_argument(
            "--list", action="store_true",
            help="only print the code's hashes in the form that sha256sum --check reads",
        )  # fmt: skip
        parser.add_argument("--by", metavar="ACCOUNT", default="")
        parser.add_argument("--reason", metavar="TEXT", default="")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["list"]:
            for name, path in code_files():
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                self.stdout.write(f"{digest}  {name}")
        elif options["accept"]:
            self.accept(options["by"], options["reason"])
        else:
            self.look()

    def accept(self, by: str, reason: str) -> None:
        actor = find_account(by)
        if actor is None:
            self.stderr.write(f"There is no active account {by!r}: name one with --by.")
            sys.exit(EXIT_USAGE)
        try:
            accept_software(actor=actor, reason=reason)
        except AcceptanceRefused as error:
            self.stderr.write(str(error))
            sys.exit(EXIT_USAGE)
        accepted = latest_accepted()
        assert accepted is not None
        self.stdout.write(f"Accepted: {accepted.items:,} things, SHA-256 {accepted.sha256}.")

    def look(self) -> None:
        progress = Progress(sys.stderr)
        try:
            check = check_software(
                occasion=CheckOccasion.DEMAND,
                process="command",
                with_libraries=True,
                on_progress=lambda done, whole: progress.show("Reading libraries", done, whole),
            )
        except KeyboardInterrupt:
            progress.clear()
            self.stderr.write("Interrupted: nothing was kept.")
            sys.exit(EXIT_INTERRUPTED)
        progress.clear()
        self.report(check)

    def report(self, check: SoftwareCheck) -> None:
        for name, (expected, found) in list(check.differences.items())[:SHOWN]:
            self.stdout.write(
                f"{name}: expected {expected or 'nothing'}, found {found or 'nothing'}"
            )
        count = len(check.differences)
        if count > SHOWN:
            self.stdout.write(f"… and {count - SHOWN:,} more.")
        if not check.is_good:
            self.stdout.write(
                f"{count:,} in all: find out why they differ from what was accepted, or accept"
                " them with --accept --by ACCOUNT --reason TEXT."
            )
            sys.exit(EXIT_DIFFERS)
        accepted = latest_accepted()
        assert accepted is not None
        by = accepted.by or "the installation"
        self.stdout.write(
            f"This is the software that {by} accepted"
            f" ({accepted.items:,} things, SHA-256 {accepted.sha256})."
        )
