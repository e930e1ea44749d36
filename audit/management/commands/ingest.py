"""`manage.py ingest`: hand logs in, and how they fared."""

from __future__ import annotations

import hashlib
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from audit import importers, selectors, services
from audit.management.counts import counts_of
from audit.management.progress import Progress
from audit.management.taking import note_taking

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
EXIT_CLEAN, EXIT_DISCREPANT, EXIT_REJECTED, EXIT_INTERRUPTED = 0, 1, 2, 130
EXIT_CONSISTENT = 3
POLL_SECONDS = 0.25
# Without progress for this long, lost messages are looked for.
QUIET = timedelta(seconds=15)


class Command(BaseCommand):
    """Takes files in, waits for the workers, prints the counts.

    Exit status as `python -m replay audit`: 0 all clean or void, 1 something discrepant, 2
    something rejected or unreadable, 3 nothing of these but hands of a feed, of which not
    everything could be checked. With --bundled, whose logs have faults on purpose, 0 unless one
    could not be taken in.
    """

    help = (
        "Read hand logs (NDJSON, plain, gzip or zstd; - for standard input), have the workers"
        " audit them and print the counts. Ctrl-C stops the waiting, not the work."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="*")
        parser.add_argument(
            "--bundled", action="store_true", help="read the sample logs, each only once"
        )
        parser.add_argument(
            "--restatement",
            metavar="REASON",
            help="the files restate known hands: what they say becomes current; needs --by",
        )
        parser.add_argument(
            "--feed",
            choices=tuple(importers.FEEDS),
            help="the files are of an operator's feed (docs/importers); needs --source",
        )
        parser.add_argument(
            "--source", metavar="NAME", help="the name under which the hands of a feed are kept"
        )
        parser.add_argument("--by", metavar="ACCOUNT", help="the account that hands the files in")
        parser.add_argument("--no-wait", action="store_true", help="do not wait for the workers")

    def handle(self, *_: Any, **options: Any) -> None:
        self.progress = Progress(sys.stderr)
        self.is_unread = False
        if not options["files"] and not options["bundled"]:
            self.stderr.write("Name a file, or - for standard input, or --bundled.")
            sys.exit(64)
        if options["restatement"] is not None and (options["bundled"] or not options["by"]):
            self.stderr.write("A restatement needs --by ACCOUNT, and is never of the samples.")
            sys.exit(64)
        self.read_feed(**{name: options[name] for name in ("feed", "source", "bundled")})
        self.restatement = options["restatement"]
        self.user = self.account(options["by"])
        try:
            uploads = self.take_all(options["files"], is_bundled=options["bundled"])
            rows = [selectors.get_upload(upload_id, sources=None) for upload_id in uploads]
            if not options["no_wait"]:
                rows = self.wait(uploads, is_start=options["bundled"])
        except KeyboardInterrupt:
            self.progress.say("Stopped waiting: the workers go on with what was taken in.")
            sys.exit(EXIT_INTERRUPTED)
        self.progress.clear()
        for row in rows:
            self.report(row)
        status = self.status(rows, is_bundled=options["bundled"])
        if status:
            sys.exit(status)

    def read_feed(self, *, feed: str | None, source: str | None, bundled: bool) -> None:
        """Take down of which feed the files are; ends the command where that is half said."""
        needs_source = feed is not None and importers.FEEDS[feed].needs_source
        if needs_source != bool(source) or (bundled and feed is not None):
            self.stderr.write("A feed needs --source NAME; hand logs and samples have none.")
            sys.exit(64)
        self.feed, self.source = feed, source or ""

    def account(self, name: str | None) -> User | None:
        """The account of that name; ends the command where there is none."""
        if name is None:
            return None
        user = selectors.find_account(name)
        if user is None:
            self.stderr.write(f"There is no active account {name}.")
            sys.exit(64)
        return user

    def take_all(self, files: list[str], *, is_bundled: bool) -> list[int]:
        """Take files in; gives the uploads to wait for."""
        uploads = []
        if is_bundled:
            uploads += self.take_samples()
        for name in files:
            uploads += self.take(name)
        return uploads

    def take_samples(self) -> list[int]:
        """Take the sample logs in that are not there yet; an unfinished one is waited for."""
        uploads = []
        for path in sorted(SAMPLES.glob("*.ndjson")):
            digest = hashlib.sha256(path.read_bytes()).digest()
            known = selectors.known_files([digest]).get(digest)
            if known is None:
                uploads += self.take(str(path))
            elif not selectors.get_upload(known, sources=None).is_ended:
                uploads.append(known)
        return uploads

    def take(self, name: str) -> list[int]:
        """Take one file in; gives its uploads: none, with a message, when it cannot be."""
        try:
            if name == "-":
                return self.receive("standard input", sys.stdin.buffer, 0)
            path = Path(name)
            with path.open("rb") as file:
                return self.receive(path.name, file, path.stat().st_size)
        except OSError as error:
            self.progress.say(f"{name}: {error.strerror}")
        except services.UploadRefused as error:
            self.progress.say(f"{name}: {error}")
        self.is_unread = True
        return []

    def receive(self, name: str, stream: services.ByteStream, size: int) -> list[int]:
        if self.user is None:
            note_taking("ingest", name, source=self.source or None)
        how: dict[str, Any] = {
            "name": name,
            "stream": stream,
            "user": self.user,
            "restatement": self.restatement,
            "on_progress": lambda done: self.progress.show(f"Reading {name}", done, size),
        }
        if self.feed is None:
            return [services.receive_upload(**how).upload_id]
        received = services.receive_feed(**how, feed=self.feed, source=self.source)
        again = received.restating_id
        return [received.upload_id, *([] if again is None else [again])]

    def wait(self, uploads: list[int], *, is_start: bool) -> list[selectors.UploadRow]:
        """Wait until every upload has its end and its hands are compared with those before them,
        and look for what was lost when nothing moves.

        The sample logs are read when everything starts: what was queued before that may have lost
        its message with the broker.
        """
        services.sweep(quiet=timedelta(0) if is_start else QUIET)
        last, moved = (-1, -1), time.monotonic()
        while True:
            rows = [selectors.get_upload(upload_id, sources=None) for upload_id in uploads]
            waiting = selectors.open_touches(uploads)
            if not waiting and all(row.is_ended for row in rows):
                # The last comparison may have come after the first look at the counts.
                return [selectors.get_upload(upload_id, sources=None) for upload_id in uploads]
            done = sum(row.audited for row in rows)
            whole = sum(row.lines for row in rows)
            now = time.monotonic()
            if (done, waiting) != last:
                last, moved = (done, waiting), now
            elif now - moved > QUIET.total_seconds():
                services.sweep(quiet=QUIET)
                self.progress.say("Nothing moves: is a worker running? Ctrl-C stops the waiting.")
                moved = now
            self.progress.show("Auditing", done, whole, f"{done:,} of {whole:,} lines")
            time.sleep(POLL_SECONDS)

    def report(self, row: selectors.UploadRow) -> None:
        """One line for an upload on standard output, and its error beside it."""
        counts = counts_of(row, always=("clean", "discrepant", "rejected"))
        rate = f", {row.rate:,.0f} lines/s" if row.rate and row.lines >= 1_000 else ""
        self.stdout.write(f"{row.name}: upload {row.id}, {row.lines:,} lines: {counts}{rate}")
        if row.error:
            self.stderr.write(f"{row.name}: {row.error}")

    def status(self, rows: list[selectors.UploadRow], *, is_bundled: bool) -> int:
        if self.is_unread or any(row.failed for row in rows):
            return EXIT_REJECTED
        if is_bundled:
            return EXIT_CLEAN
        if any(row.rejected for row in rows):
            return EXIT_REJECTED
        if any(row.discrepant or row.turned for row in rows):
            return EXIT_DISCREPANT
        return EXIT_CONSISTENT if any(row.consistent for row in rows) else EXIT_CLEAN
