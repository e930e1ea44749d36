"""The wagers of a record of a game at doors, as far as reports need them."""

from __future__ import annotations

import msgspec


class Wager(msgspec.Struct, frozen=True):
    """A wager of a record, as far as it is read here; of other events the fields are None."""

    type: str = ""
    bet: str | None = None
    player: str | None = None
    stake: str | None = None


class _Wagers(msgspec.Struct, frozen=True):
    format: str = ""
    events: list[Wager] = []


_WAGERS = msgspec.json.Decoder(_Wagers)


def wagers_of(line: bytes) -> tuple[Wager, ...] | None:
    """The wagers of a record; None where it has another form than ours."""
    try:
        found = _WAGERS.decode(line)
    except msgspec.MsgspecError:
        return None
    if not found.format.startswith("hand-log/1"):
        return None
    return tuple(event for event in found.events if event.type == "wager")
