"""`manage.py sweep`: queue again what a lost worker or broker forgot."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit import services
from audit.services.sweeping import SILENT


class Command(BaseCommand):
    """Calls the sweeper once; safe at any time."""

    help = (
        "Queue chunks and tables again that a lost worker or broker forgot, and end incomplete"
        " uploads."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--quiet-seconds",
            type=int,
            help="how long a waiting chunk's message may be out before it counts as lost; otherwise"
            " the broker is asked whether it has any left to give out",
        )

        parser.add_argument(
            "--silent-seconds",
            type=int,
            default=int(SILENT.total_seconds()),
            help="how long a sender may be silent before an upload counts as incomplete",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        quiet = options["quiet_seconds"]
        swept = services.sweep(
            quiet=None if quiet is None else timedelta(seconds=quiet),
            silent=timedelta(seconds=options["silent_seconds"]),
        )
        self.stdout.write(
            f"{swept.queued} chunks and {swept.tables} tables queued again,"
            f" {swept.given_up} incomplete uploads given up"
        )
