"""The rows of the log as its leaves have them, in each form.

Form 1 has names, and hashes over records with names. Form 2 has none: a record is there by its
veiled line, and whatever a name could be guessed by is under a commitment (`replay.evidence.veil`),
so that the name can be forgotten and the leaf stays. Form 3 does the same for reasons and notes
that people write about other things than hands. Whoever forgot a salt has the commitments of
the rows concerned in `audit_erasedrow`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.db import connection

from audit.models import LeafKind
from audit.selectors.sealed_rows import (
    EARLIER,
    FINDING,
    OF_COMPARISON,
    OF_VERDICT,
    OF_VERSION,
    SEALED,
    read_rows,
)
from audit.zstd import unpacked
from replay.evidence import (
    SALT_BYTES,
    is_token,
    names_of,
    plain,
    seal_key,
    sealed,
    token_of,
    veiled,
    veiled_subject,
    veiled_value,
)

FORM = 3
# What an erasure keeps of a leaf that nobody can make again from what is left of its row.
OVER_NAMES = {"over": "names"}
_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Veil:
    """What stands for the names of one record. `key` is None where one of them was erased.

    `sha256` is that of the veiled line. `salts` are by name, for those that are not erased.
    """

    source: str
    tokens: dict[str, str]
    salts: dict[str, bytes]
    key: bytes | None
    sha256: bytes


@dataclass(slots=True)
class Veils:
    """The veils of versions, each made once. `is_making`: a name without a salt gets one."""

    is_making: bool = False
    known: dict[int, Veil] = field(default_factory=dict)

    def load(self, versions: Iterable[int]) -> None:
        wanted = sorted(set(versions) - self.known.keys())
        if wanted:
            self.known |= _veils(wanted, is_making=self.is_making)


def _veils(versions: list[int], *, is_making: bool) -> dict[int, Veil]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT v.id, h.source, v.raw FROM audit_handversion v"
            " JOIN audit_hand h ON h.id = v.hand_id WHERE v.id = ANY(%s)",
            [versions],
        )
        lines = {key: (source, unpacked_or_none(raw)) for key, source, raw in cursor}
    names = {key: _names(line) for key, (_, line) in lines.items()}
    people = {(lines[key][0], name) for key, found in names.items() for name in found}
    salts = name_salts(people, is_making=is_making)
    return {
        key: veil_of(source, line or b"", names[key], salts)
        for key, (source, line) in lines.items()
    }


def unpacked_or_none(raw: Any) -> bytes | None:
    """The line; None where the bytes were damaged, which is said where they are looked at."""
    try:
        return unpacked(raw)
    except Exception:
        return None


def _names(line: bytes | None) -> tuple[str, ...]:
    try:
        return names_of(line or b"")
    except ValueError:
        return ()


def veil_of(
    source: str, line: bytes, names: Sequence[str], salts: dict[tuple[str, str], bytes]
) -> Veil:
    """The veil of a line with these names. A name without a salt that has the form of a token is
    one that was erased."""
    own = {name: salts[source, name] for name in names if (source, name) in salts}
    tokens = {name: token_of(salt, name) for name, salt in own.items()}
    tokens |= {name: name for name in names if name not in own}
    key = seal_key(own.values()) if len(own) == len(names) else None
    try:
        sha256 = hashlib.sha256(veiled(line, tokens, key)).digest()
    except ValueError:
        sha256 = hashlib.sha256(line).digest()
    return Veil(source=source, tokens=tokens, salts=own, key=key, sha256=sha256)


def name_salts(people: set[tuple[str, str]], *, is_making: bool) -> dict[tuple[str, str], bytes]:
    """The salts of names at their sources."""
    pairs = sorted(people)
    values = [[source for source, _ in pairs], [name for _, name in pairs]]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.source, s.name, s.salt"
            " FROM unnest(%s::text[], %s::text[]) AS p (source, name)"
            ' JOIN audit_namesalt s ON s.source = p.source COLLATE "C"'
            ' AND s.name = p.name COLLATE "C"',
            values,
        )
        found = {(source, name): bytes(salt) for source, name, salt in cursor}
        missing = [pair for pair in pairs if pair not in found]
        if is_making and missing:
            erased = _erased(missing)
            made = {pair: os.urandom(SALT_BYTES) for pair in missing if pair not in erased}
            cursor.executemany(
                "INSERT INTO audit_namesalt (source, name, salt) VALUES (%s, %s, %s)",
                [(*pair, salt) for pair, salt in made.items()],
            )
            found |= made
    return found


def _erased(pairs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of these names that are tokens of erased people."""
    tokens = [name for _, name in pairs if is_token(name)]
    if not tokens:
        return set()
    with connection.cursor() as cursor:
        cursor.execute("SELECT source, token FROM audit_erasure WHERE token = ANY(%s)", [tokens])
        return set(cursor.fetchall())


# -- rows of hands --------------------------------------------------------------------------

_EARLIER_NAMED = (
    "coalesce(eh.source, d.source), coalesce(eh.hand_id, d.hand_id),"
    " coalesce(ev.number, d.number), coalesce(ew.ruleset_sha256, d.ruleset_sha256),"
    " coalesce(ew.engine, d.engine)"
)
# Joins and fields of form 2, the version first.
_VEILED: dict[LeafKind, tuple[str, str]] = {
    LeafKind.VERSION: (
        "LEFT JOIN audit_hand h ON h.id = t.hand_id",
        "t.id, h.source, h.hand_id, t.number, t.sha256, t.upload_id, t.line, t.created_at",
    ),
    LeafKind.VERDICT: (
        OF_VERSION,
        (
            "t.version_id, h.source, h.hand_id, v.number, t.ruleset, t.ruleset_sha256, t.engine,"
            " t.kind, t.settlement, t.digest, t.created_at"
        ),
    ),
    LeafKind.FINDING: (
        OF_VERDICT,
        "w.version_id, h.source, h.hand_id, v.number, w.ruleset_sha256, w.engine, " + FINDING,
    ),
    LeafKind.COMPARISON: (
        OF_VERDICT + EARLIER,
        (
            "w.version_id, h.source, h.hand_id, v.number, w.ruleset_sha256, w.engine, t.engine,"
            f" t.kind, t.digest, t.created_at, {_EARLIER_NAMED}"
        ),
    ),
    LeafKind.COMPARISON_FINDING: (
        OF_COMPARISON + EARLIER.replace("t.earlier_id", "c.earlier_id"),
        (
            "w.version_id, h.source, h.hand_id, v.number, w.ruleset_sha256, w.engine, c.engine,"
            f" coalesce(eh.hand_id, d.hand_id), coalesce(ev.number, d.number), {FINDING}"
        ),
    ),
    LeafKind.DUPLICATE: (
        OF_VERSION,
        "t.version_id, h.source, h.hand_id, v.number, t.upload_id, t.line, t.sha256",
    ),
}
# Where a commitment stands, and where a finding begins.
_SEALED_AT = {
    LeafKind.VERSION: 3,
    LeafKind.VERDICT: 8,
    LeafKind.COMPARISON: 7,
    LeafKind.DUPLICATE: 5,
}
_FINDING_AT = {LeafKind.FINDING: 5, LeafKind.COMPARISON_FINDING: 8}
_SETTLEMENT_AT, _CODE, _SUBJECT = 7, 1, 5


def rows_over_names(leaves: Iterable[tuple[LeafKind, int, int]]) -> set[tuple[LeafKind, int]]:
    """The rows that an erasure rewrote and whose leaves are over the names, of leaves by kind, row
    and form: those of early forms, and of reports whose series was a hash of a name."""
    own: dict[LeafKind, list[int]] = {}
    reports = []
    for kind, row, form in leaves:
        sealed_kind = SEALED[kind]
        if not sealed_kind.hides_in(form):
            if sealed_kind.is_veiled or sealed_kind.hidden:
                own.setdefault(kind, []).append(row)
        elif kind == LeafKind.REPORT:
            reports.append(row)
    found = {(kind, row) for kind, rows in own.items() for row in kept_commitments(kind, rows)}
    if reports:
        kept = kept_commitments(LeafKind.REPORT, reports)
        found |= {(LeafKind.REPORT, row) for row, one in kept.items() if one == OVER_NAMES}
    return found


def read_leaves(
    kind: LeafKind, rows: Sequence[int], *, form: int, veils: Veils | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """The key and the leaf's fields of each of these rows that is there, by key.

    `veils` are those that are known already; where they are being made, so are salts of rows.
    """
    sealed_kind = SEALED[kind]
    if not sealed_kind.hides_in(form):
        yield from read_rows(kind, rows)
        return
    veils = veils if veils is not None else Veils()
    if sealed_kind.is_veiled:
        yield from _veiled_rows(kind, rows, veils)
    else:
        yield from _hidden_rows(kind, rows, is_making=veils.is_making)


def _veiled_rows(
    kind: LeafKind, rows: Sequence[int], veils: Veils
) -> Iterator[tuple[int, list[Any]]]:
    joins, fields = _VEILED[kind]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT t.id, {fields} FROM {SEALED[kind].table} t {joins}"  # noqa: S608 - constants
            " WHERE t.id = ANY(%s) ORDER BY t.id",
            [list(rows)],
        )
        found = cursor.fetchall()
    veils.load(version for _, version, *_ in found if version is not None)
    kept: dict[int, dict[str, str]] | None = None
    for key, version, *values in found:
        veil = veils.known.get(version)
        if veil is not None and veil.key is None and kept is None:
            kept = kept_commitments(kind, rows)
        yield key, veiled_fields(kind, values, veil, (kept or {}).get(key, {}))


def veiled_fields(
    kind: LeafKind, values: list[Any], veil: Veil | None, kept: dict[str, str]
) -> list[Any]:
    """The fields of form 2. Without its version nothing of a row can be told: it is altered."""
    if veil is None:
        return values
    if kind == LeafKind.VERDICT and values[_SETTLEMENT_AT] is not None:
        settlement = msgspec.json.decode(values[_SETTLEMENT_AT])
        values[_SETTLEMENT_AT] = veiled_value(settlement, veil.tokens)
    if kind in _FINDING_AT:
        start = _FINDING_AT[kind]
        code, subject = values[start + _CODE], values[start + _SUBJECT]
        values[start + _SUBJECT] = veiled_subject(code, subject, veil.tokens)
        return values
    at = _SEALED_AT[kind]
    if "sealed" in kept:
        values[at] = kept["sealed"]
    elif values[at] is not None:
        values[at] = None if veil.key is None else sealed(veil.key, bytes(values[at]))
    if kind == LeafKind.VERSION:
        values.insert(at, veil.sha256)
    return values


def kept_commitments(kind: LeafKind, rows: Sequence[int]) -> dict[int, dict[str, str]]:
    """What an erasure kept of the leaves of these rows, by row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT ON (row) row, kept FROM audit_erasedrow"
            " WHERE kind = %s AND row = ANY(%s) ORDER BY row, id DESC",
            [kind.value, list(rows)],
        )
        return {row: msgspec.json.decode(kept) for row, kept in cursor}


# -- other rows, each under a salt of its own -----------------------------------------------


def _hidden_rows(
    kind: LeafKind, rows: Sequence[int], *, is_making: bool
) -> Iterator[tuple[int, list[Any]]]:
    salts = row_salts(kind, rows, is_making=is_making)
    missing = [row for row in rows if row not in salts]
    kept = kept_commitments(kind, missing) if missing else {}
    hidden = SEALED[kind].hidden
    for key, values in read_rows(kind, rows):
        open_values = [value for place, value in enumerate(values) if place not in hidden]
        if key in salts:
            commitment: Any = commitment_of(salts[key], [values[place] for place in hidden])
        else:
            commitment = kept.get(key, {}).get("sealed")
        yield key, [*open_values, commitment]


def commitment_of(salt: bytes, values: Sequence[Any]) -> bytes:
    """The commitment to the hidden fields of a row."""
    return sealed(salt, _ENCODER.encode([plain(value) for value in values]))


def row_salts(kind: LeafKind, rows: Sequence[int], *, is_making: bool) -> dict[int, bytes]:
    """The salts of rows; those that are made anew are of rows without a leaf, which have none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT row, salt FROM audit_rowsalt WHERE kind = %s AND row = ANY(%s)",
            [kind.value, list(rows)],
        )
        found = {row: bytes(salt) for row, salt in cursor}
        if is_making:
            made = {row: os.urandom(SALT_BYTES) for row in rows if row not in found}
            cursor.executemany(
                "INSERT INTO audit_rowsalt (kind, row, salt) VALUES (%s, %s, %s)",
                [(kind.value, row, salt) for row, salt in made.items()],
            )
            found |= made
    return found
