"""What the journal keeps of a file that a command takes in for nobody who has an account."""

from __future__ import annotations

import getpass
import os

from audit.selectors.access import EVERYTHING, Act
from audit.services.journal import record
from audit.services.texts import storable

NAME_MAX = 255


def note_taking(command: str, name: str, *, source: str | None = None) -> None:
    """Write down, before the first byte is read, that a command takes a file in: with the account
    of the system that runs it, as no other actor is known."""
    record(
        access=EVERYTHING,
        act=Act.UPLOAD,
        subject=f"command {command} {storable(name, NAME_MAX)}",
        source=source,
        detail={"system_account": _system_account()},
    )


def _system_account() -> str:
    """Its name, or its number where it has none."""
    try:
        return storable(getpass.getuser(), NAME_MAX)
    except (KeyError, OSError, ImportError):
        return str(os.getuid())
