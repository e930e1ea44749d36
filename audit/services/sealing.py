"""Sealing: what was announced becomes leaves, and a signed head over all of them.

Only one seals at a time. A row is announced in the transaction that adds it, so it is seen exactly
when the row is; leaves stand in the order in which they were seen, and no row that commits late
is passed over. Each batch is one transaction with a head of its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from audit.models import LeafKind, TreeHead
from audit.selectors.evidence import STORED_LEVELS, StoredTree, latest_head
from audit.selectors.seal_keys import SealKeyMissing, SealKeys, read_keys
from audit.selectors.sealed_rows import hash_lost, hash_row
from audit.selectors.veiled_rows import FORM, Veils, read_leaves
from audit.services.seal_keys import make_seal_key
from replay.evidence import Frontier, Head, NoteError, open_head

logger = logging.getLogger(__name__)

LEAVES_AT_ONCE = 20_000
# A head takes less.
TAIL_BYTES = 4_096
# Any number will do; it is ours alone in this database.
LOCK = 0x5EA1


class SealRefused(Exception):
    """Nothing may be sealed as things stand; the text is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedNow:
    """How many leaves were added, and the size of the log. `is_busy`: somebody else seals.

    `is_more`: the time was up, and rows wait still.
    """

    added: int
    size: int
    is_busy: bool = False
    is_more: bool = False


def seal(
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> SealedNow:
    """Seal what waits, for so many seconds at most; batch by batch, so that a stop loses nothing.

    `on_progress` hears how many leaves were added and how many rows wait still.
    Raises: SealRefused, SealKeyMissing.
    """
    end = None if seconds is None else time.monotonic() + seconds
    added = 0
    while True:
        batch = _seal_some()
        added += batch.added
        if not batch.is_more or (end is not None and time.monotonic() >= end):
            return replace(batch, added=added)
        if on_progress is not None:
            on_progress(added, _waiting())


def _seal_some() -> SealedNow:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
            (is_ours,) = cursor.fetchone()
        if not is_ours:
            return SealedNow(added=0, size=0, is_busy=True)
        last = latest_head()
        pending = _pending()
        if not pending:
            return SealedNow(added=0, size=0 if last is None else last.size)
        frontier = StoredTree().frontier(0 if last is None else last.size)
        keys = _keys(last.note if last is not None else None, frontier)
        start = frontier.size
        _store(frontier, pending)
        _take_back([key for key, _, _ in pending])
        note = _add_head(frontier, keys) if frontier.size > start else ""
    if note:
        keep_head(note)
    return SealedNow(added=frontier.size - start, size=frontier.size, is_more=True)


def _keys(last: str | None, frontier: Frontier) -> SealKeys:
    """The keys; the last head must be by one of them and over this tree, and no longer one known
    elsewhere, for else two logs would bear one name.
    """
    keys = read_keys()
    if keys is None:
        if last is not None:
            raise SealKeyMissing(
                "The log has heads, and the key that signed them is not here: bring it back, or"
                " give it by TILECOURT_SEAL_KEY or TILECOURT_SEAL_KEY_FILE."
            )
        keys = make_seal_key()
    if last is not None:
        try:
            head = open_head(last, *keys.public).head
        except NoteError as error:
            raise SealRefused(
                f"The last head of the log does not verify by the seal key ({error}):"
                " another machine has another key, or the log was changed. Nothing was sealed."
            ) from None
        if (head.size, head.root) != (frontier.size, frontier.root()):
            raise SealRefused(
                "The log is not the one that its last head signed: run manage.py verify-store."
                " Nothing was sealed."
            )
    kept = last_kept_size(keys)
    if kept > frontier.size:
        raise SealRefused(
            f"A head over {kept:,} leaves is kept in {settings.TILECOURT_SEAL_HEADS}, and the log"
            f" has {frontier.size:,}: run manage.py verify-store. After a restore from an older"
            " backup, put that folder aside: heads kept elsewhere go on saying what was lost."
            " Nothing was sealed."
        )
    return keys


def _pending() -> list[tuple[int, LeafKind, list[int]]]:
    """The announcements that come next, up to about LEAVES_AT_ONCE rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT id, kind, rows FROM (
                SELECT id, kind, rows,
                    sum(cardinality(rows)) OVER (ORDER BY id) - cardinality(rows) AS before
                FROM (SELECT * FROM audit_sealpending ORDER BY id LIMIT %s) first
            ) ordered
            WHERE before < %s ORDER BY id
            """,
            [LEAVES_AT_ONCE, LEAVES_AT_ONCE],
        )
        return [(key, LeafKind(kind), list(rows)) for key, kind, rows in cursor.fetchall()]


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(sum(cardinality(rows)), 0) FROM audit_sealpending")
        return int(cursor.fetchone()[0])


def _take_back(keys: list[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM audit_sealpending WHERE id = ANY(%s)", [keys])


def _store(frontier: Frontier, pending: list[tuple[int, LeafKind, list[int]]]) -> None:
    """Add a leaf for each row, and the nodes that are whole by it."""
    nodes: list[tuple[int, int, bytes]] = []
    leaves = []
    for kind, row, fields in _news(pending):
        index = frontier.size
        if fields is None:
            found = hash_lost(kind, index, row)
        else:
            found = hash_row(kind, index, fields, FORM)
        leaves.append((index, row, kind.value, fields is None, FORM, found))
        nodes += [node for node in frontier.grow(found) if node[0] in STORED_LEVELS]
    with connection.cursor() as cursor:
        _copy(
            cursor,
            "COPY audit_sealedleaf (index, row, kind, is_lost, form, hash)"
            " FROM STDIN (FORMAT BINARY)",
            ("int8", "int8", "int2", "bool", "int2", "bytea"),
            leaves,
        )
        _copy(
            cursor,
            "COPY audit_sealnode (level, number, hash) FROM STDIN (FORMAT BINARY)",
            ("int2", "int8", "bytea"),
            nodes,
        )


def _news(
    pending: list[tuple[int, LeafKind, list[int]]],
) -> Iterator[tuple[LeafKind, int, list[Any] | None]]:
    """Kind, key and fields of each announced row that has no leaf yet; no fields: it is gone."""
    seen: set[tuple[LeafKind, int]] = set()
    # What is to be forgotten one day is under a salt before it is ever sealed.
    veils = Veils(is_making=True)
    for _, kind, rows in pending:
        known = _sealed(kind, rows)
        fresh = [row for row in rows if row not in known]
        found = dict(read_leaves(kind, fresh, form=FORM, veils=veils))
        for row in rows:
            if row in known or (kind, row) in seen:
                continue
            seen.add((kind, row))
            if row not in found:
                # Nothing deletes such rows: it is put on record that this one was there.
                logger.error("row_lost_before_seal", extra={"kind": kind.label, "row": row})
            yield kind, row, found.get(row)


def _sealed(kind: LeafKind, rows: list[int]) -> set[int]:
    """Those of these rows that have a leaf: a table that was written anew announces them again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT row FROM audit_sealedleaf WHERE kind = %s AND row = ANY(%s)",
            [kind.value, rows],
        )
        return {row for (row,) in cursor}


def _copy(cursor: Any, statement: str, types: tuple[str, ...], rows: list[Any]) -> None:
    if not rows:
        return
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)


def _add_head(frontier: Frontier, keys: SealKeys) -> str:
    now = timezone.now().replace(microsecond=0)
    head = Head(
        origin=keys.private.name,
        size=frontier.size,
        root=frontier.root(),
        time=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    note = head.sign(keys.private)
    TreeHead.objects.create(size=head.size, root=head.root, note=note, made_at=now)
    return note


def last_kept_size(keys: SealKeys) -> int:
    """The size of the newest head that was put down outside, 0 where there is none of this log."""
    folder = Path(settings.TILECOURT_SEAL_HEADS)
    try:
        files = sorted(folder.glob("heads-*.txt"))
        if not files:
            return 0
        with files[-1].open("rb") as file:
            file.seek(max(0, files[-1].stat().st_size - TAIL_BYTES))
            tail = file.read().decode("utf-8", "replace")
    except OSError:
        # It is not there to tell; that it cannot be written to is said where it is tried.
        return 0
    origin = f"{keys.private.name}\n"
    begin = tail.rfind(f"\n{origin}") + 1
    if not tail[begin:].startswith(origin):
        return 0
    try:
        return open_head(tail[begin:], *keys.public).head.size
    except NoteError:
        return 0


def keep_head(note: str) -> None:
    """Put a head down outside of the database, in a file for the day, one behind the other."""
    folder = Path(settings.TILECOURT_SEAL_HEADS)
    path = folder / f"heads-{timezone.now().astimezone(UTC):%Y-%m-%d}.txt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(note)
    except OSError as error:
        # The head stands in the store; that it stands nowhere else is for somebody to look at.
        logger.error("head_not_kept", extra={"reason": error.strerror})  # noqa: TRY400 - a word will do
