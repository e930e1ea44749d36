"""A store from before there were months becomes one with months, with everything in its place."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from audit.models import Hand, HandVersion, Identity
from audit.selectors.months import MONTH_BITS, month_at, month_of
from audit.selectors.partitions import PARTED, partition_trouble
from audit.services.sealing import seal
from tests.access import trusted
from tests.audit.logs import B, Ingest, changed, log, with_net
from tests.audit.months import filled
from tests.audit.seals import ingest_all_kinds

BEFORE = "0031_erasure"
LOW = (1 << MONTH_BITS) - 1
# What of each table is a key that carries a month; those of old have none.
KEYS = {
    "audit_hand": {"id", "version_id", "verdict_id"},
    "audit_handversion": {"id", "hand_id"},
    "audit_verdict": {"id", "version_id"},
    "audit_finding": {"id", "verdict_id"},
    "audit_comparison": {"verdict_id", "earlier_id"},
    "audit_duplicate": {"version_id"},
    "audit_restatement": {"hand_id", "version_id", "replaced_id"},
}
# In an order in which each names what is there.
COPIED = (
    "auth_user", "audit_upload", "audit_refusal", "audit_table", *KEYS, "audit_comparisonfinding",
)  # fmt: skip


def columns_of(line: Any, table: str) -> list[str]:
    with line.cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
            " AND NOT attisdropped ORDER BY attnum",
            [table],
        )
        return [name for (name,) in cursor.fetchall()]


def take_over(here: Any, there: Any) -> None:
    """The rows of each table, with keys as they were before there were months."""
    for table in COPIED:
        known = columns_of(here, table)
        columns = [name for name in columns_of(there, table) if name in known]
        wanted = ", ".join(
            f'"{name}" & {LOW}' if name in KEYS.get(table, ()) else f'"{name}"' for name in columns
        )
        names = ", ".join(f'"{name}"' for name in columns)
        with here.cursor() as source, there.cursor() as target:
            with (
                source.copy(f"COPY (SELECT {wanted} FROM {table}) TO STDOUT") as rows,
                target.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
            ):
                for part in rows:
                    copy.write(part)
            target.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
                f" (SELECT coalesce(max(id), 1) FROM {table}))"
            )
    with there.cursor() as cursor:
        # An upload is announced when its last byte has come; these came whole.
        cursor.execute(
            "INSERT INTO audit_sealpending (kind, rows) SELECT 9, array_agg(id) FROM audit_upload"
        )


@pytest.fixture
def old_store(ingest: Ingest, settings: Any, tmp_path: Any) -> Iterator[None]:
    """A database of its own, as it was before, with rows of all kinds, and the connection to it."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.STATE = tmp_path
    ingest_all_kinds(ingest)
    name = f"test_months_{os.getpid()}"
    url = os.environ["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    here = connections["default"]
    there = here.copy()
    there.settings_dict["NAME"] = name
    connections["default"] = there
    try:
        call_command("migrate", "auth", verbosity=0)
        call_command("migrate", "audit", BEFORE, verbosity=0)
        take_over(here, there)
        yield
    finally:
        there.close()
        connections["default"] = here
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def places() -> dict[str, list[Any]]:
    """Where each row lies in its file: what is not copied stays there."""
    found = {}
    with connection.cursor() as cursor:
        for table in PARTED:
            cursor.execute(f"SELECT id, ctid FROM {table} ORDER BY id")
            found[table] = cursor.fetchall()
    return found


def files(suffix: str) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_relation_filenode(name || %s) FROM unnest(%s::text[]) AS name",
            [suffix, list(PARTED)],
        )
        return [number for (number,) in cursor.fetchall()]


def verified() -> str:
    """What verify_store says; it exits with another status than 0 where anything is wrong."""
    out = io.StringIO()
    call_command("verify_store", stdout=out)
    return out.getvalue()


def test_a_store_of_before_gets_months(old_store: None, ingest: Ingest, client: Client) -> None:
    seal()
    before, filenodes = places(), files("")
    assert all(before.values())
    call_command("migrate", verbosity=0)
    assert places() == before
    assert files("_before") == filenodes
    assert filled(*PARTED) == {f"{table}_before" for table in PARTED}
    assert sorted(Identity.objects.values_list("source", "hand_id", "key")) == sorted(
        Hand.objects.values_list("source", "hand_id", "pk")
    )
    assert "are as they were sealed" in verified()
    assert partition_trouble(timezone.now().date()) is None

    # It goes on: new hands, known ones, and another meaning of one from before.
    known = set(Hand.objects.values_list("pk", flat=True))
    old = Hand.objects.get(hand_id="B2")
    upload = ingest(
        log(changed(B, hand_id="new"), B, with_net(changed(B, hand_id="B2"), 1, "7.00"))
    )
    assert (upload.new, upload.duplicates, upload.conflicts) == (1, 1, 1)
    new = Hand.objects.get(hand_id="new")
    assert {new.pk} == set(Hand.objects.values_list("pk", flat=True)) - known
    assert month_of(new.pk) == month_at(timezone.now().date())
    later = HandVersion.objects.get(hand=old, number=2)
    assert month_of(later.pk) == 0
    assert later.pk > max(key for key, _ in before["audit_handversion"])
    seal()
    assert "are as they were sealed" in verified()
    client.force_login(trusted(User.objects.create_user("ines")))
    for hand in (old, new):
        page = client.get(f"/hands/{hand.pk}/")
        assert page.status_code == 200
        assert hand.hand_id in page.content.decode()
