"""Where rulesets come from: the package's own files, and folders that the caller names.

The only place of the core that opens files; the flow of a hand never does.
"""

from __future__ import annotations

from pathlib import Path

from replay.games import GAMES
from replay.ruleset import (
    SHIPPED,
    Ruleset,
    RulesetError,
    RulesetProblem,
    Rulesets,
    check_ruleset,
    parse_ruleset,
)

_SCHEMAS = {name: game.options for name, game in GAMES.items()}


def read_ruleset(content: bytes, *, where: str = "ruleset") -> Ruleset:
    """Read the bytes of one ruleset file. Raises: RulesetError."""
    return parse_ruleset(content, _SCHEMAS, where=where)


def ruleset_problems(content: bytes) -> tuple[RulesetProblem, ...]:
    """Everything that is wrong with the bytes of a ruleset file, by place; empty for a ruleset."""
    found = check_ruleset(content, _SCHEMAS)
    return () if isinstance(found, Ruleset) else found


def load_rulesets(*folders: Path) -> Rulesets:
    """The shipped rulesets and the `*.toml` files of each folder (not of its sub-folders).

    Raises: RulesetError when a folder or a file cannot be read, a file is no ruleset, or one id
    and revision comes with two contents.
    """
    rulesets = Rulesets()
    for folder in (SHIPPED, *folders):
        for path in _ruleset_files(folder):
            try:
                content = path.read_bytes()
            except OSError as error:
                raise RulesetError(f"{path}: {error.strerror}") from None
            rulesets.add(read_ruleset(content, where=str(path)), where=str(path))
    return rulesets


def _ruleset_files(folder: Path) -> list[Path]:
    """The `*.toml` files of a folder, in order. Not `glob`: it passes a locked folder over."""
    try:
        paths = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        raise RulesetError(f"{folder}: no such folder") from None
    except OSError as error:
        raise RulesetError(f"{folder}: {error.strerror}") from None
    return [path for path in paths if path.name.endswith(".toml")]
