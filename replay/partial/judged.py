"""What the checks of a record with gaps come to, whatever the game."""

from __future__ import annotations

from typing import Any

import msgspec

from replay.findings import Finding


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What was found: `figures` may be explained by an option, `findings` not."""

    findings: list[Finding]
    figures: list[Finding]
    settlement: dict[str, Any] | None
