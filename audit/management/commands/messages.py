"""Extract the sentences of the site into the catalogues and compile them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.management import catalogues


class Command(BaseCommand):
    help = "Extract every sentence of the site into audit/locale and compile the catalogues."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing; fail where a catalogue is not what it should be",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        messages = catalogues.extracted(Path(settings.ROOT))
        wrong = 0
        for locale in catalogues.LOCALES:
            old = catalogues.read(locale)
            new = catalogues.updated(old, messages, locale)
            missing = [entry.msgid for entry in new if not entry.translated()]
            self.stdout.write(f"{locale}: {len(new)} messages, {len(missing)} without words")
            for text in missing:
                self.stdout.write(f"  {text!r}")
            is_same = str(old) == str(new)
            wrong += bool(missing) + (not is_same)
            if not options["check"]:
                catalogues.write(new, locale)
        if options["check"] and wrong:
            raise CommandError("The catalogues are not up to date: run dev.py messages.")
