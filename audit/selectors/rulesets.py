"""The rulesets that hands are judged by: those of files, and those that were published.

Files are read once a process. Publications are only ever added, so a process asks for the last one
and reads what it does not know yet; what it holds it never needs to read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

import replay
from audit.models.rulesets import KNOWN, RulesetRevision

# The rules by which operators' servers are known to settle.
FEED_RULESETS = Path(__file__).resolve().parents[1] / "importers" / "rulesets"


def file_rulesets() -> replay.Rulesets:
    """The shipped rulesets, those of the importers, and of the folders in TILECOURT_RULESETS.

    Raises: replay.RulesetError.
    """
    folders = getattr(settings, "TILECOURT_RULESETS", ())
    return _file_rulesets(tuple(str(folder) for folder in folders))


@cache
def _file_rulesets(folders: tuple[str, ...]) -> replay.Rulesets:
    return replay.load_rulesets(FEED_RULESETS, *(Path(folder) for folder in folders))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What this process holds: the files, and the publications up to `head`, all together."""

    files: replay.Rulesets
    head: tuple[int | None, bytes] | None
    rulesets: replay.Rulesets


_held: _Held | None = None


def current_rulesets() -> replay.Rulesets:
    """Every ruleset by which hands are judged now. One query, of one row.

    What was published since the last call is read; the value itself does not change any more, so a
    chunk is judged by one state of things.
    Raises: replay.RulesetError when a file or a stored revision is not what it should be.
    """
    global _held  # noqa: PLW0603 - what a process knows is one thing, and it only grows
    files = file_rulesets()
    published = RulesetRevision.objects.filter(publication__isnull=False)
    last = published.order_by("-publication").values_list("publication", "sha256").first()
    head = None if last is None else (last[0], bytes(last[1]))
    held = _held
    if held is not None and held.files is files and held.head == head:
        return held.rulesets
    rulesets = replay.Rulesets()
    for ruleset in files:
        rulesets.add(ruleset, where="a file")
    for row in published.filter(state__in=KNOWN).order_by("publication"):
        ruleset = _same(held, row) or ruleset_of_row(row)
        rulesets.add(ruleset, where=f"publication {row.publication}")
    _held = _Held(files=files, head=head, rulesets=rulesets)
    return rulesets


def rulesets_naming(name: str) -> replay.Rulesets:
    """Rulesets for a hand that names this one: what this process holds, if that is among them.

    No query then, for what is held can never be wrong, only incomplete; else as
    `current_rulesets`.
    """
    held = _held
    if held is not None and held.files is file_rulesets() and held.rulesets.get(name) is not None:
        return held.rulesets
    return current_rulesets()


def _same(held: _Held | None, row: RulesetRevision) -> replay.Ruleset | None:
    """The ruleset as it was read before: its compiled rules hang on it."""
    known = None if held is None else held.rulesets.get(row.name)
    return known if known is not None and known.sha256 == bytes(row.sha256).hex() else None


def forget_rulesets() -> None:
    """Read everything again, as a new process would."""
    global _held  # noqa: PLW0603
    _held = None
    _file_rulesets.cache_clear()


def ruleset_of_row(row: RulesetRevision) -> replay.Ruleset:
    """The ruleset of a stored revision.

    Raises: replay.RulesetError when its bytes are not those of its hash and its name.
    """
    content = bytes(row.content)
    where = f"stored ruleset {row.name}"
    if hashlib.sha256(content).digest() != bytes(row.sha256):
        raise replay.RulesetError(f"{where}: its bytes are not those that were published")
    ruleset = replay.read_ruleset(content, where=where)
    if ruleset.name != row.name or ruleset.game != row.game:
        raise replay.RulesetError(f"{where}: it says of itself that it is {ruleset.name}")
    return ruleset


def rehearsable_ruleset(name: str) -> replay.Ruleset | None:
    """A ruleset by which hands may be rehearsed: one of those known, or a draft."""
    known = current_rulesets().get(name)
    if known is not None:
        return known
    draft = RulesetRevision.objects.filter(name=name, state="draft").first()
    return None if draft is None else ruleset_of_row(draft)


def ruleset_of_bytes(name: str, sha256: str) -> replay.Ruleset | None:
    """The ruleset with these bytes: a known one, or one that was handed in, in whatever state."""
    known = current_rulesets().get(name)
    if known is not None and known.sha256 == sha256:
        return known
    stored = RulesetRevision.objects.filter(name=name, sha256=bytes.fromhex(sha256))
    row = stored.order_by("-pk").first()
    return None if row is None else ruleset_of_row(row)


def rulesets_as_of(names: Mapping[str, str]) -> replay.Rulesets:
    """Only the rulesets of these names and SHA-256, of those that are known now."""
    known = current_rulesets()
    if len(known) == len(names):
        return known
    kept = replay.Rulesets()
    for ruleset in known:
        if names.get(ruleset.name) == ruleset.sha256:
            kept.add(ruleset, where="known")
    return kept


def names_of(rulesets: Iterable[replay.Ruleset]) -> dict[str, str]:
    """Name to SHA-256 in hexadecimal."""
    return {ruleset.name: ruleset.sha256 for ruleset in rulesets}
