"""`manage.py watch DIR`: logs in by laying them into a folder."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.management.watching import Busy, Folder, watch


class Command(BaseCommand):
    """Watches until SIGTERM or Ctrl-C, which end it at once: a file being read then is taken at
    the next start."""

    help = (
        "Take in each file that is laid into a folder (best moved in by rename, else once it has"
        " not changed for a while), then move it to done/ or, with the reason beside it, refused/."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR")
        parser.add_argument(
            "--quiet-seconds", type=float, default=10.0, help="unchanged for so long is complete"
        )
        parser.add_argument("--poll-seconds", type=float, default=1.0, help="between two looks")
        parser.add_argument(
            "--once", action="store_true", help="end when all that lies there has its end"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        path = Path(options["folder"]).resolve()
        if not path.is_dir():
            raise CommandError(f"{path} is no folder.")
        stop = threading.Event()

        def note(number: int, frame: FrameType | None) -> None:
            stop.set()

        before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
        folder = Folder(
            path=path, quiet=options["quiet_seconds"], say=self.say, is_stopping=stop.is_set
        )
        self.say(f"Watching {path}.")
        try:
            watch(folder, lambda: _wait(stop, options["poll_seconds"]), is_once=options["once"])
        except Busy as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{path} cannot be watched ({error.strerror}).") from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        self.say("The watch is ended.")

    def say(self, sentence: str) -> None:
        # A file's name may hold what a terminal or UTF-8 cannot take.
        self.stdout.write("".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence))
        self.stdout.flush()


def _wait(stop: threading.Event, seconds: float) -> None:
    stop.wait(seconds)
