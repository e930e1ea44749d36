"""Whatever is changed behind the application's back is named (SVC-76, S28)."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from audit.management.commands import verify_store
from audit.models import HandVersion, LeafKind, SealedLeaf, TreeHead, Verdict
from audit.selectors import verifying, verifying_rows
from audit.selectors.seal_keys import read_keys
from audit.selectors.sealed_rows import SEALED
from audit.services.seal_keys import replace_seal_key
from audit.services.sealing import seal
from replay.evidence import Head, PrivateKey
from tests.audit.logs import B, changed, log
from tests.audit.seals import ingest_all_kinds

pytestmark = pytest.mark.django_db

TABLES = {
    kind: SEALED[kind].table
    for kind in (
        LeafKind.VERSION, LeafKind.VERDICT, LeafKind.FINDING, LeafKind.COMPARISON,
        LeafKind.COMPARISON_FINDING, LeafKind.RESTATEMENT, LeafKind.DUPLICATE, LeafKind.REFUSAL,
        LeafKind.UPLOAD,
    )
}  # fmt: skip
# One column of each table, and another value for it.
CHANGES = [
    (LeafKind.VERSION, "line = line + 1000"),
    (LeafKind.VERSION, "number = number + 1000"),
    (LeafKind.VERSION, "sha256 = sha256('x')"),
    (LeafKind.VERSION, "created_at = created_at + interval '1 microsecond'"),
    (LeafKind.VERDICT, "kind = CASE kind WHEN 'clean' THEN 'void' ELSE 'clean' END"),
    (LeafKind.VERDICT, "settlement = jsonb_set(settlement, '{seats,0,net}', '\"9.99\"')"),
    (LeafKind.VERDICT, "digest = sha256('x')"),
    (LeafKind.VERDICT, "engine = '9'"),
    (LeafKind.FINDING, "expected = 'x'"),
    (LeafKind.FINDING, "message = 'x'"),
    (LeafKind.FINDING, "follows = NOT follows"),
    (LeafKind.FINDING, "explained_by = '{x}'"),
    (LeafKind.COMPARISON, "kind = CASE kind WHEN 'clean' THEN 'void' ELSE 'clean' END"),
    (LeafKind.COMPARISON, "earlier_id = NULL"),
    (LeafKind.COMPARISON_FINDING, "logged = 'x'"),
    (LeafKind.RESTATEMENT, "replaced_id = version_id + 1"),
    (LeafKind.RESTATEMENT, "line = line + 1"),
    (LeafKind.DUPLICATE, "line = line + 1000"),
    (LeafKind.REFUSAL, "reason = 'x'"),
    (LeafKind.REFUSAL, "is_our_fault = NOT is_our_fault"),
    (LeafKind.UPLOAD, "name = 'x'"),
    (LeafKind.UPLOAD, "sha256 = sha256('x')"),
    (LeafKind.UPLOAD, "received_by_id = 1000000007"),
]

OTHER_VERSION = "version_id = (SELECT max(id) FROM audit_handversion v WHERE v.hand_id <> h.id)"
OTHER_VERDICT = (
    "verdict_id = (SELECT max(id) FROM audit_verdict w WHERE w.version_id <> h.version_id)"
)
OTHER_KIND = (
    "verdict_kind = CASE verdict_kind WHEN 'void' THEN 'clean' ELSE 'void' END,"
    " comparison_id = NULL"
)


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.STATE = tmp_path


@pytest.fixture
def sealed(ingest):
    """A store with rows in all tables, all of them sealed, its constraints out of the way."""
    ingest_all_kinds(ingest)
    seal()
    tamper("SET CONSTRAINTS ALL IMMEDIATE")


def tamper(*statements: str) -> list[tuple]:
    """Do as a superuser does who switches the triggers off; gives the rows of the last."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement)
        found = cursor.fetchall() if cursor.description else []
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    return found


def verify(*arguments: str) -> tuple[int, list[str]]:
    out = io.StringIO()
    status = 0
    try:
        call_command("verify_store", *arguments, stdout=out, stderr=io.StringIO())
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    return status, out.getvalue().splitlines()


def forget_outside(settings) -> None:
    """As if no head had been put down anywhere else."""
    for file in Path(settings.TILECOURT_SEAL_HEADS).iterdir():
        file.unlink()


def test_what_was_not_touched_is_as_it_was_sealed(sealed, settings):
    status, words = verify()
    assert status == 0, words
    leaves = SealedLeaf.objects.count()
    rows = leaves + count("audit_hand")
    assert "".join(words) == (
        f"{leaves:,} leaves and {rows:,} rows are as they were sealed (signed by"
        f" {read_keys().public[0]}; compared with {settings.TILECOURT_SEAL_HEADS})."
    )


def count(table: str) -> int:
    return tamper(f"SELECT count(*) FROM {table}")[0][0]


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_a_changed_row_is_named(sealed, kind, change):
    where = "settlement ? 'seats'" if "settlement" in change else "true"
    table = TABLES[kind]
    (row,) = tamper(
        f"UPDATE {table} SET {change} WHERE id ="
        f" (SELECT id FROM {table} WHERE {where} ORDER BY id DESC LIMIT 1) RETURNING id"
    )
    status, words = verify()
    assert status == 1
    named = [line for line in words if line.startswith(f"{kind.label} {row[0]}")]
    assert named, words
    assert named[-1].endswith(": altered since it was sealed")


@pytest.mark.parametrize("kind", TABLES)
def test_a_deleted_row_is_named(sealed, kind):
    table = TABLES[kind]
    (row,) = tamper(f"DELETE FROM {table} WHERE id = (SELECT min(id) FROM {table}) RETURNING id")
    index = SealedLeaf.objects.get(kind=kind, row=row[0]).index
    status, words = verify()
    assert status == 1
    assert f"{kind.label} {row[0]}: deleted; it was sealed as leaf {index:,}" in words


@pytest.mark.parametrize("kind", TABLES)
def test_an_added_row_is_named(sealed, kind):
    table = TABLES[kind]
    found = tamper(
        "SELECT attname FROM pg_attribute WHERE attnum > 1 AND NOT attisdropped"
        f" AND attrelid = '{table}'::regclass ORDER BY attnum"
    )
    names = ", ".join(f'"{name}"' for (name,) in found)
    # The same again beside unique constraints that stand in the way.
    constraints = tamper(
        "SELECT conrelid::regclass, conname FROM pg_constraint c"
        " LEFT JOIN pg_inherits i ON i.inhrelid = c.conrelid"
        " WHERE contype = 'u' AND conparentid = 0"
        f" AND coalesce(i.inhparent, c.conrelid) = '{table}'::regclass"
    )
    (row,) = tamper(
        *(f"ALTER TABLE {part} DROP CONSTRAINT {name}" for part, name in constraints),
        "DROP INDEX IF EXISTS comparison_with_none_once",
        f"INSERT INTO {table} ({names}) SELECT {names} FROM {table} ORDER BY id LIMIT 1"
        " RETURNING id",
    )
    status, words = verify()
    assert status == 1
    named = [line for line in words if line.startswith(f"{kind.label} {row[0]}")]
    assert [line.rpartition(": ")[2] for line in named] == [
        "added behind the application's back"
    ], words


@pytest.mark.parametrize("kind", TABLES)
def test_two_rows_in_each_others_place_are_named(sealed, kind):
    table = TABLES[kind]
    (first,), (second,) = tamper(
        f"SELECT min(id) FROM {table} UNION SELECT max(id) FROM {table} ORDER BY 1"
    )
    # A key that nobody has, in the month of the first: another month the tables would not take.
    free = first + (1 << 39)
    tamper(
        f"UPDATE {table} SET id = {free} WHERE id = {first}",
        f"UPDATE {table} SET id = {first} WHERE id = {second}",
        f"UPDATE {table} SET id = {second} WHERE id = {free}",
    )
    status, words = verify()
    assert status == 1
    for row in (first, second):
        named = [line for line in words if re.match(rf"{kind.label} {row}\b", line)]
        assert named[-1].endswith(": altered since it was sealed"), words


def test_bytes_that_no_longer_have_their_hash_are_named(sealed):
    first, second = HandVersion.objects.order_by("id").values_list("id", flat=True)[:2]
    tamper(
        "UPDATE audit_handversion SET raw ="
        f" (SELECT raw FROM audit_handversion WHERE id = {second}) WHERE id = {first}",
        f"UPDATE audit_handversion SET raw = 'x' WHERE id = {second}",
    )
    status, words = verify()
    assert status == 1
    named = [line.partition("): ")[2] for line in words if line.startswith("hand version")]
    assert named[0].startswith("its bytes were altered: their SHA-256 is ")
    assert named[1].startswith("its bytes were altered and cannot be unpacked ")
    # Their leaves are over the records without their names, so they say it, too.
    assert named[2:] == ["altered since it was sealed"] * 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (OTHER_VERSION, "it shows a version that is not the one in force"),
        (OTHER_VERDICT, "it shows a verdict that is not of its version"),
        (OTHER_KIND, "it shows another verdict than the one it points to"),
    ],
)  # fmt: skip
def test_a_hand_that_shows_something_else_is_named(sealed, change, words):
    (row,) = tamper(
        f"UPDATE audit_hand h SET {change} WHERE id = (SELECT min(id) FROM audit_hand)"
        " RETURNING id, source, hand_id"
    )
    key, source, hand_id = row
    assert verify() == (
        1, [f"hand {key} (source {source}, hand {hand_id}): {words}", "1 in trouble."]
    )  # fmt: skip


def test_a_hand_under_another_name_alters_all_that_is_sealed_of_it(sealed):
    tamper("UPDATE audit_hand SET hand_id = 'else' WHERE id = (SELECT min(id) FROM audit_hand)")
    status, words = verify()
    assert status == 1
    *altered, identity, _ = words
    assert identity.endswith("its identity is on record for another hand, or for none")
    kinds = {re.match(r"\D+", line)[0].strip() for line in altered}
    assert {"hand version", "verdict"} <= kinds
    assert all(line.endswith("altered since it was sealed") for line in altered)


def test_an_altered_entry_of_the_log_is_told_from_an_altered_row(sealed):
    leaf = SealedLeaf.objects.filter(kind=LeafKind.VERDICT).first()
    tamper(f"UPDATE audit_sealedleaf SET hash = sha256('x') WHERE index = {leaf.index}")
    status, words = verify()
    assert status == 1
    assert [line.partition("): ")[2] for line in words[:-1]] == [
        "its entry in the log was altered; the row is as it was sealed"
    ]
    assert words[0].startswith(f"verdict {leaf.row} ")


def test_two_entries_of_the_log_in_each_others_place_are_named(sealed):
    first, second = SealedLeaf.objects.filter(kind=LeafKind.VERSION).order_by("index")[:2]
    tamper(
        f"UPDATE audit_sealedleaf SET index = -1 WHERE index = {first.index}",
        f"UPDATE audit_sealedleaf SET index = {first.index} WHERE index = {second.index}",
        f"UPDATE audit_sealedleaf SET index = {second.index} WHERE index = -1",
    )
    status, words = verify()
    assert status == 1
    assert f"hand version {second.row}" in words[0]
    assert f"hand version {first.row}" in words[1]
    assert words[2].startswith(f"leaves 0 to {SealedLeaf.objects.count() - 1:,} are not those that")


def test_a_row_altered_with_its_entry_is_narrowed_to_its_block(ingest, monkeypatch):
    for start in range(0, 640, 80):
        ingest(log(*(changed(B, hand_id=f"h{number}") for number in range(start, start + 80))))
    seal()
    tamper("SET CONSTRAINTS ALL IMMEDIATE")
    leaf = SealedLeaf.objects.filter(kind=LeafKind.VERDICT, index__gte=512, index__lt=768).first()
    tamper(f"UPDATE audit_verdict SET kind = 'void' WHERE id = {leaf.row}")
    ((_, fields),) = verifying.read_leaves(LeafKind.VERDICT, [leaf.row], form=leaf.form)
    forged = verifying.hash_row(LeafKind.VERDICT, leaf.index, fields, leaf.form)
    tamper(
        f"UPDATE audit_sealedleaf SET hash = '\\x{forged.hex()}' WHERE index = {leaf.index}",
        f"UPDATE audit_hand SET verdict_kind = 'void' WHERE verdict_id = {leaf.row}",
    )
    status, words = verify()
    assert status == 1
    size = SealedLeaf.objects.count()
    assert words[0] == "leaves 512 to 767 (node 8/2): altered or moved in the log"
    assert words[1].startswith(
        f"leaves 0 to {size - 1:,} are not those that the head over {size:,} leaves signed:"
    )
    assert words[2:] == ["2 in trouble."]


def test_an_altered_node_is_named(ingest):
    ingest(log(*(changed(B, hand_id=f"h{number}") for number in range(150))))
    seal()
    tamper("UPDATE audit_sealnode SET hash = sha256('x')")
    assert verify() == (
        1,
        [
            "leaves 0 to 255 (node 8/0): the node was altered; the leaves are as they were sealed",
            "1 in trouble.",
        ],
    )
    tamper("DELETE FROM audit_sealnode")
    assert verify() == (1, ["node 8/0 of the log is missing", "1 in trouble."])


def test_svc_76_the_last_ten_or_all_are_missing(ingest, settings, tmp_path):
    for start in range(0, 1000, 200):
        ingest(log(*(changed(B, hand_id=f"h{number}") for number in range(start, start + 200))))
        seal()
    tamper("SET CONSTRAINTS ALL IMMEDIATE")
    size = SealedLeaf.objects.count()
    outside = tmp_path / "kept-elsewhere.txt"
    outside.write_text("".join(TreeHead.objects.order_by("size").values_list("note", flat=True)))
    forget_outside(settings)
    assert verify("--head", str(outside))[0] == 0
    # One nested value of one entry.
    verdict = Verdict.objects.order_by("id")[500]
    net = tamper(
        "UPDATE audit_verdict SET settlement = jsonb_set(settlement, '{seats,1,net}', '\"0.01\"')"
        f" WHERE id = {verdict.pk} RETURNING settlement #>> '{{seats,1,net}}'"
    )
    assert net == [("0.01",)]
    status, words = verify("--head", str(outside))
    assert (status, len(words)) == (1, 2)
    assert re.fullmatch(
        rf"verdict {verdict.pk} \(source .*, hand h500, version 1\): altered since it was sealed",
        words[0],
    )
    # The last ten, with every trace of them in the store.
    rows = SealedLeaf.objects.filter(index__gte=size - 10)
    assert set(rows.values_list("kind", flat=True)) == {LeafKind.VERDICT}
    keys = ", ".join(str(row) for row in rows.values_list("row", flat=True))
    head = TreeHead.objects.order_by("-size")[1]
    tamper(
        f"UPDATE audit_verdict SET settlement = jsonb_set(settlement, '{{seats,1,net}}',"
        f" '\"{verdict.settlement['seats'][1]['net']}\"') WHERE id = {verdict.pk}",
        f"DELETE FROM audit_hand WHERE verdict_id IN ({keys})",
        f"DELETE FROM audit_verdict WHERE id IN ({keys})",
        f"DELETE FROM audit_sealedleaf WHERE index >= {size - 10}",
        f"DELETE FROM audit_treehead WHERE size > {head.size}",
    )
    status, words = verify("--head", str(outside))
    assert status == 1
    assert (
        f"the head over {size:,} leaves kept in {outside} is signed, and the log has"
        f" {size - 10:,}: 10 are missing"
    ) in words
    # All.
    tables = [
        *TABLES.values(),
        "audit_hand",
        "audit_sealedleaf",
        "audit_sealnode",
        "audit_treehead",
    ]
    tamper(*(f"DELETE FROM {table}" for table in tables))
    assert verify()[0] == 0
    status, words = verify("--head", str(outside))
    assert status == 1
    assert words[-2] == (
        f"the head over {size:,} leaves kept in {outside} is signed, and the log has 0:"
        f" {size:,} are missing"
    )


def test_rows_deleted_with_their_leaves_leave_a_gap(sealed):
    leaf = SealedLeaf.objects.get(index=5)
    tamper(
        f"DELETE FROM {SEALED[LeafKind(leaf.kind)].table} WHERE id = {leaf.row}",
        "DELETE FROM audit_sealedleaf WHERE index = 5",
    )
    status, words = verify()
    assert status == 1
    assert "leaf 5 is missing from the log (1 in all)" in words


def test_heads_that_were_changed_or_forged_are_named(sealed, tmp_path):
    head = TreeHead.objects.get()
    tamper(f"UPDATE audit_treehead SET root = sha256('x') WHERE size = {head.size}")
    words = f"the head over {head.size:,} leaves: altered; its row says something else than what"
    assert verify() == (1, [f"{words} was signed", "1 in trouble."])
    forger = PrivateKey.make(read_keys().private.name)
    forged = Head(origin=forger.name, size=head.size, root=bytes(32), time="2026-01-01T00:00:00Z")
    tamper(f"UPDATE audit_treehead SET note = '{forged.sign(forger)}'")
    status, words = verify()
    assert status == 1
    assert words[0].startswith(
        f"the head over {head.size:,} leaves: not a head of this log: it was signed by another key"
    )
    outside = tmp_path / "outside.txt"
    outside.write_text("nonsense\n")
    assert verify("--head", str(outside))[1].count(
        f"{outside}: behind the last signature there is more text"
    ) == 1  # fmt: skip


def test_a_rewritten_log_does_not_fit_the_head_outside(ingest, settings, tmp_path):
    """Whoever holds the store and the key can write another log, but not the heads elsewhere."""
    ingest(log(B, changed(B, hand_id="B2")))
    seal()
    outside = tmp_path / "outside.txt"
    outside.write_text(TreeHead.objects.get().note)
    forget_outside(settings)
    tamper(
        "SET CONSTRAINTS ALL IMMEDIATE",
        "UPDATE audit_verdict SET kind = 'void'",
        "UPDATE audit_hand SET verdict_kind = 'void'",
        *(f"DELETE FROM audit_{name}" for name in ("sealedleaf", "sealnode", "treehead")),
    )
    for kind, table in TABLES.items():
        tamper(
            f"INSERT INTO audit_sealpending (kind, rows) SELECT {kind.value}, array_agg(id)"
            f" FROM {table} HAVING count(*) > 0"
        )
    seal()
    forget_outside(settings)
    assert verify()[0] == 0
    status, words = verify("--head", str(outside))
    assert status == 1
    assert any(str(outside) in line and "are not those that" in line for line in words), words


def test_a_replaced_key_still_verifies(sealed, ingest):
    replace_seal_key()
    ingest(log(changed(B, hand_id="later")))
    seal()
    assert verify()[0] == 0


def test_without_the_key_the_public_one_is_enough(sealed, settings, tmp_path):
    key = str(read_keys().public[0])
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "not-here"
    assert verify()[0] == 1
    assert verify("--key", key)[0] == 0
    assert verify("--key", "nonsense")[0] == 64
    assert verify("--head", str(tmp_path / "not-there"))[0] == 64


def test_rows_that_wait_to_be_sealed_are_no_trouble(sealed, ingest):
    ingest(log(changed(B, hand_id="later")))
    assert verify()[0] == 0


@pytest.mark.parametrize("stop", range(1, 12, 2))
def test_what_was_interrupted_goes_on_and_finds_the_same(sealed, monkeypatch, stop):
    monkeypatch.setattr(verifying, "LEAVES_AT_ONCE", 40)
    monkeypatch.setattr(verifying_rows, "ROWS_AT_ONCE", 25)
    tamper(
        "UPDATE audit_verdict SET engine = '9' WHERE id = (SELECT min(id) FROM audit_verdict)",
        "DELETE FROM audit_duplicate WHERE id = (SELECT max(id) FROM audit_duplicate)",
        "UPDATE audit_sealedleaf SET hash = sha256('y') WHERE index = 90",
    )
    whole = verify()
    assert whole[0] == 1
    passes = verify_store.Command.passes

    def cut_off(self, *given):
        for number, one in enumerate(passes(self, *given), start=1):
            if number == stop:
                raise KeyboardInterrupt
            yield one

    monkeypatch.setattr(verify_store.Command, "passes", cut_off)
    assert verify()[0] == 130
    for _ in range(100):
        found = verify("--resume")
        if found[0] != 130:
            break
        monkeypatch.setattr(verify_store.Command, "passes", passes)
    assert found == whole
