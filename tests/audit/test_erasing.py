"""A person is erased: the name can be neither found nor guessed, and everything verifies."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from datetime import UTC, date, datetime
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

import replay
from audit import importers, services
from audit.models import (
    CaseAct,
    Chunk,
    Duplicate,
    ErasedRow,
    Erasure,
    Finding,
    Grant,
    Hand,
    HandVersion,
    JournalEntry,
    LeafKind,
    LegalHold,
    NameSalt,
    Player,
    RecordClass,
    Refusal,
    RemedyExport,
    ReportPart,
    ReportRun,
    RetentionRun,
    Role,
    SavedFilter,
    SealedLeaf,
    ShareLink,
    Upload,
    Verdict,
    WebhookDelivery,
)
from audit.selectors.access import access_of
from audit.selectors.seal_keys import read_keys
from audit.selectors.sealed_rows import SEALED
from audit.selectors.veiled_rows import FORM
from audit.services import compare_table, erasing, sealing
from audit.services.bundling import bundle_hand
from audit.services.erasing import ErasureRefused, erase_person, reach_of
from audit.services.erasing_free_texts import PLACES
from audit.services.players import note_players
from audit.services.retention import begin_run, continue_run
from audit.services.saved_filters import save_filter
from audit.services.sealing import seal
from audit.services.webhooks import create_webhook
from audit.services.webhooks_sending import gather_messages
from audit.zstd import unpacked
from replay.evidence import leaf_data, leaf_hash, verify_bundle
from tests.access import trusted
from tests.audit.dumps import places_of, places_of_hashes
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.logs import B, W, changed, log, respelt, with_net
from tests.audit.named import WRITTEN, name_everywhere
from tests.audit.test_retention import tamper, verify

pytestmark = pytest.mark.django_db

NAME = "Ngozi Adichie-42"
SOURCE = "table-7"
VAULT = {"audit_namesalt.name"}


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.STATE = tmp_path


@pytest.fixture
def keeper():
    user = User.objects.create_user("kay")
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR)
    return access_of(user)


def renamed(line: bytes, old: str, new: str = NAME, **fields) -> bytes:
    """The same hand at our source, with another player in it."""
    text = json.dumps(json.loads(line) | {"source": SOURCE} | fields, ensure_ascii=False)
    return text.replace(json.dumps(old), json.dumps(new, ensure_ascii=False)).encode()


SEAT_1 = next(seat["player"] for seat in json.loads(B)["seats"] if seat["seat"] == 1)
BETTOR = next(one["player"] for one in json.loads(W)["events"] if one["type"] == "wager")
PAI = renamed(B, SEAT_1)
WEN = renamed(W, BETTOR, ext={"nick": NAME, "n": 1.50})


@pytest.fixture
def played(ingest):
    """Hands with the person: clean, wrong, stated anew, again in other bytes, refused, void."""
    lines = [
        PAI, WEN, with_net(renamed(PAI, "", "", hand_id="wrong"), 1, "-99.00"),
        renamed(B, SEAT_1, "somebody else", hand_id="other"),
        changed(PAI, hand_id="void", events=[{"type": "void", "reason": f"{NAME} left"}],
                result=None),
        PAI[:-40],
    ]  # fmt: skip
    ingest(log(*lines), name=f"{NAME}.ndjson")
    ingest(log(respelt(PAI), wrong_profit()))
    from audit.models import Table  # noqa: PLC0415

    for table in Table.objects.all():
        while compare_table(table_id=table.pk):
            pass
    note_players(seconds=60)
    JournalEntry.objects.create(
        actor="ann", act="see-hands", subject=f"GET hands {NAME}", source=SOURCE, player=NAME,
        detail={"player": NAME},
    )  # fmt: skip
    seal()


def wrong_profit() -> bytes:
    hand = json.loads(WEN) | {"hand_id": "wen-wrong"}
    hand["result"]["players"] = [{"player": NAME, "profit": "7777", "valid_bet": "1"}]
    return json.dumps(hand, ensure_ascii=False).encode()


def erase(keeper, name=NAME):
    return erase_person(
        access=keeper, source=SOURCE, name=name, reason="asked for", ground="GDPR Art. 17"
    )


def test_the_name_is_nowhere_and_everything_verifies(played, keeper):
    assert places_of(NAME) >= {
        "audit_hand.players", "audit_handversion.raw", "audit_duplicate.raw", "audit_upload.name",
        "audit_refusal.raw", "audit_journal.detail", "audit_player.name", "audit_namesalt.name",
        "audit_verdict.settlement", "audit_finding.subject",
    }  # fmt: skip
    assert verify()[0] == 0
    before = {(row["pk"], row["kind"]) for row in Verdict.objects.values("pk", "kind")}
    act = Erasure.objects.get(pk=erase(keeper))
    assert places_of(NAME) == set()
    assert (act.state, act.reason, act.ground, act.asked_by.username) == (
        "done", "asked for", "GDPR Art. 17", "kay",
    )  # fmt: skip
    status, words = verify()
    assert status == 0, words
    assert {(row["pk"], row["kind"]) for row in Verdict.objects.values("pk", "kind")} == before
    assert Hand.objects.filter(players__contains=[act.token]).count() >= 4
    assert not Player.objects.filter(source=SOURCE, name=NAME).exists()
    assert not NameSalt.objects.filter(source=SOURCE, name=NAME).exists()
    assert Refusal.objects.get().raw is None
    assert JournalEntry.objects.filter(player=act.token).count() >= 2


def test_each_verdict_is_reached_again_from_what_is_left(played, keeper):
    told = {}
    for verdict in Verdict.objects.select_related("version"):
        told[verdict.pk] = replay.audit(unpacked(verdict.version.raw), rulesets()).verdict
    act = Erasure.objects.get(pk=erase(keeper))
    for verdict in Verdict.objects.select_related("version"):
        line = unpacked(verdict.version.raw)
        again = replay.audit(line, rulesets())
        assert again.verdict == verdict.kind == told[verdict.pk]
        assert again.settlement == verdict.settlement
        assert bytes.fromhex(again.replay_digest) == bytes(verdict.digest)
        assert bytes.fromhex(again.record_sha256) == bytes(verdict.version.sha256)
        stored = Finding.objects.filter(verdict=verdict).order_by("position")
        assert [(one.code, one.subject) for one in again.findings] == list(
            stored.values_list("code", "subject")
        )
        assert NAME.encode() not in line
    assert Finding.objects.filter(subject=act.token).exists()


def rulesets():
    from audit.selectors import current_rulesets  # noqa: PLC0415

    return current_rulesets()


def hashes_for(name: str, lines: list[bytes], file: bytes) -> set[bytes]:
    """All that somebody could make who guesses the name and knows everything else."""
    found = {hashlib.sha256(file).digest()}
    for line in lines:
        record = hashlib.sha256(line).digest()
        verdict = replay.audit(line, rulesets())
        found |= {record, bytes.fromhex(verdict.replay_digest)}
    return found


def test_the_name_cannot_be_guessed_from_a_list(ingest, keeper):
    lines = [PAI, renamed(PAI, "", "", hand_id="second")]
    ingest(log(*lines))
    seal()
    version = HandVersion.objects.order_by("pk").first()
    guess = hashes_for(NAME, lines, log(*lines))
    # Before it is erased whoever holds the dump sees it without guessing.
    assert places_of_hashes(guess) >= {
        "audit_handversion.sha256", "audit_verdict.digest", "audit_upload.sha256",
    }  # fmt: skip
    act = Erasure.objects.get(pk=erase(keeper))
    for name in ("Adaeze", NAME, "Ling", "somebody else"):
        guessed = [one.replace(NAME.encode(), name.encode()) for one in lines]
        left = unpacked(HandVersion.objects.order_by("pk").first().raw)
        assert left.replace(act.token.encode(), name.encode()) == guessed[0]
        hashes = hashes_for(name, guessed, log(*guessed))
        for leaf in range(3):
            fields = [
                SOURCE, "base-1", 1, hashlib.sha256(guessed[0]).digest(), version.upload_id, 1,
                version.created_at,
            ]  # fmt: skip
            hashes.add(leaf_hash(leaf_data("hand-version/1", leaf, fields)))
        assert places_of_hashes(hashes) == set(), name


def test_bundles_of_redacted_hands_are_accepted_and_say_so(played, keeper):
    act = Erasure.objects.get(pk=erase(keeper))
    for hand in Hand.objects.order_by("pk"):
        made = bundle_hand(hand_id=hand.pk, sources=None)
        verified = verify_bundle(made.data, read_keys().public)
        assert verified.problems == (), hand
        # Its own record, or that of the hand before it, which it was compared with.
        has_person = act.token.encode() in made.data
        assert any("are redacted" in note for note in verified.notes) == has_person, hand
        assert NAME.encode() not in made.data


def test_a_bundle_made_before_is_accepted_still(played, keeper):
    hand = Hand.objects.get(hand_id="base-1")
    made = bundle_hand(hand_id=hand.pk, sources=None)
    erase(keeper)
    verified = verify_bundle(made.data, read_keys().public)
    assert (verified.problems, verified.notes) == ((), ())


def test_two_people_of_one_hand_are_erased_one_after_the_other(played, keeper):
    first = Erasure.objects.get(pk=erase(keeper))
    banker = next(seat["player"] for seat in json.loads(B)["seats"] if seat["seat"] == 2)
    second = Erasure.objects.get(pk=erase(keeper, banker))
    hand = Hand.objects.get(hand_id="base-1")
    assert {first.token, second.token} <= set(hand.players)
    status, words = verify()
    assert status == 0, "\n".join(words)
    made = bundle_hand(hand_id=hand.pk, sources=None)
    assert verify_bundle(made.data, read_keys().public).problems == ()


def test_a_stopped_erasure_goes_on(played, keeper, monkeypatch):
    monkeypatch.setattr(erasing, "HANDS_AT_ONCE", 1)

    def stop(done, whole):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        erase_person(
            access=keeper, source=SOURCE, name=NAME, reason="r", ground="g", on_progress=stop
        )
    seal()
    assert verify()[0] == 0
    assert NAME in {name for players in Hand.objects.values_list("players", flat=True)
                    for name in players}  # fmt: skip
    act = erase(keeper)
    assert Erasure.objects.count() == 1
    assert places_of(NAME) == set()
    assert Erasure.objects.get(pk=act).counts["upload"] == 2
    assert verify()[0] == 0


def test_nobody_is_erased_without_a_name_a_reason_and_the_right(played, keeper):
    how = {"source": SOURCE, "name": NAME, "reason": "r", "ground": "g"}
    for wrong, words in (
        ({"name": "nobody"}, "Nobody of this name"),
        ({"source": "elsewhere"}, "Nobody of this name"),
        ({"reason": " "}, "A reason and a ground"),
        ({"ground": ""}, "A reason and a ground"),
    ):
        with pytest.raises(ErasureRefused, match=words):
            erase_person(access=keeper, **how | wrong)
    other = User.objects.create_user("al")
    Grant.objects.create(account=other, role=Role.AUDITOR)
    with pytest.raises(ErasureRefused, match="may not erase"):
        erase_person(access=access_of(other), **how)
    assert not Erasure.objects.exists()


def test_the_guards_let_nothing_else_through(played, keeper):
    act = Erasure.objects.get(pk=erase(keeper))
    version = HandVersion.objects.order_by("pk").first()
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        HandVersion.objects.filter(pk=version.pk).update(raw=b"x")
    running = Erasure.objects.create(
        source=SOURCE, token="#x", reason="r", ground="g", asked_by=User.objects.get(username="kay")
    )
    for what, words in (
        ("UPDATE audit_handversion SET raw = 'x'", "never changed"),
        ("UPDATE audit_handversion SET line = 9", "never changed"),
        ("UPDATE audit_verdict SET kind = 'void'", "never changed"),
        ("DELETE FROM audit_verdict", "never changed"),
        ("UPDATE audit_sealedleaf SET row = 9", "never changed"),
        (f"UPDATE audit_erasure SET reason = 'x' WHERE id = {act.pk}", "only goes on"),
        ("DELETE FROM audit_erasure", "never changed"),
        ("UPDATE audit_erasedrow SET row = 9", "never changed"),
        ("DELETE FROM audit_erasedrow", "never changed"),
    ):
        with pytest.raises(DatabaseError, match=words):
            under(running.pk, what)


def under(act: int, statement: str) -> None:
    """Run a statement as if it were of an act of erasure."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL tilecourt.erasure = '{act}'")
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (LeafKind.VERSION, "raw = '\\x00'"),
        (LeafKind.VERSION, "sha256 = sha256('x')"),
        (LeafKind.VERDICT, "digest = sha256('x')"),
        (LeafKind.VERDICT, "kind = 'void'"),
        (LeafKind.VERDICT, "settlement = '{}'"),
        (LeafKind.DUPLICATE, "sha256 = sha256('x')"),
        (LeafKind.UPLOAD, "name = 'x'"),
        (LeafKind.UPLOAD, "sha256 = sha256('x')"),
        (LeafKind.REFUSAL, "reason = 'x'"),
        (LeafKind.ERASED_ROW, 'kept = \'{"sealed": "00"}\''),
        (LeafKind.ERASURE, "reason = 'x'"),
    ],
)
def test_what_is_changed_afterwards_is_named(played, keeper, kind, change):
    erase(keeper)
    table = SEALED[kind].table
    (row,) = ErasedRow.objects.filter(kind=kind).values_list("row", flat=True)[:1] or [None]
    if row is None:
        row = {LeafKind.ERASED_ROW: ErasedRow.objects.filter(kind=LeafKind.VERSION).first(),
               LeafKind.ERASURE: Erasure.objects.first()}[kind].pk  # fmt: skip
    tamper(f"UPDATE {table} SET {change} WHERE id = {row}")
    status, words = verify()
    assert status == 1
    assert any(line.startswith(f"{kind.label} {row}") for line in words), words


def test_the_command_tells_what_it_did(played, keeper):
    out, err = io.StringIO(), io.StringIO()
    call_command(
        "erase", SOURCE, NAME, "--by", "kay", "--reason", "r", "--ground", "g",
        stdout=out, stderr=err,
    )  # fmt: skip
    act = Erasure.objects.get()
    words = out.getvalue().splitlines()
    # What names the person is said before anything is erased.
    assert words[0] == "5 hands have this name."
    upload = Upload.objects.order_by("pk").first()
    assert words[1] == f"1 to have a token for the name: upload: /uploads/{upload.pk}/"
    assert words[2] == f"Erased by act E-{act.pk}: {act.token} stands for the name."
    assert f"{act.counts['hand version']:,} rewritten: hand version" in words
    with pytest.raises(SystemExit):
        call_command(
            "erase", SOURCE, NAME, "--by", "kay", "--reason", "r", "--ground", "g",
            stdout=out, stderr=err,
        )  # fmt: skip
    assert err.getvalue() == "Nobody of this name is known at this source.\n"


def test_what_comes_again_is_known_and_its_bytes_are_not_kept(played, keeper, ingest):
    erase(keeper)
    versions = HandVersion.objects.count()
    ingest(log(PAI, WEN))
    again = Upload.objects.latest("pk")
    assert HandVersion.objects.count() == versions
    assert Duplicate.objects.filter(upload_id=again.pk).count() == 2
    assert "audit_handversion.raw" not in places_of(NAME)
    assert "audit_duplicate.raw" not in places_of(NAME)
    assert again.duplicate_count == 2
    # Another meaning is another version, as ever.
    ingest(log(with_net(PAI, 1, "-98.00")))
    assert Upload.objects.latest("pk").conflict_count == 1


def test_a_person_of_a_feed_is_erased_and_the_record_reads_still(db, keeper):
    name = "gold77"
    services.receive_feed(
        name="pull.json", stream=io.BytesIO(ky_answer(ky_row(Accounts=f"agent_{name}"))),
        feed="ky-730", source=SOURCE,
    )  # fmt: skip
    for chunk in Chunk.objects.exclude(state="done"):
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    seal()
    kind = Hand.objects.get().verdict_kind
    assert Hand.objects.get().players == [name]
    act = Erasure.objects.get(pk=erase(keeper, name))
    assert places_of(name) == set()
    assert verify()[0] == 0
    hand = Hand.objects.get()
    assert (hand.players, hand.verdict_kind) == ([act.token], kind)
    upload = Upload.objects.get()
    raw = unpacked(HandVersion.objects.get().raw)
    assert f'"agent_{act.token}"'.encode() in raw
    audited, _ = importers.judge("ky-730", raw, upload.feed_facts, rulesets())
    assert audited.verdict.verdict == kind


def test_what_was_sealed_with_names_is_erased_and_said_to_be(ingest, keeper, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sealing, "FORM", 1)
        ingest(log(PAI, WEN))
        seal()
    assert set(SealedLeaf.objects.values_list("form", flat=True)) == {1}
    assert not NameSalt.objects.exists()
    ingest(log(renamed(PAI, "", "", hand_id="new")))
    seal()
    assert set(SealedLeaf.objects.values_list("form", flat=True)) == {1, FORM}
    assert verify()[0] == 0
    erase(keeper)
    assert places_of(NAME) == set()
    status, words = verify()
    assert status == 0, words
    assert words[0] == (
        "5 leaves of early forms: over names that were erased since; their rows are as the acts"
        " left them"
    )
    version = HandVersion.objects.order_by("pk").first()
    tamper(f"UPDATE audit_handversion SET sha256 = sha256('x') WHERE id = {version.pk}")
    assert verify()[0] == 1


def test_messages_to_webhooks_and_runs_of_reports_hold_the_name_no_more(ingest, keeper):
    """What was made of the hands after they were stored, and is no leaf of the log."""
    hook = create_webhook(
        access=keeper, name="Room 1", url="https://example.org/", sources=None, only_errors=False
    )
    ingest(log(PAI, WEN, wrong_profit()))
    seal()
    gather_messages()
    run = ReportRun.objects.create(
        kind="player-statement", basis="day", first=date(2025, 3, 1), last=date(2025, 3, 1),
        parameters={"source": SOURCE, "player": NAME}, asked_by_id=keeper.account_id,
    )  # fmt: skip
    ReportPart.objects.create(
        run=run, day=run.first, facts=b"", content=json.dumps({"player": NAME}).encode()
    )
    assert places_of(NAME) >= {
        "audit_webhookdelivery.body", "audit_reportrun.parameters", "audit_reportpart.content",
    }  # fmt: skip
    act = Erasure.objects.get(pk=erase(keeper))
    assert places_of(NAME) == set()
    [message] = WebhookDelivery.objects.filter(webhook=hook.pk)
    subjects = {one["subject"] for one in json.loads(message.body)["findings"]}
    assert act.token in subjects
    assert act.counts["message to a webhook"] == act.counts["run of a report"] == 1
    run.refresh_from_db()
    assert run.parameters == {"source": SOURCE, "player": act.token}
    assert not ReportPart.objects.exists()
    assert act.left == {}


@pytest.mark.parametrize("name", [NAME, "陳大文", 'Q"uote\\'])
def test_what_somebody_wrote_has_the_token_however_the_name_is_spelt(ingest, keeper, name):
    ingest(log(renamed(B, SEAT_1, name)))
    hand = Hand.objects.get()
    save_filter(account_id=keeper.account_id, name="Mine", query={"player": name, "table": "T1"})
    LegalHold.objects.create(source=SOURCE, reason=f"{name} sues", placed_by_id=keeper.account_id)
    ShareLink.objects.create(
        hand=hand, viewpoint="public", reason=f"for {name}", prefix="x", sha256=bytes(32),
        created_by_id=keeper.account_id, expires_at=datetime(2099, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    act = Erasure.objects.get(pk=erase(keeper, name))
    assert act.left == {}
    assert (act.counts["legal hold"], act.counts["link to a hand"], act.counts["saved filter"]) == (
        1, 1, 1,
    )  # fmt: skip
    assert LegalHold.objects.get().reason == f"{act.token} sues"
    assert ShareLink.objects.get().reason == f"for {act.token}"
    query = dict(parse_qsl(SavedFilter.objects.get().query))
    assert query == {"player": act.token, "table": "T1"}
    assert places_of(name) == set()
    assert verify()[0] == 0


def test_everything_that_somebody_wrote_of_the_person_goes_the_same_way(ingest, keeper):
    """Each text that names the person, in whatever table; and everything verifies."""
    kay = User.objects.get(pk=keeper.account_id)
    second = trusted(User.objects.create_user("lou"))
    ingest(log(PAI), user=kay, restatement=f"{NAME} complained")
    name_everywhere(SOURCE, NAME, Hand.objects.get(), kay, second)
    seal()
    assert places_of(NAME) >= WRITTEN
    reach = reach_of(access=keeper, source=SOURCE, name=NAME)
    assert reach.hands == 1
    act = Erasure.objects.get(pk=erase(keeper))
    assert places_of(NAME) == set()
    assert act.left == {}
    status, words = verify()
    assert status == 0, words
    # What was said to be rewritten beforehand was: each text is counted by what it is.
    told = Counter(one.label for one in reach.texts)
    assert set(told) == {place.label for place in PLACES} | {"saved filter"}
    assert CaseAct.objects.get(text__startswith=act.token).text == f"{act.token} called"
    assert bytes(RemedyExport.objects.get().csv).decode().count(act.token) == 1
    # Amounts stay what they were.
    assert "7.00" in bytes(RemedyExport.objects.get().csv).decode()
    run = RetentionRun.objects.get()
    assert hashlib.sha256(run.certificate.encode()).digest() == bytes(run.sha256)
    assert json.loads(run.certificate)["reason"] == run.reason == f"{act.token} asked"


def test_what_only_the_letters_of_a_name_stand_in_stays_and_is_counted(ingest, keeper):
    ingest(log(renamed(B, SEAT_1, "Ida")))
    by = keeper.account_id
    for reason in ("Idaho: Ida's, and Ida.", "Idas and Frida"):
        LegalHold.objects.create(source=SOURCE, reason=reason, placed_by_id=by)
    act = Erasure.objects.get(pk=erase(keeper, "Ida"))
    reasons = LegalHold.objects.order_by("pk").values_list("reason", flat=True)
    assert list(reasons) == [f"Idaho: {act.token}'s, and {act.token}.", "Idas and Frida"]
    assert act.left == {"legal hold": 2}


def test_files_that_name_the_person_without_a_hand_of_theirs_are_reached(ingest, keeper):
    """A broken file of no source, and a file of others that was handed in for a reason."""
    kay = User.objects.get(pk=keeper.account_id)
    ingest(log(PAI))
    broken = b'{"seats": [{"player": "' + NAME.encode()
    ingest(broken, name=f"{NAME}.ndjson")
    other = renamed(B, SEAT_1, "somebody else", hand_id="other")
    ingest(log(other), user=kay, restatement=f"{NAME} complained", name="b" * 250)
    ingest(log(changed(other, source="far", hand_id="far")), name=f"{NAME} far.ndjson")
    seal()
    before = Upload.objects.order_by("pk").values_list("sha256", flat=True)
    kept = [bytes(one) for one in before]
    assert places_of_hashes({hashlib.sha256(broken).digest()}) == {
        "audit_refusal.sha256", "audit_upload.sha256",
    }  # fmt: skip
    reach = reach_of(access=keeper, source=SOURCE, name=NAME)
    assert sorted(one.label for one in reach.texts) == ["upload", "upload"]
    act = Erasure.objects.get(pk=erase(keeper))
    assert places_of_hashes({hashlib.sha256(broken).digest()}) == set()
    # A file of another source alone is about somebody else.
    assert places_of(NAME) == {"audit_upload.name"}
    names = Upload.objects.order_by("pk").values_list("name", "restatement")
    assert list(names)[1:] == [
        (f"{act.token}.ndjson", ""), ("b" * 250, f"{act.token} complained"),
        (f"{NAME} far.ndjson", ""),
    ]  # fmt: skip
    # The hash of a file stays where none of its bytes can be guessed by the name.
    now = [bytes(one) for one in Upload.objects.order_by("pk").values_list("sha256", flat=True)]
    assert [one == was for one, was in zip(now, kept, strict=True)] == [False, False, True, True]
    assert verify()[0] == 0


def test_what_is_about_another_source_stays(ingest, keeper):
    by = keeper.account_id
    ingest(log(PAI, renamed(PAI, "", "", hand_id="far", source="elsewhere")))
    note_players(seconds=60)
    LegalHold.objects.create(source="elsewhere", reason=f"{NAME} sues", placed_by_id=by)
    save_filter(account_id=by, name="There", query={"player": NAME, "source": "elsewhere"})
    save_filter(account_id=by, name="Here", query={"player": NAME, "table": "T1"})
    reach = reach_of(access=keeper, source=SOURCE, name=NAME)
    assert (reach.elsewhere, [one.label for one in reach.texts]) == (
        ("elsewhere",),
        ["saved filter"],
    )
    act = Erasure.objects.get(pk=erase(keeper))
    assert LegalHold.objects.get().reason == f"{NAME} sues"
    asked = {one.name: dict(parse_qsl(one.query))["player"] for one in SavedFilter.objects.all()}
    assert asked == {"There": NAME, "Here": act.token}


def test_a_name_that_is_a_number_changes_no_figure(ingest, keeper):
    """Nor what is called alike: a table, a key of JSON."""
    ingest(log(renamed(B, SEAT_1, "7", table="7")))
    JournalEntry.objects.create(
        actor="ann", act="see-hands", subject="GET hands", source=SOURCE, player="7",
        detail={"7": 7, "table": "7", "player": "7", "days": [7, "7"]},
    )  # fmt: skip
    act = Erasure.objects.get(pk=erase(keeper, "7"))
    entry = JournalEntry.objects.get(subject="GET hands")
    assert entry.player == act.token
    assert entry.detail == {"7": 7, "table": "7", "player": act.token, "days": [7, act.token]}
    assert verify()[0] == 0


def test_a_reason_of_the_act_does_not_say_the_name(ingest, keeper):
    ingest(log(PAI))
    for wrong in ({"reason": f"{NAME} asked"}, {"ground": f"letter of {NAME}"}):
        with pytest.raises(ErasureRefused, match="say them without the name"):
            erase_person(
                access=keeper, source=SOURCE, name=NAME, **{"reason": "r", "ground": "g"} | wrong
            )
    run = begin_run(
        access=keeper, record_class=RecordClass.HANDS, source=SOURCE, reason=f"{NAME} asked"
    )
    with pytest.raises(ErasureRefused, match=f"Retention run {run} is not done"):
        erase(keeper)
    continue_run(run_id=run)
    erase(keeper)
    assert places_of(NAME) == set()
    assert verify()[0] == 0


def test_no_reason_can_be_guessed_from_its_leaf(ingest, keeper):
    """Reasons are under commitments from the first on: a leaf over the plain text would betray the
    name to whoever knows the rest of it."""
    ingest(log(PAI))
    hold = LegalHold.objects.create(
        source=SOURCE, reason=f"{NAME} sues", placed_by_id=keeper.account_id
    )
    seal()
    leaf = SealedLeaf.objects.get(kind=LeafKind.LEGAL_HOLD, row=hold.pk)
    plain = [hold.pk, SOURCE, None, None, hold.reason, keeper.account_id, hold.placed_at]
    erase(keeper)
    for name in ("legal-hold/1", "legal-hold/2"):
        assert leaf_hash(leaf_data(name, leaf.index, plain)) != bytes(leaf.hash)
    tamper(f"UPDATE audit_legalhold SET reason = 'x' WHERE id = {hold.pk}")
    status, words = verify()
    assert status == 1
    assert any(line.startswith(f"legal hold {hold.pk}") for line in words), words


def test_a_reason_sealed_in_an_early_form_is_erased_and_said_to_be(ingest, keeper, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sealing, "FORM", 2)
        ingest(log(PAI))
        LegalHold.objects.create(
            source=SOURCE, reason=f"{NAME} sues", placed_by_id=keeper.account_id
        )
        seal()
    assert verify()[0] == 0
    erase(keeper)
    status, words = verify()
    assert (status, words[0].split(":")[0]) == (0, "1 leaves of early forms")


def test_the_command_says_what_names_the_person_and_erases_nothing(ingest, keeper):
    ingest(log(PAI))
    hand = Hand.objects.get()
    ShareLink.objects.create(
        hand=hand, viewpoint="public", reason=f"for {NAME}", prefix="x", sha256=bytes(32),
        created_by_id=keeper.account_id, expires_at=datetime(2099, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    for number in range(21):
        LegalHold.objects.create(
            source=SOURCE, reason=f"{NAME} {number}", placed_by_id=keeper.account_id
        )
    out = io.StringIO()
    call_command("erase", SOURCE, NAME, "--by", "kay", "--dry-run", stdout=out)
    assert out.getvalue().splitlines() == [
        "1 hands have this name.",
        (
            "21 to have a token for the name: legal hold:"
            f" {', '.join(['/retention/'] * 20)} and 1 more"
        ),
        f"1 to have a token for the name: link to a hand: /hands/{hand.pk}/links",
    ]
    assert not Erasure.objects.exists()
    entry = JournalEntry.objects.latest("pk")
    assert (entry.actor, entry.act, entry.source, entry.player) == (
        "kay", "manage-retention", SOURCE, NAME,
    )  # fmt: skip
    err = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("erase", SOURCE, NAME, "--by", "kay", stdout=out, stderr=err)
    assert err.getvalue() == "Say why by --reason, and by what right by --ground.\n"
