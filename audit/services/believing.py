"""What a refused line may be believed of: FORMAT 6.2, 18.

A value counts when the line is a JSON object without repeated keys and the value itself is
well-formed.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, TypeGuard

NAME_MAX = 128


def believed_fields(line: bytes) -> Mapping[str, Any]:
    """The fields of a refused line; none where it is no such object."""
    try:
        value = json.loads(
            line.decode(), object_pairs_hook=_without_repeats, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def believed_source(line: bytes) -> str | None:
    """The source that a refused line names without doubt, else None."""
    source = believed_fields(line).get("source")
    return source if is_name(source) else None


def is_name(value: object) -> TypeGuard[str]:
    """Whether it is a name as FORMAT 1 has it."""
    return (
        isinstance(value, str)
        and 1 <= len(value) <= NAME_MAX
        and not any(unicodedata.category(character) in ("Cc", "Cs") for character in value)
    )


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is repeated")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
