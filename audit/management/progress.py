"""How a command shows how far it is: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import time
from typing import TextIO

BAR = 30
DRAW_SECONDS = 0.1
LINE_SECONDS = 10.0


class Progress:
    """Writes progress to a stream; `show` may be called as often as one likes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._next = 0.0 if self._is_terminal else time.monotonic() + LINE_SECONDS
        self._width = 0

    def show(self, title: str, done: int, whole: int, note: str = "") -> None:
        """Show that `done` of `whole` is done; a `whole` of 0 is not known yet."""
        now = time.monotonic()
        if now < self._next:
            return
        share = min(done / whole, 1.0) if whole else 0.0
        if self._is_terminal:
            self._next = now + DRAW_SECONDS
            filled = round(share * BAR)
            self._draw(f"{title} [{'█' * filled}{'·' * (BAR - filled)}] {share:4.0%} {note}")
        else:
            self._next = now + LINE_SECONDS
            print(f"{title}: {share:.0%} {note}".rstrip(), file=self._stream, flush=True)

    def say(self, text: str) -> None:
        """Print a whole line, in the place of the bar where there is one."""
        self.clear()
        print(text, file=self._stream, flush=True)

    def clear(self) -> None:
        """Take the bar away."""
        if self._width:
            self._draw("")
            self._width = 0

    def _draw(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._width) + ("\r" if not text else ""))
        self._stream.flush()
        self._width = len(text)
