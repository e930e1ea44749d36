"""What is taken in the place of a file's lines where an importer cut it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The records of a file that is no hand log: of which feed, what stands for all of them, and
    each as a line."""

    feed: str
    facts: Mapping[str, Any]
    lines: Iterable[replay.Line]
