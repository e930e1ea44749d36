"""`manage.py bundle SOURCE HAND_ID`: all the evidence about a hand in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.models import Hand
from audit.selectors.evidence import LogDamaged
from audit.selectors.seal_keys import SealKeyMissing
from audit.services.bundling import BundleRefused, bundle_hand
from audit.services.sealing import SealRefused

EXIT_REFUSED = 1


class Command(BaseCommand):
    """Writes the bundle and prints its name."""

    help = "Write the evidence about a hand into a zip file; python -m replay verify checks it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", metavar="SOURCE")
        parser.add_argument("hand_id", metavar="HAND_ID")
        parser.add_argument("--output", metavar="FILE", type=Path, help="instead of hand-N.zip")

    def handle(self, *_: Any, **options: Any) -> None:
        found = Hand.objects.filter(source=options["source"], hand_id=options["hand_id"])
        key = found.values_list("pk", flat=True).first()
        if key is None:
            self.stderr.write("There is no such hand.")
            sys.exit(EXIT_REFUSED)
        try:
            bundle = bundle_hand(hand_id=key)
            path = options["output"] or Path(bundle.name)
            path.write_bytes(bundle.data)
        except (BundleRefused, SealRefused, SealKeyMissing, LogDamaged, OSError) as error:
            self.stderr.write(str(error))
            sys.exit(EXIT_REFUSED)
        self.stdout.write(f"{path}: {len(bundle.data):,} bytes")
