"""`manage.py reaudit`: have stored hands judged again, and what came of it."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from typing import Any, NoReturn

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from audit import selectors, services
from audit.management.progress import Progress
from audit.models import RefusedLines
from audit.selectors.reaudits import ReauditRow, get_reaudit
from audit.selectors.reaudits_report import list_amounts, list_flips
from audit.selectors.reaudits_scope import KEYS
from replay import format_minor

EXIT_FLIPPED, EXIT_ASIDE, EXIT_STOPPED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 3, 64, 130
POLL_SECONDS = 0.25
# Without progress for this long, lost messages are looked for.
QUIET = timedelta(seconds=15)


class Command(BaseCommand):
    """Starts or resumes a re-audit, waits for the workers, prints what it found.

    Exit status: 0 every verdict as before, 1 some flipped, 2 something was set aside, 3 it stopped,
    64 wrong usage, 130 interrupted.
    """

    help = (
        "Have stored hands judged again: under the rulesets and the engine known now, or with"
        " --ruleset as a rehearsal under another revision, whose results change no hand. Ctrl-C"
        " stops the re-audit (--resume goes on with it), or with --leave-running the waiting alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", help="why; it stays on record")
        parser.add_argument("--by", metavar="ACCOUNT", help="the account that asks for it")
        parser.add_argument("--all", action="store_true", help="every hand")
        parser.add_argument(
            "--where",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help=f"only hands that the hands list would show; KEY is one of {', '.join(KEYS)}",
        )
        parser.add_argument(
            "--named", default="", metavar="RULESET", help="only hands that name this ruleset"
        )
        parser.add_argument(
            "--ruleset", default="", help="a rehearsal under this revision, ID@REVISION"
        )
        parser.add_argument(
            "--refused-lines",
            choices=RefusedLines.values,
            default=RefusedLines.NONE.value,
            help="refused lines, too: those that wait, or all",
        )
        parser.add_argument("--resume", type=int, metavar="NUMBER", help="go on with a stopped one")
        parser.add_argument("--stop", type=int, metavar="NUMBER", help="stop one where it is")
        parser.add_argument("--no-wait", action="store_true", help="do not wait for the workers")
        parser.add_argument(
            "--leave-running", action="store_true", help="Ctrl-C ends the waiting, not the work"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        self.progress = Progress(sys.stderr)
        if options["stop"] is not None:
            self.stop(options["stop"])
            return
        reaudit_id = self.start(options)
        if options["no_wait"]:
            self.stdout.write(f"Re-audit {reaudit_id} is under way.")
            return
        try:
            row = self.wait(reaudit_id)
        except KeyboardInterrupt:
            self.interrupt(reaudit_id, leaves=options["leave_running"])
        self.progress.clear()
        self.report(row)
        if row.state == "stopped":
            sys.exit(EXIT_STOPPED)
        if row.aside:
            sys.exit(EXIT_ASIDE)
        if row.flipped:
            sys.exit(EXIT_FLIPPED)

    def start(self, options: dict[str, Any]) -> int:
        """Open a re-audit, or resume one; ends the command where that cannot be."""
        resumed = options["resume"]
        try:
            if resumed is not None:
                get_reaudit(resumed, sources=None)
                services.resume_reaudit(reaudit_id=resumed)
                return int(resumed)
            pairs = [self.pair(text) for text in options["where"]]
            query = dict(pairs)
            if len(query) < len(pairs):
                self.refuse("A filter is named once: hands that pass all filters are judged.")
            if options["all"] and (query or options["named"]):
                self.refuse("--all is every hand, which neither --where nor --named can narrow.")
            if not (query or options["all"] or options["named"]):
                self.refuse("Say which hands: --all, --where KEY=VALUE or --named RULESET.")
            return services.open_reaudit(
                user=self.account(options["by"]),
                sources=None,
                reason=options["reason"] or "",
                query=query,
                named=options["named"],
                ruleset=options["ruleset"],
                refused_lines=options["refused_lines"],
            )
        except (services.ReauditRefused, selectors.BadQuery, selectors.NotFound) as error:
            self.refuse(str(error))

    def pair(self, text: str) -> tuple[str, str]:
        key, equals, value = text.partition("=")
        if not equals or not value:
            self.refuse(f"--where {text} is not KEY=VALUE.")
        return key, value

    def account(self, name: str | None) -> User | None:
        if name is None:
            return None
        user = selectors.find_account(name)
        if user is None:
            self.refuse(f"There is no active account {name}.")
        return user

    def stop(self, reaudit_id: int) -> None:
        try:
            get_reaudit(reaudit_id, sources=None)
        except selectors.NotFound as error:
            self.refuse(str(error))
        was_open = services.stop_reaudit(reaudit_id=reaudit_id)
        words = "stopped" if was_open else "was not under way"
        self.stdout.write(f"Re-audit {reaudit_id} {words}.")

    def interrupt(self, reaudit_id: int, *, leaves: bool) -> NoReturn:
        if leaves:
            self.progress.say(f"Stopped waiting: the workers go on with re-audit {reaudit_id}.")
        else:
            services.stop_reaudit(reaudit_id=reaudit_id)
            self.progress.say(
                f"Re-audit {reaudit_id} is stopped. To go on: manage.py reaudit --resume"
                f" {reaudit_id}"
            )
        sys.exit(EXIT_INTERRUPTED)

    def wait(self, reaudit_id: int) -> ReauditRow:
        """Wait until it has its end or stands still, and look for what was lost."""
        services.sweep_reaudits(quiet=QUIET)
        last, moved = (-1, -1), time.monotonic()
        while True:
            row = get_reaudit(reaudit_id, sources=None)
            if not row.is_open:
                return row
            now = time.monotonic()
            if (row.total, row.done) != last:
                last, moved = (row.total, row.done), now
            elif now - moved > QUIET.total_seconds():
                services.sweep_reaudits(quiet=QUIET)
                self.progress.say("Nothing moves: is a worker running?")
                moved = now
            if row.state == "gathering":
                self.progress.show("Gathering", 0, 0, f"{row.total:,} found")
            else:
                note = f"{row.done:,} of {row.total:,}, {row.flipped:,} flipped"
                if row.seconds_left is not None:
                    note += f", about {row.seconds_left:,.0f} s left"
                self.progress.show("Judging again", row.done, row.total, note)
            time.sleep(POLL_SECONDS)

    def report(self, row: ReauditRow) -> None:
        """The counts, in which ways hands changed, and the money by currency."""
        counts = ", ".join(
            f"{count:,} {word}"
            for word, count in (
                ("new verdicts", row.written),
                ("confirmed", row.confirmed),
                ("rehearsed", row.rehearsed),
                ("refused lines that are hands now", row.admitted),
                ("still refused", row.refused),
                ("set aside", row.aside),
            )
            if count
        )
        rate = f", {row.rate:,.0f}/s" if row.rate and row.done >= 1_000 else ""
        self.stdout.write(
            f"Re-audit {row.id}: {row.done:,} of {row.total:,} judged again"
            f"{': ' if counts else ''}{counts}{rate}; {row.flipped:,} flipped,"
            f" {row.changed:,} judged otherwise"
        )
        for one in list_flips(row.id):
            before, after = (
                f"{kind} {code}".strip()
                for kind, code in (
                    (one.flip.kind_before, one.flip.code_before),
                    (one.flip.kind, one.flip.code),
                )
            )
            self.stdout.write(f"  {one.count:,} × {before} → {after}")
        for amount in list_amounts(row.id, "currency")[0]:
            figures = ", ".join(
                f"{name} {format_minor(before, amount.minor_digits)}"
                f" → {format_minor(after, amount.minor_digits)}"
                for name, before, after in (
                    ("net", amount.net_before, amount.net_after),
                    ("rake", amount.rake_before, amount.rake_after),
                    ("valid bet", amount.valid_bet_before, amount.valid_bet_after),
                )
                if before is not None and after is not None
            )
            self.stdout.write(f"  {amount.currency}: {figures}")
        if row.error:
            self.stderr.write(row.error)

    def refuse(self, sentence: str) -> NoReturn:
        self.stderr.write(sentence)
        sys.exit(EXIT_USAGE)
