"""`manage.py erase SOURCE NAME`: say what names a person, and erase the name; the log and every
verdict still verify."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.urls import NoReverseMatch, reverse

from audit.management.progress import Progress
from audit.models import Erasure
from audit.selectors.access import access_of
from audit.selectors.seal_keys import SealKeyMissing
from audit.services.erasing import ErasureRefused, Reach, erase_person, reach_of
from audit.services.sealing import SealRefused

EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130
# So many texts of a sort are named; all are counted.
NAMED_MAX = 20


class Command(BaseCommand):
    """Says first what names the person, and then what stands for the name from now on; with
    --dry-run the first alone. Exit status: 0; 1 refused; 130 interrupted.

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
        parser.add_argument("--reason", help="why, for the record")
        parser.add_argument("--ground", help="by what right, such as GDPR Art. 17")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what names the person, and erase nothing"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        progress = Progress(sys.stderr)
        user = User.objects.filter(username=options["by"]).first()
        if user is None:
            self.stderr.write(f"There is no account {options['by']}.")
            sys.exit(EXIT_USAGE)
        if not options["dry_run"] and not (options["reason"] and options["ground"]):
            self.stderr.write("Say why by --reason, and by what right by --ground.")
            sys.exit(EXIT_USAGE)
        access, where = access_of(user), {"source": options["source"], "name": options["name"]}
        try:
            progress.show("Looking", 0, 0, "for what names the person")
            reach = reach_of(access=access, **where)
            progress.clear()
            self.tell_reach(reach)
            if options["dry_run"]:
                return
            act = erase_person(
                access=access,
                reason=options["reason"],
                ground=options["ground"],
                on_progress=lambda done, whole: progress.show(
                    "Erasing", done, whole, f"{done:,} of {whole:,} hands"
                ),
                on_reports=lambda done, whole: progress.show(
                    "Erasing", done, whole, f"{done:,} of {whole:,} reports"
                ),
                **where,
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

    def tell_reach(self, reach: Reach) -> None:
        """What will have a token for the name, by what it is and where it is shown."""
        self.stdout.write(f"{reach.hands:,} hands have this name.")
        found: dict[str, list[str]] = defaultdict(list)
        found["report"] = [reverse("report", args=[pk]) for pk in reach.reports]
        for one in reach.texts:
            found[one.label].append(_address(one.page, one.number) or f"no. {one.row}")
        for label, addresses in sorted(found.items()):
            if addresses:
                more = len(addresses) - NAMED_MAX
                rest = f" and {more:,} more" if more > 0 else ""
                self.stdout.write(
                    f"{len(addresses):,} to have a token for the name: {label}:"
                    f" {', '.join(addresses[:NAMED_MAX])}{rest}"
                )
        if reach.elsewhere:
            self.stdout.write(
                f"Somebody of this name is known at {', '.join(reach.elsewhere)}, too, and stays;"
                " what belongs to no source has the token."
            )

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


def _address(page: str, number: int) -> str:
    """Where something is shown; empty where it is shown nowhere."""
    if not page:
        return ""
    try:
        return reverse(page, args=[number])
    except NoReverseMatch:
        # The page of a list, on which it stands.
        return reverse(page)
