"""The inside of `bench seal`, in a process with Django; prints a name and a number a line."""

from __future__ import annotations

import hashlib
import io
import random
import sys
from collections.abc import Callable, Iterator
from time import perf_counter, process_time

import django

django.setup()

from django.db import connection  # noqa: E402 - Django must stand first

import replay  # noqa: E402
from audit import services  # noqa: E402
from audit.models import Chunk, Hand  # noqa: E402
from audit.selectors.evidence import STORED_LEVELS, StoredTree  # noqa: E402
from audit.selectors.verifying import (  # noqa: E402
    Verification,
    log_size,
    verify_hands,
    verify_log,
    verify_rows,
)
from audit.selectors.verifying_heads import all_heads  # noqa: E402
from audit.services.bundling import bundle_hand  # noqa: E402
from audit.services.seal_keys import make_seal_key  # noqa: E402
from audit.services.sealing import seal  # noqa: E402
from benchmarks.logs import hands_of  # noqa: E402
from benchmarks.stack import database_seconds  # noqa: E402
from replay.evidence import Frontier  # noqa: E402

ROUNDS = 3
PROOFS = 200
PIECE = 100_000
ANNOUNCED = ("audit_handversion", "audit_verdict", "audit_finding", "audit_duplicate")


def cpu(act: Callable[[], object]) -> float:
    """Seconds of CPU, of this process and of the database's for it."""
    own, database = process_time(), database_seconds()
    act()
    return process_time() - own + database_seconds() - database


def say(name: str, value: float) -> None:
    print(name, value, flush=True)


def take(lines: list[bytes], source: str) -> None:
    data = b"".join(line.replace(b'"source":"', b'"source":"' + source.encode(), 1) + b"\n"
                    for line in lines)  # fmt: skip
    upload = services.receive_upload(name=source, stream=io.BytesIO(data)).upload_id
    for chunk in Chunk.objects.filter(upload_id=upload).order_by("number"):
        services.judge_chunk(chunk_id=chunk.pk)


def announce(is_on: bool) -> None:
    with connection.cursor() as cursor:
        for table in ANNOUNCED:
            what = "ENABLE" if is_on else "DISABLE"
            cursor.execute(f"ALTER TABLE {table} {what} TRIGGER announce")


def measure_storing(lines: list[bytes]) -> None:
    """In turns, so that whatever else the machine does falls on both alike."""
    take(lines[:50], "warm")
    times: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(ROUNDS):
        for is_on in (False, True):
            announce(is_on)
            name = f"{turn}{is_on}"
            times[is_on].append(cpu(lambda name=name: take(lines, name)))  # type: ignore[misc]
    announce(True)
    for name, is_on in (("plain", False), ("announced", True)):
        say(name, sorted(times[is_on])[ROUNDS // 2] / len(lines) * 1e6)


def measure_sealing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM audit_handversion v WHERE EXISTS (SELECT FROM"
                       " audit_sealpending p WHERE p.kind = 1 AND v.id = ANY(p.rows))")  # fmt: skip
        (hands,) = cursor.fetchone()
    start = perf_counter()
    say("sealing", cpu(seal) / hands * 1e6)
    say("wall", (perf_counter() - start) / hands * 1e6)
    say("verifying", cpu(verify) / hands * 1e6)
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(pg_total_relation_size(name)) FROM unnest(ARRAY["
                       "'audit_sealedleaf', 'audit_sealnode', 'audit_treehead']::regclass[])"
                       " AS name")  # fmt: skip
        say("bytes", int(cursor.fetchone()[0]) / hands)


def verify() -> None:
    state = Verification(leaves=log_size())
    for check in (
        verify_log(state, all_heads(0, make_seal_key().public, (), state)),
        verify_rows(state),
        verify_hands(state),
    ):
        for _ in check:
            pass


def leaves_of(first: int, last: int) -> Iterator[tuple[int, bytes]]:
    for index in range(first, last):
        yield index, hashlib.sha256(index.to_bytes(8, "big")).digest()


def measure_proofs(leaves: int) -> None:
    """Proofs for leaves anywhere in a log of that size, each with an empty memory."""
    hand = Hand.objects.latest("id").pk
    start = perf_counter()
    bundle_hand(hand_id=hand, sources=None)
    say("bundle", (perf_counter() - start) * 1e3)
    size = log_size()
    tree = StoredTree().frontier(size)
    while size < leaves:
        size = grow(tree, size, min(size + PIECE, leaves))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE audit_sealedleaf, audit_sealnode")
    chance = random.Random(7)
    times = []
    for _ in range(PROOFS):
        index = chance.randrange(size)
        start = perf_counter()
        StoredTree().inclusion(index, size)
        StoredTree().consistency(max(1, index), size)
        times.append((perf_counter() - start) * 1e3)
    say("proof", sum(times) / len(times))
    say("slowest", max(times))


def grow(tree: Frontier, first: int, last: int) -> int:
    nodes = []
    with connection.cursor() as cursor:
        with cursor.copy("COPY audit_sealedleaf (index, row, kind, is_lost, hash) FROM STDIN"
                         " (FORMAT BINARY)") as copy:  # fmt: skip
            copy.set_types(("int8", "int8", "int2", "bool", "bytea"))
            for index, found in leaves_of(first, last):
                copy.write_row((index, -index, 99, False, found))
                nodes += [node for node in tree.grow(found) if node[0] in STORED_LEVELS]
        with cursor.copy("COPY audit_sealnode (level, number, hash) FROM STDIN (FORMAT BINARY)"
                         ) as copy:  # fmt: skip
            copy.set_types(("int2", "int8", "bytea"))
            for node in nodes:
                copy.write_row(node)
    return last


def main(hands: int, leaves: int) -> None:
    measure_storing(hands_of("tien-gow", hands, replay.load_rulesets()))
    measure_sealing()
    measure_proofs(leaves)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
