"""The software as it lies here: a SHA-256 for each file of code, ruleset, setting and library.

What may differ between processes of one installation (addresses, secrets, folders of this machine)
is left out, so that every process on every machine gives the same.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from audit.config import settings as own_settings
from audit.models import AcceptedSoftware, SoftwareCheck
from audit.selectors.rulesets import file_rulesets

FOLDERS = ("replay", "audit", "templates", "requirements")
FILES = ("manage.py", "dev.py", "gunicorn.conf.py", "pyproject.toml")
# Of a setting with such a word in its name nothing is taken, not even a hash.
SECRET_WORDS = ("SECRET", "PASSWORD", "TOKEN", "URL", "KEY", "CREDENTIAL")
# These hold addresses, folders of this machine, or objects that are no plain values.
LEFT_OUT = {
    "DATABASES", "IS_WEB", "LOGGING", "ROOT", "STATE", "STATIC_ROOT", "TEMPLATES",
    "TILECOURT_SEAL_HEADS",
}  # fmt: skip
CHECKS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One look at the software; `differences` gives expected and found by name."""

    occasion: str
    process: str
    engine: str
    is_good: bool
    sha256: str
    expected: str
    differences: dict[str, list[str | None]]
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedRow:
    """Which software was declared right; `by` is empty for the installation itself."""

    by: str
    reason: str
    engine: str
    sha256: str
    items: int
    made_at: datetime


def take_inventory() -> dict[str, str]:
    """The SHA-256 of each thing, by its name, sorted. Takes about a tenth of a second."""
    found = dict(_code())
    found |= {f"ruleset {one.name}": one.sha256 for one in file_rulesets()}
    found |= dict(_settings())
    found |= dict(_libraries())
    return dict(sorted(found.items()))


def inventory_sha256(items: dict[str, str]) -> bytes:
    """One hash over an inventory: SHA-256 of the lines `HASH  NAME`, sorted by name."""
    lines = "".join(f"{value}  {name}\n" for name, value in sorted(items.items()))
    return hashlib.sha256(lines.encode()).digest()


def code_files() -> Iterator[tuple[str, Path]]:
    """Each file of code, by its path in the checkout."""
    root = Path(own_settings.ROOT)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(root).as_posix(), path
    for name in FILES:
        if (root / name).is_file():
            yield name, root / name


def _code() -> Iterator[tuple[str, str]]:
    for name, path in code_files():
        yield f"code {name}", _hash(path.read_bytes())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _settings() -> Iterator[tuple[str, str]]:
    for name in dir(own_settings):
        if name.isupper() and name not in LEFT_OUT and not _is_secret(name):
            yield f"setting {name}", _hash(repr(_plain(getattr(settings, name, None))).encode())


def _is_secret(name: str) -> bool:
    return any(word in name for word in SECRET_WORDS)


def _plain(value: Any) -> Any:
    """A setting whose parts with secret names are left out, and whose sets are in order.

    Of an object only its class is told: what it shows of itself may change while it is used.
    """
    if isinstance(value, dict):
        return [
            (str(name), _plain(one)) for name, one in value.items() if not _is_secret(str(name))
        ]
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, (str, bytes, int, float, Path, timedelta, type(None))):
        return value
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _libraries() -> Iterator[tuple[str, str]]:
    """Python itself, and the list of files with their hashes that each library came with."""
    yield f"python {sys.version.split()[0]}", _hash(Path(sys.executable).resolve().read_bytes())
    for library in importlib.metadata.distributions():
        name = f"library {library.metadata['Name']} {library.version}"
        yield name, _hash((library.read_text("RECORD") or "").encode())


def differing_libraries(
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, list[str | None]]:
    """Each file of a library that is not as the library's own list says: expected and found.

    Reads every file of every library, which takes seconds. `on_progress` hears how many libraries
    are done, and how many there are.
    """
    found: dict[str, list[str | None]] = {}
    libraries = list(importlib.metadata.distributions())
    for number, library in enumerate(libraries, start=1):
        for file in library.files or ():
            if file.hash is None or file.hash.mode != "sha256":
                continue
            told = base64.urlsafe_b64decode(file.hash.value + "=" * (-len(file.hash.value) % 4))
            path = Path(str(library.locate_file(file)))
            actual = _hash(path.read_bytes()) if path.is_file() else None
            if actual != told.hex():
                found[f"library file {file.as_posix()}"] = [told.hex(), actual]
        if on_progress is not None:
            on_progress(number, len(libraries))
    return found


def latest_accepted() -> AcceptedRow | None:
    found = AcceptedSoftware.objects.select_related("actor").order_by("-id").first()
    if found is None:
        return None
    return AcceptedRow(
        by=found.actor.get_username() if found.actor else "",
        reason=found.reason,
        engine=found.engine,
        sha256=bytes(found.sha256).hex(),
        items=len(found.items),
        made_at=found.created_at,
    )


def latest_checks(count: int = CHECKS_SHOWN) -> tuple[CheckRow, ...]:
    """The newest looks at the software, the newest first."""
    found = SoftwareCheck.objects.select_related("accepted").defer("accepted__items")
    return tuple(
        CheckRow(
            occasion=one.get_occasion_display(),
            process=one.process,
            engine=one.engine,
            is_good=one.is_good,
            sha256=bytes(one.sha256).hex(),
            expected=bytes(one.accepted.sha256).hex(),
            differences=one.differences,
            made_at=one.created_at,
        )
        for one in found.order_by("-id")[:count]
    )


def failing_check() -> CheckRow | None:
    """The newest look when it found differences; None when it was good or there was none."""
    checks = latest_checks(1)
    return None if not checks or checks[0].is_good else checks[0]
