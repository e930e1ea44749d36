"""`manage.py retention`: what is of age, what would go, and a run that deletes it."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from audit.management.progress import Progress
from audit.models import RecordClass, RetentionRun
from audit.selectors.access import access_of
from audit.selectors.evidence import LogDamaged
from audit.selectors.retention import RunRow, list_runs, term_in_force
from audit.selectors.retention_due import KEPT_BECAUSE, all_due, scope_of
from audit.selectors.retention_places import places
from audit.selectors.seal_keys import SealKeyMissing
from audit.services.retention import RetentionRefused, begin_run, continue_run
from audit.services.retention_deleting import NotSealed
from audit.services.sealing import SealRefused

EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130
ITEMS_AT_ONCE = 2_000


def instant(text: str) -> datetime:
    """A day or an instant; UTC where it says nothing else."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


class Command(BaseCommand):
    """Lists what is due; `--run` deletes it. Exit status: 0; 1 refused; 130 interrupted.

    Ctrl-C stops between two batches: what went is on record, and `--resume N` goes on.
    """

    help = (
        "List what has reached its age by class and source. With --class, --source (or --no-source)"
        " and --run, delete it under a run that is put on record, with a certificate at its end."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--class", dest="record_class", choices=RecordClass.values)
        parser.add_argument("--source", help="the source whose records are meant")
        parser.add_argument(
            "--no-source", action="store_true",
            help="what belongs to no source: refused lines, acts of the journal about none",
        )  # fmt: skip
        parser.add_argument(
            "--before", type=instant, metavar="DAY", help="an earlier date than is due"
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--dry-run", action="store_true", help="say what would go and what stays")
        what.add_argument("--run", action="store_true", help="delete what is due")
        what.add_argument("--resume", type=int, metavar="N", help="go on with run N")
        what.add_argument("--list", action="store_true", help="list the runs there were")
        parser.add_argument("--by", metavar="ACCOUNT", help="who deletes (with --run, --dry-run)")
        parser.add_argument("--reason", help="why (with --run)")

    def handle(self, *_: Any, **options: Any) -> None:
        self.progress = Progress(sys.stderr)
        try:
            self.act(options)
        except (RetentionRefused, NotSealed, SealRefused, SealKeyMissing, LogDamaged) as error:
            self.progress.clear()
            self.stderr.write(str(error))
            sys.exit(EXIT_REFUSED)
        except KeyboardInterrupt:
            self.progress.clear()
            self.stderr.write("Stopped: what went is on record, --resume goes on with the rest.")
            sys.exit(EXIT_INTERRUPTED)

    def act(self, options: dict[str, Any]) -> None:
        if options["list"]:
            for run in list_runs(sources=None):
                self.stdout.write(told(run))
        elif options["resume"] is not None:
            if not RetentionRun.objects.filter(pk=options["resume"]).exists():
                raise RetentionRefused(f"There is no retention run {options['resume']}.")
            self.go_on(options["resume"])
        elif options["run"]:
            self.run(options)
        elif options["dry_run"]:
            self.show_due(*self.place(options), options)
        else:
            self.list_due()

    def place(self, options: dict[str, Any]) -> tuple[RecordClass, str | None]:
        """The class and the source that were named; ends the command where they were not."""
        is_named = (options["source"] is not None) != options["no_source"]
        if options["record_class"] is None or not is_named:
            self.stderr.write("Name --class, and --source or --no-source.")
            sys.exit(EXIT_USAGE)
        return RecordClass(options["record_class"]), options["source"]

    def list_due(self) -> None:
        """A line for each class and source: its term, and how many are of age."""
        for one in all_due(places(sources=None)):
            term, is_case = one.term, one.term.record_class == RecordClass.CASES
            where = "no source" if term.source is None else term.source
            due = f"{one.count:,} to look at" if is_case else f"{one.count:,} of age"
            self.stdout.write(
                f"{term.record_class.value}, {where}: kept {term.words}; received before"
                f" {term.cutoff_at:%Y-%m-%d}: {due}"
            )

    def show_due(
        self, record_class: RecordClass, source: str | None, options: dict[str, Any]
    ) -> None:
        """What a run would delete and what would stay, and why; as the account of --by where one is
        named, which lifts no hold on what it deletes."""
        term = term_in_force(record_class, source)
        cutoff = min(options["before"] or term.cutoff_at, term.cutoff_at)
        deleter = None if options["by"] is None else self.deleter(options).pk
        scope = scope_of(record_class, source, cutoff, deleter=deleter)
        whole, looked = scope.count(), 0
        found: Counter[str | None] = Counter()
        for batch in scope.batches(ITEMS_AT_ONCE):
            found += Counter(because for _, because in batch)
            looked += len(batch)
            self.show("Looking", looked, whole)
        self.progress.clear()
        self.stdout.write(f"{found.pop(None, 0):,} would go.")
        self.tell_kept({str(because): count for because, count in found.items()})

    def run(self, options: dict[str, Any]) -> None:
        record_class, source = self.place(options)
        run = begin_run(
            access=access_of(self.deleter(options)),
            record_class=record_class,
            source=source,
            reason=options["reason"] or "",
            cutoff_at=options["before"],
        )
        self.stdout.write(f"Retention run {run} begins.")
        self.go_on(run)

    def deleter(self, options: dict[str, Any]) -> User:
        """The account that --by names; ends the command where there is none."""
        user = User.objects.filter(username=options["by"] or "").first()
        if user is None:
            self.stderr.write("Name the account that deletes by --by, and why by --reason.")
            sys.exit(EXIT_USAGE)
        return user

    def go_on(self, run: int) -> None:
        done = continue_run(
            run_id=run, on_progress=lambda looked, whole: self.show("Deleting", looked, whole)
        )
        self.progress.clear()
        self.stdout.write(
            f"Retention run {run} is done: {done.items:,} deleted; {done.leaves:,} leaves of the"
            f" log stay for what went, root {done.root}."
        )
        self.tell_kept(done.kept)

    def tell_kept(self, kept: dict[str, int]) -> None:
        for because, count in sorted(kept.items()):
            self.stdout.write(f"{count:,} stay: {KEPT_BECAUSE[because]}.")

    def show(self, title: str, looked: int, whole: int) -> None:
        self.progress.show(title, looked, whole, f"{looked:,} of {whole:,}")


def told(run: RunRow) -> str:
    """A run in one line."""
    where = "no source" if run.source is None else run.source
    ended = f", root {run.root}" if run.root else ""
    return (
        f"{run.pk}: {run.record_class.value}, {where}, received before {run.cutoff_at:%Y-%m-%d}:"
        f" {run.state}, {run.items:,} deleted{ended}"
    )
