"""`manage.py report`: make a report, list what was made, take a file out, check a signature."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser

from audit import selectors
from audit.management.progress import Progress
from audit.models import ReportBasis, ReportKind
from audit.selectors.access import EVERYTHING, Act, access_of
from audit.selectors.pages import BadQuery
from audit.selectors.reports import (
    FORMS,
    ReportNotFound,
    ReportRow,
    ReportRunRow,
    asked_of,
    editions_of,
    get_file,
    get_run,
    list_reports,
)
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import definition_of
from audit.services.journal import record
from audit.services.reports import (
    ReportRefused,
    continue_report,
    request_report,
    resume_report,
    stop_report,
)
from audit.services.reports_files import Files, written_otherwise

EXIT_FAULT, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130
SLICE_SECONDS = 0.5
WAIT_SECONDS = 0.5
FIELDS = ("source", "table", "game", "player", "large_win", "large_wager")


class Command(BaseCommand):
    """Makes the report in this process, day by day; Ctrl-C stops it behind a day.

    Exit status: 0 it was made or read, 1 it could not be made or a signature does not fit, 64 wrong
    usage, 130 interrupted.
    """

    help = (
        "Reports: `make KIND --by ACCOUNT --to DAY`, `resume RUN`, `list`, `take NUMBER --form pdf`"
        " (to standard output, or --out FILE), `check NUMBER`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        making = acts.add_parser("make", help="make a report, or find the one that says the same")
        making.add_argument("kind", choices=ReportKind.values)
        making.add_argument("--by", required=True, metavar="ACCOUNT", help="who asks for it")
        making.add_argument("--to", required=True, metavar="DAY", help="the day, or the last day")
        making.add_argument(
            "--from", dest="from", default="", metavar="DAY", help="for --basis days"
        )
        making.add_argument("--basis", choices=ReportBasis.values, default=ReportBasis.DAY.value)
        for name in FIELDS:
            making.add_argument(f"--{name.replace('_', '-')}", dest=name)
        resuming = acts.add_parser("resume", help="go on with one that was stopped")
        resuming.add_argument("run", type=int)
        listing = acts.add_parser("list", help="what was made, the latest first")
        listing.add_argument("--kind", choices=ReportKind.values, default="")
        taking = acts.add_parser("take", help="a file of a report, byte by byte")
        taking.add_argument("number", type=int)
        taking.add_argument("--form", choices=FORMS, default="json")
        taking.add_argument("--out", type=Path, metavar="FILE", help="(standard output)")
        checking = acts.add_parser("check", help="whether every edition is as it was signed")
        checking.add_argument("number", type=int)

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            getattr(self, f"act_{options['act']}")(options)
        except (BadQuery, ReportNotFound, ReportRefused) as error:
            self.refuse(str(error))

    def act_make(self, options: dict[str, Any]) -> None:
        definition = definition_of(options["kind"])
        user = selectors.find_account(options["by"])
        if user is None:
            self.refuse(f"There is no active account {options['by']}.")
        access = access_of(user)
        names = ("basis", "from", "to", *FIELDS)
        query = {name: options[name] for name in names if options[name] is not None}
        asked = read_request(definition, query, access)
        self.work(request_report(definition=definition, asked=asked, access=access))

    def act_resume(self, options: dict[str, Any]) -> None:
        get_run(options["run"], EVERYTHING)
        # A worker that had it, too, would end it when its time is over.
        resume_report(run_id=options["run"], is_queued=False)
        self.work(options["run"])

    def work(self, run: int) -> None:
        """Go on with a run until its end, a worker beside us or not."""
        progress = Progress(sys.stderr)
        try:
            row = self.finished(run, progress)
        except KeyboardInterrupt:
            progress.clear()
            if get_run(run, EVERYTHING).is_open:
                stop_report(run_id=run)
            self.stderr.write(f"Stopped. `manage.py report resume {run}` goes on with it.")
            sys.exit(EXIT_INTERRUPTED)
        progress.clear()
        if row.report is None:
            self.stderr.write(row.error or "It was stopped.")
            sys.exit(EXIT_FAULT)
        words = "says the same already" if row.is_same else "was made"
        self.stdout.write(f"Report {row.report} {words}.")

    def finished(self, run: int, progress: Progress) -> ReportRunRow:
        while True:
            continue_report(run_id=run, seconds=SLICE_SECONDS)
            row = get_run(run, EVERYTHING)
            if not row.is_open:
                return row
            progress.show("Days", row.read, row.days)
            # A worker has it at this moment.
            time.sleep(WAIT_SECONDS if row.read == row.days else 0)

    def act_list(self, options: dict[str, Any]) -> None:
        cursor = None
        while True:
            page = list_reports(EVERYTHING, kind=options["kind"], cursor=cursor, limit=100)
            for row in page.rows:
                self.stdout.write(self.line(row))
            cursor = page.next_cursor
            if cursor is None:
                return

    def line(self, row: ReportRow) -> str:
        days = row.first.isoformat() if row.first == row.last else f"{row.first} to {row.last}"
        maker = row.made_by or "the clock"
        rows = "no activity" if row.is_empty else f"{row.rows} rows"
        return (
            f"{row.pk}\t{row.kind}\t{row.basis}\t{days}\tedition {row.edition}\t{rows}"
            f"\t{row.made_at:%Y-%m-%dT%H:%M:%SZ}\t{maker}"
        )

    def act_take(self, options: dict[str, Any]) -> None:
        data = get_file(options["number"], options["form"], EVERYTHING)
        asked = asked_of(options["number"], EVERYTHING).parameters
        record(
            access=EVERYTHING,
            act=Act.SEE_REPORTS,
            subject=f"command report-file report:{options['number']} form:{options['form']}",
            source=asked.get("source"),
            player=asked.get("player"),
        )
        if options["out"] is not None:
            options["out"].write_bytes(data)
        else:
            sys.stdout.buffer.write(data)

    def act_check(self, options: dict[str, Any]) -> None:
        is_good = True
        for row, signature in editions_of(options["number"], EVERYTHING):
            words = signature.problem or f"signed by {signature.key}, as it was made"
            others = self.written_otherwise(row)
            if others:
                words += f"; written again, other bytes: {', '.join(others)}"
            self.stdout.write(f"Report {row.pk}, edition {row.edition}: {words}")
            is_good = is_good and not signature.problem and not others
        if not is_good:
            sys.exit(EXIT_FAULT)

    def written_otherwise(self, row: ReportRow) -> list[str]:
        """Whether the files are still what their JSON gives."""
        files = {
            form: get_file(row.pk, form, EVERYTHING)
            for form in ("json", "csv", *(["pdf"] if row.has_pdf else []))
        }
        kept = Files(
            json=files["json"],
            csv=files["csv"],
            pdf=files.get("pdf"),
            pdf_maker=row.pdf_maker,
        )
        return written_otherwise(json.loads(kept.json), kept)

    def refuse(self, sentence: str) -> NoReturn:
        self.stderr.write(sentence)
        sys.exit(EXIT_USAGE)
