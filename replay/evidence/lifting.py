"""Lifting the veil: what the salts of a bundle tell of its leaves, and what was erased before.

The leaves of form 2 name nobody. A bundle brings the records and the salts of their names, by which
anyone can see that each record is the one that was sealed. Where a name was erased there is no salt
of it: the record says a token instead, and is shown to be the one that was sealed but for names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from replay.evidence.entries import Entry
from replay.evidence.leaves import (
    COMPARISON,
    COMPARISON_FINDING,
    DUPLICATE,
    FINDING,
    UPLOAD,
    VEILED_COMPARISON,
    VEILED_COMPARISON_FINDING,
    VEILED_DUPLICATE,
    VEILED_FINDING,
    VEILED_UPLOAD,
    VEILED_VERDICT,
    VEILED_VERSION,
    VERDICT,
    VERSION,
)
from replay.evidence.veil import (
    is_token,
    names_of,
    seal_key,
    sealed,
    token_of,
    veiled,
    veiled_value,
)

_ENCODER = msgspec.json.Encoder(order="deterministic")
VERSIONS, VERDICTS = (VERSION, VEILED_VERSION), (VERDICT, VEILED_VERDICT)
COMPARISONS = (COMPARISON, VEILED_COMPARISON)


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the leaf of a file keeps under its commitment, and the salt that opens it."""

    name: str
    restatement: str
    sha256: str
    salt: str


class Salts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The salts in hexadecimal, by source and name; and by upload what its salt opens.

    Of a file from which a name was erased there is nothing here.
    """

    names: dict[str, dict[str, str]]
    files: dict[str, File]


NO_SALTS = Salts(names={}, files={})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordVeil:
    """What stands for the names of a record; `key` is None where one of them was erased."""

    tokens: Mapping[str, str]
    key: bytes | None
    sha256: str

    def sealed(self, data: str) -> str | None:
        """The commitment to a hash in hexadecimal; None where nobody can make it any more."""
        return None if self.key is None else sealed(self.key, bytes.fromhex(data)).hex()


@dataclass(frozen=True, slots=True)
class Veiling:
    """The veils of the records of a bundle, by the SHA-256 of the record as it is there."""

    records: Mapping[str, RecordVeil] = field(default_factory=dict)

    def by_veiled(self) -> dict[str, str]:
        """The records by the SHA-256 of their veiled lines."""
        return {veil.sha256: name for name, veil in self.records.items()}

    @property
    def erased(self) -> list[str]:
        """The records from which a name was erased."""
        return sorted(name for name, veil in self.records.items() if veil.key is None)


def veiling_of(records: Iterable[bytes], salts: Salts) -> Veiling:
    """Veil each record by the salts. Raises: LookupError for a name that has none and was not
    erased, ValueError for salts that are none."""
    return Veiling({hashlib.sha256(line).hexdigest(): _veil(line, salts) for line in records})


def _veil(line: bytes, salts: Salts) -> RecordVeil:
    names = names_of(line)
    source = msgspec.json.decode(line, type=_Source).source
    known = {name: bytes.fromhex(salt) for name, salt in salts.names.get(source, {}).items()}
    own = {name: known[name] for name in names if name in known}
    for name in names:
        if name not in own and not is_token(name):
            raise LookupError(f"the salt of a name of {source} is not in the bundle")
    tokens = {name: token_of(salt, name) for name, salt in own.items()}
    tokens |= {name: name for name in names if name not in own}
    key = seal_key(own.values()) if len(own) == len(names) else None
    line = veiled(line, tokens, key)
    return RecordVeil(tokens=tokens, key=key, sha256=hashlib.sha256(line).hexdigest())


class _Source(msgspec.Struct):
    source: str


def file_commitment(file: File) -> str:
    """The commitment in the leaf of a file. Raises: ValueError for hexadecimal that is none."""
    hidden = _ENCODER.encode([file.name, file.restatement, file.sha256])
    return sealed(bytes.fromhex(file.salt), hidden).hex()


# -- for people -----------------------------------------------------------------------------

_PLAIN = {
    VEILED_VERSION: VERSION,
    VEILED_VERDICT: VERDICT,
    VEILED_FINDING: FINDING,
    VEILED_COMPARISON: COMPARISON,
    VEILED_COMPARISON_FINDING: COMPARISON_FINDING,
    VEILED_DUPLICATE: DUPLICATE,
    VEILED_UPLOAD: UPLOAD,
}
ERASED = "erased"


def shown(
    entries: Sequence[Entry], versions: Mapping[Any, str], veiling: Veiling, salts: Salts
) -> list[Entry]:
    """The entries with the names that the salts give back, as form 1 has them, to be read.

    `versions` are the records by source, hand and number of a version.
    """
    names = {
        token: name for veil in veiling.records.values() for name, token in veil.tokens.items()
    }
    return [_shown(one, versions, names, salts) for one in entries]


def _shown(
    one: Entry, versions: Mapping[Any, str], names: Mapping[str, str], salts: Salts
) -> Entry:
    leaf = _PLAIN.get(one.leaf)
    if leaf is None:
        return one
    fields = dict(one.fields)
    if leaf == VERSION:
        fields["sha256"] = versions.get((one["source"], one["hand_id"], one["number"]), ERASED)
    elif leaf == UPLOAD:
        file = salts.files.get(str(one["upload"]))
        fields["name"] = ERASED if file is None else file.name
        fields["restatement"] = ERASED if file is None else file.restatement
        fields["sha256"] = ERASED if file is None else file.sha256
    elif leaf in (VERDICT, COMPARISON):
        fields["digest"] = f"under the commitment {one['sealed']}"
    if leaf == VERDICT:
        fields["settlement"] = veiled_value(one["settlement"], names)
    if leaf in (FINDING, COMPARISON_FINDING) and one["subject"] in names:
        fields["subject"] = names[one["subject"]]
    return Entry(leaf=leaf, index=one.index, fields=fields)
