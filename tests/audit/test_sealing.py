"""Rows become leaves in the order in which they are seen, each once, none passed over."""

from __future__ import annotations

import stat
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from audit.config import settings as configured
from audit.models import (
    HandVersion,
    LeafKind,
    Refusal,
    SealedLeaf,
    SealPending,
    TreeHead,
    Upload,
    Verdict,
)
from audit.selectors import evidence
from audit.selectors.evidence import StoredTree
from audit.selectors.seal_keys import SealKeyMissing, read_keys
from audit.selectors.sealed_rows import SEALED
from audit.services import sealing
from audit.services.seal_keys import make_seal_key, replace_seal_key
from audit.services.sealing import SealRefused, seal
from replay.evidence import is_consistent, is_included, open_head, split_notes
from tests.audit.logs import B, changed, log
from tests.audit.seals import check_log, ingest_all_kinds, leaf_kinds

pytestmark = pytest.mark.django_db

GUARDED = [
    "audit_acceptedsoftware", "audit_comparison", "audit_comparisonfinding", "audit_duplicate",
    "audit_finding", "audit_handversion", "audit_refusal", "audit_restatement",
    "audit_sealedleaf", "audit_sealnode", "audit_softwarecheck", "audit_treehead",
    "audit_verdict",
]  # fmt: skip


@pytest.fixture(autouse=True)
def own_key(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


@pytest.fixture
def few_leaves(monkeypatch):
    monkeypatch.setattr(sealing, "LEAVES_AT_ONCE", 40)


def many(count: int) -> list[bytes]:
    return [changed(B, hand_id=f"many-{number}") for number in range(count)]


def test_every_row_of_every_table_is_a_leaf(ingest):
    ingest_all_kinds(ingest)
    sealed = seal()
    assert not sealed.is_more
    expected = {}
    for kind, table in SEALED.items():
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table.table}")
            (count,) = cursor.fetchone()
        if count:
            expected[kind.name] = count
    assert leaf_kinds() == dict(sorted(expected.items()))
    assert set(expected) >= {
        "VERSION", "VERDICT", "FINDING", "COMPARISON", "COMPARISON_FINDING", "RESTATEMENT",
        "DUPLICATE", "REFUSAL", "UPLOAD",
    }  # fmt: skip
    assert not SealPending.objects.exists()
    check_log()


def test_nothing_new_gives_no_head(ingest):
    assert seal().added == 0
    assert not TreeHead.objects.exists()
    assert read_keys() is None
    ingest(log(B))
    first = seal()
    assert (first.added, first.size) == (3, 3)
    again = seal()
    assert (again.added, again.size) == (0, 3)
    assert TreeHead.objects.count() == 1


def test_batches_each_have_a_head_and_join(ingest, few_leaves):
    for start in range(0, 300, 20):
        ingest(log(*many(320)[start : start + 20]))
    heard = []
    sealed = seal(on_progress=lambda added, waiting: heard.append((added, waiting)))
    assert sealed.size == SealedLeaf.objects.count() == 15 * 41
    assert heard[0][0] + heard[0][1] == sealed.size
    assert TreeHead.objects.count() > 10
    check_log()
    sizes = list(TreeHead.objects.order_by("size").values_list("size", "root"))
    for (old, old_root), (new, new_root) in pairwise(sizes):
        proof = StoredTree().consistency(old, new)
        assert is_consistent(old, new, proof, bytes(old_root), bytes(new_root))
    size, root = sizes[-1]
    for leaf in SealedLeaf.objects.all():
        proof = StoredTree().inclusion(leaf.index, size)
        assert is_included(bytes(leaf.hash), leaf.index, size, proof, bytes(root))


def test_a_limit_in_time_leaves_the_rest_for_later(ingest, few_leaves):
    for start in range(0, 60, 20):
        ingest(log(*many(60)[start : start + 20]))
    first = seal(seconds=0)
    assert first.is_more
    assert 0 < first.added < 120
    assert not seal().is_more
    check_log()


def test_rows_that_are_announced_again_stay_one_leaf(ingest):
    ingest(log(B))
    seal()
    rows = list(HandVersion.objects.values_list("id", flat=True))
    SealPending.objects.create(kind=LeafKind.VERSION, rows=rows)
    ingest(log(changed(B, hand_id="B2")))
    SealPending.objects.create(
        kind=LeafKind.VERSION, rows=[*HandVersion.objects.values_list("id", flat=True)]
    )
    seal()
    assert leaf_kinds() == {"UPLOAD": 2, "VERDICT": 2, "VERSION": 2}
    check_log()


def test_only_announced_again_gives_no_head_and_goes_on(ingest, few_leaves):
    ingest(log(*many(50)))
    seal()
    heads = TreeHead.objects.count()
    rows = list(HandVersion.objects.values_list("id", flat=True))
    for _ in range(3):
        SealPending.objects.create(kind=LeafKind.VERSION, rows=rows)
    assert seal().added == 0
    assert not SealPending.objects.exists()
    assert TreeHead.objects.count() == heads


def test_a_row_that_is_gone_before_it_is_sealed_is_on_record(ingest, caplog):
    ingest(log(B, B))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("DELETE FROM audit_duplicate RETURNING id")
        (gone,) = cursor.fetchone()
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    seal()
    assert list(SealedLeaf.objects.filter(is_lost=True).values_list("kind", "row")) == [
        (LeafKind.DUPLICATE, gone)
    ]
    assert [record.message for record in caplog.records] == ["row_lost_before_seal"]
    check_log()


def test_refused_lines_of_a_file_that_never_came_whole_leave_nothing(ingest):
    upload = Upload.objects.create(name="half.ndjson")
    Refusal.objects.create(upload=upload, line=1, offset=0, place="$", reason="cut off")
    assert not SealPending.objects.exists()
    Refusal.objects.filter(upload=upload).delete()
    upload.delete()
    whole = ingest(log(b"{}", B))
    refusals = Refusal.objects.filter(upload_id=whole.id)
    for act in (refusals.delete, lambda: refusals.update(line=9), lambda: drop(whole.id)):
        with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
            act()


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def drop(upload_id: int) -> None:
    run(f"DELETE FROM audit_upload WHERE id = {upload_id}")


@pytest.mark.parametrize(
    "change",
    [
        "name = 'x'", "received_by_id = 1", "restatement = 'y'", "byte_count = 1", "sha256 = ''",
        "sha256 = NULL", "line_count = line_count + 1", "created_at = now() - interval '1 day'",
    ],
)  # fmt: skip
def test_what_came_whole_keeps_its_receipt(ingest, change):
    ingest(log(B))
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        run(f"UPDATE audit_upload SET {change}")


def test_a_hand_keeps_its_name_and_is_never_deleted(ingest):
    ingest(log(B))
    for statement in (
        "UPDATE audit_hand SET hand_id = 'else'",
        "UPDATE audit_hand SET source = 'else'",
        "DELETE FROM audit_hand",
    ):
        with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
            run(statement)


@pytest.mark.parametrize("table", GUARDED)
def test_no_table_of_evidence_is_changed_or_emptied(ingest, table):
    ingest_all_kinds(ingest)
    seal()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"SELECT count(*) FROM {table}")
        (count,) = cursor.fetchone()
        cursor.execute(
            "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgenabled = 'O'"
            " AND tgtype & 2 = 2 AND tgtype & 32 = 32",
            [table],
        )
        assert cursor.fetchone() == (1,)
    statements = [f"SET LOCAL tilecourt.guard = 'on'; TRUNCATE {table} CASCADE"]
    if count:
        statements += [f"DELETE FROM {table}", f"UPDATE {table} SET {first_column(table)}"]
    for statement in statements:
        with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
            run(statement)


def first_column(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = 2", [table]
        )
        (name,) = cursor.fetchone()
    return f"{name} = {name}"


def test_the_key_is_made_once_and_kept_from_others(settings):
    first = make_seal_key()
    path = Path(settings.TILECOURT_SEAL_KEY_FILE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert make_seal_key() == first == read_keys()
    assert [one.name for one in path.parent.iterdir()] == ["seal_key"]


def test_heads_are_put_down_outside_of_the_database(ingest, settings):
    ingest(log(B))
    seal()
    ingest(log(changed(B, hand_id="B2")))
    seal()
    (file,) = Path(settings.TILECOURT_SEAL_HEADS).iterdir()
    notes = split_notes(file.read_text())
    assert notes == list(TreeHead.objects.order_by("size").values_list("note", flat=True))
    assert [open_head(note, *read_keys().public).head.size for note in notes] == [3, 6]


def test_another_key_seals_nothing(ingest, settings, tmp_path):
    ingest(log(B))
    seal()
    ingest(log(changed(B, hand_id="B2")))
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "other_key"
    with pytest.raises(SealKeyMissing, match="bring it back"):
        seal()
    make_seal_key()
    with pytest.raises(SealRefused, match="does not verify by the seal key"):
        seal()
    assert SealedLeaf.objects.count() == 3


def test_a_new_key_goes_on_with_the_log_of_the_old(ingest):
    ingest(log(B))
    seal()
    old = read_keys()
    new = replace_seal_key()
    assert new.public[1:] == old.public
    assert new.private.name == old.private.name
    ingest(log(changed(B, hand_id="B2")))
    seal()
    notes = TreeHead.objects.order_by("size").values_list("note", flat=True)
    assert [open_head(note, *new.public).key for note in notes] == [
        old.private.public, new.private.public,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "PRIVATE+KEY+x", "ä"])
def test_a_damaged_key_is_an_error_that_does_not_show_it(ingest, settings, text):
    Path(settings.TILECOURT_SEAL_KEY_FILE).write_text(text)
    ingest(log(B))
    with pytest.raises(SealKeyMissing, match="cannot be read"):
        seal()


def superuser(*statements: str) -> None:
    run("SET CONSTRAINTS ALL IMMEDIATE")
    run("SET LOCAL session_replication_role = replica")
    for statement in statements:
        run(statement)
    run("SET LOCAL session_replication_role = DEFAULT")


def test_a_log_that_lost_its_end_is_not_gone_on_with(ingest, settings):
    """As after a restore from an older backup, or when the last rows were taken out with care."""
    for number in range(3):
        ingest(log(changed(B, hand_id=f"h{number}")))
        seal()
    superuser(
        "DELETE FROM audit_sealedleaf WHERE index >= 6", "DELETE FROM audit_treehead WHERE size > 6"
    )
    ingest(log(changed(B, hand_id="later")))
    with pytest.raises(SealRefused, match=r"A head over 9 leaves is kept in .* log has 6"):
        seal()
    Path(settings.TILECOURT_SEAL_HEADS).rename(settings.TILECOURT_SEAL_HEADS.with_name("aside"))
    assert seal().size == 9
    check_log()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_sealedleaf SET hash = sha256('x') WHERE index = 4",
        "UPDATE audit_treehead SET size = 5 WHERE size = 6",
        "UPDATE audit_treehead t SET note = s.note FROM audit_treehead s WHERE s.size < t.size",
    ],
)
def test_a_log_that_was_changed_is_not_gone_on_with(ingest, statement):
    for number in range(2):
        ingest(log(changed(B, hand_id=f"h{number}")))
        seal()
    superuser(statement)
    ingest(log(changed(B, hand_id="later")))
    with pytest.raises(SealRefused, match="not the one that its last head signed"):
        seal()


@pytest.mark.parametrize("content", ["", "junk", "junk\n\n— x y\n", "\x00" * 9000])
def test_a_folder_of_heads_that_says_nothing_stops_nothing(ingest, settings, content):
    ingest(log(B))
    seal()
    (file,) = Path(settings.TILECOURT_SEAL_HEADS).iterdir()
    file.write_text(content)
    ingest(log(changed(B, hand_id="B2")))
    assert seal().size == 6


def test_figures_tell_what_waits(ingest):
    ingest(log(B))
    figures = evidence.seal_figures()
    assert (figures.size, figures.head_at, figures.waiting) == (0, None, 3)
    seal()
    figures = evidence.seal_figures()
    assert (figures.size, figures.waiting, figures.waiting_seconds) == (3, 0, 0.0)
    assert figures.head_at == TreeHead.objects.get().made_at


@pytest.mark.django_db(transaction=True)
def test_what_commits_late_is_sealed_later_and_not_passed_over(ingest):
    """A row whose key is lower than those sealed already, because its transaction was longer."""
    ingest(log(B))
    version = HandVersion.objects.get()
    started, may_commit = threading.Event(), threading.Event()

    def late() -> None:
        try:
            with transaction.atomic():
                add_verdict(version.pk, "late")
                started.set()
                assert may_commit.wait(240)
        finally:
            connection.close()

    thread = threading.Thread(target=late)
    thread.start()
    assert started.wait(240)
    add_verdict(version.pk, "soon")
    seal()
    sealed = set(SealedLeaf.objects.filter(kind=LeafKind.VERDICT).values_list("row", flat=True))
    may_commit.set()
    thread.join(240)
    by_engine = dict(Verdict.objects.values_list("engine", "id"))
    assert by_engine["late"] < by_engine["soon"]
    assert by_engine["soon"] in sealed
    assert by_engine["late"] not in sealed
    assert seal().added == 1
    check_log()


def add_verdict(version: int, engine: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_verdict (version_id, ruleset, ruleset_sha256, engine, kind, digest)"
            " SELECT version_id, ruleset, ruleset_sha256, %s, kind, digest FROM audit_verdict"
            " WHERE version_id = %s LIMIT 1",
            [engine, version],
        )


@pytest.mark.django_db(transaction=True)
def test_two_sealers_at_once_add_each_row_once(ingest, few_leaves):
    for start in range(0, 200, 20):
        ingest(log(*many(200)[start : start + 20]))
    failed = []

    def run() -> None:
        try:
            for _ in range(20):
                seal(seconds=0)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    assert failed == []
    seal()
    assert SealedLeaf.objects.count() == 10 * 41
    check_log()


def test_the_settings_name_the_state_folder():
    assert configured.TILECOURT_SEAL_KEY_FILE == configured.STATE / "seal_key"
    assert configured.TILECOURT_SEAL_HEADS == configured.STATE / "heads"


# Tables that only grow and are no leaves: the log itself, and what is made from sealed rows.
# Each row of `audit_firstpassword` says what a row of the journal beside it says, which is a leaf.
NOT_SEALED = {
    "audit_caseamount", "audit_cause", "audit_departedverdict", "audit_firstpassword",
    "audit_reauditamount", "audit_reauditfault", "audit_reauditresult", "audit_replacement",
    "audit_sealedleaf", "audit_sealnode", "audit_treehead",
}  # fmt: skip


def test_every_table_that_only_grows_is_sealed_or_known_not_to_be():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgname"
            " FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE tgname IN ('append_only', 'announce') AND NOT relispartition"
        )
        found = cursor.fetchall()
    growing, announced = (
        {table for table, name in found if name == wanted} for wanted in ("append_only", "announce")
    )
    assert announced == {sealed.table for sealed in SEALED.values()}
    assert growing - announced == NOT_SEALED
    # These are guarded by triggers of other names.
    assert announced - growing == {
        "audit_erasedrow", "audit_erasure", "audit_refusal", "audit_retentionrun",
        "audit_rulesetrevision", "audit_upload",
    }  # fmt: skip
