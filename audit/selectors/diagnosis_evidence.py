"""What the doctor says about the log and the software."""

from __future__ import annotations

from audit.selectors.evidence import latest_head, seal_figures
from audit.selectors.seal_keys import SealKeyMissing, read_keys
from audit.selectors.software import failing_check
from replay.evidence import NoteError, open_head

# A seal a minute: what has waited for ten was forgotten.
WAITING_SECONDS_MAX = 600.0


def seal_trouble() -> str | None:
    """What keeps the log from being sealed, with what to do; None when nothing does."""
    figures = seal_figures()
    if figures.waiting_seconds > WAITING_SECONDS_MAX:
        words = "1 row has" if figures.waiting == 1 else f"{figures.waiting:,} rows have"
        return (
            f"{words} waited up to {figures.waiting_seconds / 60:.0f} minutes"
            " to be sealed: see that beat and the workers run, then manage.py seal."
        )
    head = latest_head()
    if head is None:
        return None
    try:
        keys = read_keys()
        if keys is not None:
            open_head(head.note, *keys.public)
    except SealKeyMissing as error:
        return str(error)
    except NoteError as error:
        return (
            f"The last head of the log does not verify by the seal key ({error}): bring the right"
            " key back, and run manage.py verify-store."
        )
    return None


def seal_sentence() -> str:
    figures = seal_figures()
    return f"The log has {figures.size:,} leaves ({figures.waiting:,} rows wait to be sealed)."


def software_trouble() -> str | None:
    """What the newest look at the software found; None when it was good."""
    check = failing_check()
    if check is None:
        return None
    first, count = next(iter(check.differences)), len(check.differences)
    words = "1 thing differs" if count == 1 else f"{count:,} things differ"
    return (
        f"{words} from the accepted software, {first} first"
        f" ({check.process}, {check.made_at:%Y-%m-%d %H:%M} UTC): manage.py self-check names them;"
        " accept them with --accept when they are meant."
    )
