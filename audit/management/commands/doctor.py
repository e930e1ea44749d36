"""`manage.py doctor`: is all well, and if not, what to do."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from audit.selectors.diagnosis import Level, examine

MARKS = {Level.GOOD: "ok  ", Level.WARNING: "look", Level.TROUBLE: "BAD "}


class Command(BaseCommand):
    """Prints a line for each thing looked at. Exit status: 0, or 1 when something is in trouble."""

    help = (
        "Look at the database, broker, workers, rulesets, migrations, clock, queue and disks;"
        " say what to do. Exit status 1 when something keeps the service from its work."
    )
    # What the checks of the framework need may be what is broken.
    requires_system_checks = ()

    def handle(self, *_: Any, **__: Any) -> None:
        bad = 0
        for check in examine():
            bad += check.level is Level.TROUBLE
            self.stdout.write(f"{MARKS[check.level]}  {check.about}: {check.sentence}")
        if bad:
            self.stdout.write(f"{bad} in trouble.")
            sys.exit(1)
        self.stdout.write("All is well.")
