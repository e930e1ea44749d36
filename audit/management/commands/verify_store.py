"""`manage.py verify-store`: was anything changed in the store behind the application's back?"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from audit.management.progress import Progress
from audit.selectors.seal_keys import SealKeyMissing, read_keys
from audit.selectors.verifying import (
    TROUBLES_KEPT,
    Verification,
    log_size,
    verify_hands,
    verify_log,
    verify_rows,
    whole_size,
)
from audit.selectors.verifying_heads import all_heads
from audit.selectors.verifying_retention import verify_erasures, verify_runs
from audit.services.incidents import note_altered
from replay.evidence import NoteError, PublicKey

EXIT_TROUBLE, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130
STATE = "verify-store.json"
# The state is written this often, so that a kill costs no more.
KEEP_SECONDS = 2.0


class Command(BaseCommand):
    """Prints a line for each row that is not as it was sealed. Exit status: 0, or 1 with trouble.

    Ctrl-C keeps how far it came; `--resume` goes on there, with what was found until then.
    """

    help = (
        "Recompute every leaf of the log from its row, the tree from its leaves, and compare with"
        " the signed heads of the store and those kept outside; name each row that was altered,"
        " deleted, added or moved."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--head", metavar="FILE", type=Path, action="append", default=[],
            help="signed heads kept outside, a file or a folder; may be given more than once",
        )  # fmt: skip
        parser.add_argument(
            "--key", metavar="KEY", action="append", default=[],
            help="a public key by which heads may be signed, besides those of the key file",
        )  # fmt: skip
        parser.add_argument("--resume", action="store_true", help="go on where it was interrupted")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            keys = self.keys(options["key"])
            outside = [*self.kept_heads(), *options["head"]]
            for path in outside:
                path.stat()
        except (SealKeyMissing, NoteError, OSError) as error:
            self.stderr.write(str(error))
            sys.exit(EXIT_USAGE)
        state = self.begin(is_resumed=options["resume"])
        progress = Progress(sys.stderr)
        try:
            self.verify(state, keys, outside, progress)
        except KeyboardInterrupt:
            progress.clear()
            self.keep(state)
            self.stderr.write("Interrupted: --resume goes on here.")
            sys.exit(EXIT_INTERRUPTED)
        progress.clear()
        self.path.unlink(missing_ok=True)
        self.report(state, keys, outside)

    @property
    def path(self) -> Path:
        return Path(settings.STATE) / STATE

    def keys(self, given: list[str]) -> tuple[PublicKey, ...]:
        """Raises: SealKeyMissing, NoteError."""
        known = read_keys()
        parsed = tuple(PublicKey.parse(text) for text in given)
        return (known.public if known is not None else ()) + parsed

    def kept_heads(self) -> list[Path]:
        """The folder in which each seal puts its head down."""
        folder = Path(settings.TILECOURT_SEAL_HEADS)
        return [folder] if folder.is_dir() else []

    def begin(self, *, is_resumed: bool) -> Verification:
        if is_resumed:
            try:
                return msgspec.json.decode(self.path.read_bytes(), type=Verification)
            except FileNotFoundError:
                self.stderr.write("Nothing was interrupted: beginning anew.")
            except (msgspec.MsgspecError, OSError) as error:
                self.stderr.write(f"{self.path} cannot be read ({error}): beginning anew.")
        return Verification(leaves=log_size())

    def verify(
        self,
        state: Verification,
        keys: tuple[PublicKey, ...],
        outside: list[Path],
        progress: Progress,
    ) -> None:
        whole = whole_size(state)
        kept = time.monotonic()
        for _ in self.passes(state, keys, outside):
            done = state.next_index + state.rows_done
            words = f"{state.trouble_count:,} troubles" if state.trouble_count else ""
            progress.show("Verifying", done, whole, words)
            if time.monotonic() - kept >= KEEP_SECONDS:
                self.keep(state)
                kept = time.monotonic()

    def passes(
        self, state: Verification, keys: tuple[PublicKey, ...], outside: list[Path]
    ) -> Iterator[None]:
        if state.is_log_done:
            return chain(*self.rest(state))
        heads = all_heads(state.head_size, keys, outside, state)
        return chain(verify_log(state, heads), *self.rest(state))

    def rest(self, state: Verification) -> list[Iterator[None]]:
        """What is looked at behind the log."""
        return [
            verify_rows(state), verify_hands(state), verify_runs(state), verify_erasures(state)
        ]  # fmt: skip

    def keep(self, state: Verification) -> None:
        draft = self.path.with_name(f"{STATE}.{os.getpid()}")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_bytes(msgspec.json.encode(state))
            draft.replace(self.path)
        except OSError as error:
            # It only costs the way back here.
            self.stderr.write(f"{self.path} cannot be kept: {error.strerror}.")

    def report(self, state: Verification, keys: tuple[PublicKey, ...], outside: list[Path]) -> None:
        for run, count in sorted(state.retained.items()):
            self.stdout.write(f"{count:,} leaves: deleted under retention run {run}")
        if state.erased:
            self.stdout.write(
                f"{state.erased:,} leaves of early forms: over names that were erased since; their"
                " rows are as the acts left them"
            )
        for sentence in state.troubles:
            self.stdout.write(sentence)
        if state.trouble_count > TROUBLES_KEPT:
            self.stdout.write(f"… and {state.trouble_count - TROUBLES_KEPT:,} more.")
        if state.trouble_count:
            note_altered(troubles=state.troubles)
            self.stdout.write(f"{state.trouble_count:,} in trouble.")
            sys.exit(EXIT_TROUBLE)
        against = ", ".join(map(str, outside)) or "no head outside of the store"
        signer = keys[0] if keys else "no key"
        self.stdout.write(
            f"{state.leaves:,} leaves and {state.rows_done:,} rows are as they were sealed"
            f" (signed by {signer}; compared with {against})."
        )
