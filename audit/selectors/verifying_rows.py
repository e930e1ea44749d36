"""What can be wrong with rows besides their leaves: bytes, rows without a leaf, what hands show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from audit.models import LeafKind
from audit.selectors.sealed_rows import SEALED, read_rows, within_months
from audit.zstd import unpacked

ROWS_AT_ONCE = 20_000

# Kinds whose exact bytes stand beside their hash.
_RAW = {LeafKind.VERSION, LeafKind.DUPLICATE, LeafKind.REFUSAL}
# Only these rows of a table are announced.
_ONLY = {
    LeafKind.UPLOAD: "t.sha256 IS NOT NULL",
    LeafKind.REFUSAL: "t.upload_id IN (SELECT id FROM audit_upload WHERE sha256 IS NOT NULL)",
    LeafKind.RETENTION_RUN: "t.state = 'done'",
    LeafKind.ERASURE: "t.state = 'done'",
    LeafKind.RULESET_PUBLICATION: "t.publication IS NOT NULL",
}
# Which fields of a kind name its row to people, besides the key.
_NAMES: dict[LeafKind, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            LeafKind.VERSION, LeafKind.VERDICT, LeafKind.FINDING, LeafKind.COMPARISON,
            LeafKind.COMPARISON_FINDING, LeafKind.RESTATEMENT, LeafKind.DUPLICATE,
        ),
        ("source", "hand", "version"),
    ),
    LeafKind.REFUSAL: ("upload", "line"),
    LeafKind.UPLOAD: ("upload",),
    LeafKind.CERTIFICATE: ("source", "table", "day"),
    LeafKind.CASE_ACT: ("case", "number"),
    LeafKind.CLAIM: ("case",),
    LeafKind.CLAIM_HAND: ("claim", "source", "hand"),
    LeafKind.REMEDY_ENTRY: ("remedy", "position"),
    LeafKind.ADMISSION: ("upload", "line"),
    LeafKind.RULESET: ("name",),
    LeafKind.RULESET_PUBLICATION: ("name",),
    LeafKind.RULESET_SWITCH: ("source", "game"),
}  # fmt: skip


def told(kind: LeafKind, row: int, fields: Sequence[Any] | None) -> str:
    """A row by its kind, its key and, where it is there, what people know it by."""
    name = f"{kind.label} {row}"
    if fields is None or kind not in _NAMES:
        return name
    parts = zip(_NAMES[kind], fields, strict=False)
    return f"{name} ({', '.join(f'{word} {value}' for word, value in parts)})"


def raw_troubles(kind: LeafKind, rows: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The key of each row whose kept bytes do not have the hash beside them, and the reason."""
    if kind not in _RAW:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id, raw, sha256 FROM {SEALED[kind].table}"  # noqa: S608 - from constants
            " t WHERE id = ANY(%s) AND raw IS NOT NULL"
            f" AND {within_months(kind, rows)} ORDER BY id",
            [list(rows)],
        )
        for key, raw, sha256 in cursor:
            try:
                line = unpacked(raw)
            except Exception as error:
                # Whatever damaged bytes do to the decoder is a word about the row.
                yield key, f"its bytes were altered and cannot be unpacked ({error})"
                continue
            found = hashlib.sha256(line).hexdigest()
            if sha256 is not None and found != bytes(sha256).hex():
                yield key, f"its bytes were altered: their SHA-256 is {found}"


def unsealed(kind: LeafKind, after: int) -> tuple[int | None, int, list[str]]:
    """Rows with keys above `after` that have no leaf and were not announced.

    Returns the last key looked at (None at the end), how many rows were looked at, and a sentence
    for each that was added behind the application's back.
    """
    table = SEALED[kind].table
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(id), count(*) FROM (SELECT id FROM {table} WHERE id > %s"  # noqa: S608
            " ORDER BY id LIMIT %s) batch",
            [after, ROWS_AT_ONCE],
        )
        last, count = cursor.fetchone()
        if last is None:
            return None, 0, []
        # One statement, so that a row that is sealed meanwhile is seen on one side or the other.
        cursor.execute(
            f"""
            SELECT t.id FROM {table} t
            WHERE t.id > %s AND t.id <= %s AND {_ONLY.get(kind, "true")}
                AND NOT EXISTS (
                    SELECT FROM audit_sealedleaf l WHERE l.kind = %s AND l.row = t.id
                )
                AND t.id NOT IN (
                    SELECT unnest(p.rows) FROM audit_sealpending p WHERE p.kind = %s
                )
            ORDER BY t.id
            """,  # noqa: S608 - from constants
            [after, last, kind.value, kind.value],
        )
        keys = [key for (key,) in cursor]
    fields = dict(read_rows(kind, keys)) if keys else {}
    words = "has no leaf and was not announced: added behind the application's back"
    return last, count, [f"{told(kind, key, fields.get(key))}: {words}" for key in keys]


_SHOWN = """
SELECT h.id, h.source, h.hand_id,
    h.version_id IS DISTINCT FROM CASE WHEN h.is_conflict THEN h.contending[1] ELSE coalesce(
        (SELECT r.version_id FROM audit_restatement r WHERE r.hand_id = h.id
            ORDER BY r.id DESC LIMIT 1),
        (SELECT v.id FROM audit_handversion v WHERE v.hand_id = h.id AND v.number = 1)
    ) END,
    NOT EXISTS (
        SELECT FROM audit_verdict w WHERE w.id = h.verdict_id AND w.version_id = h.version_id
    ),
    NOT EXISTS (
        SELECT FROM audit_verdict w LEFT JOIN audit_comparison c ON c.id = h.comparison_id
        WHERE w.id = h.verdict_id AND w.version_id = h.version_id
            AND (h.verdict_kind IN (w.kind, c.kind) OR h.is_conflict AND EXISTS (
                SELECT FROM unnest(h.contending_verdicts) AS told (verdict)
                JOIN audit_verdict o ON o.id = told.verdict WHERE o.kind = h.verdict_kind
            ))
    ),
    NOT EXISTS (
        SELECT FROM audit_identity i
        WHERE i.source = h.source AND i.hand_id = h.hand_id AND i.key = h.id
    )
FROM audit_hand h WHERE h.id > %s ORDER BY h.id LIMIT %s
"""


def wrongly_shown(after: int) -> tuple[int | None, int, list[str]]:
    """Hands with keys above `after` that show what their evidence does not say.

    A hand points to its current version and verdict; these pointers move, so they have no leaf.
    Returns as `unsealed` does.
    """
    last, count, sentences = None, 0, []
    with connection.cursor() as cursor:
        cursor.execute(_SHOWN, [after, ROWS_AT_ONCE])
        for (
            key, source, hand_id, is_other_version, is_other_verdict, is_other_kind, is_other_hand,
        ) in cursor:  # fmt: skip
            last, count = key, count + 1
            name = f"hand {key} (source {source}, hand {hand_id})"
            if is_other_version:
                sentences.append(f"{name}: it shows a version that is not the one in force")
            elif is_other_verdict:
                sentences.append(f"{name}: it shows a verdict that is not of its version")
            elif is_other_kind:
                sentences.append(f"{name}: it shows another verdict than the one it points to")
            if is_other_hand:
                sentences.append(f"{name}: its identity is on record for another hand, or for none")
    return last, count, sentences


def rows_between(first: int, end: int) -> str:
    """Which rows these leaves are about."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT kind, count(*), min(row), max(row) FROM audit_sealedleaf"
            " WHERE index >= %s AND index < %s GROUP BY kind ORDER BY kind",
            [first, end],
        )
        return "among " + ", ".join(
            f"{LeafKind(kind).label} {low}" + (f" to {high} ({count})" if count > 1 else "")
            for kind, count, low, high in cursor.fetchall()
        )
