"""A bundle stands without us: what was touched is named, what is right is accepted."""

from __future__ import annotations

import io
import json
import re
import struct
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from django.core.management import call_command
from django.db import connection

from audit.models import CaseHand, Comparison, Hand, HandVersion, JournalEntry, Table, TreeHead
from audit.selectors.seal_keys import read_keys
from audit.services import compare_table
from audit.services.bundling import (
    BundleRefused,
    bundle_case,
    bundle_hand,
    bundle_table_day,
)
from audit.services.desk import gather_cases
from audit.services.sealing import seal
from replay.evidence import PrivateKey, touched, verify_bundle
from replay.evidence.archive import Member, members_by_headers, pack, regions
from replay.evidence.bundle import Manifest, listed, manifest_text
from tests.audit.chains import golden
from tests.audit.logs import B, changed, log, void, with_net
from tests.audit.seals import ingest_all_kinds

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


@pytest.fixture
def bundle(ingest) -> bytes:
    """A hand with two versions, a duplicate, a restatement and findings."""
    ingest_all_kinds(ingest)
    hand = Hand.objects.filter(restatements__isnull=False).order_by("pk").first()
    return bundle_hand(hand_id=hand.pk, sources=None).data


@pytest.fixture
def small(ingest) -> bytes:
    """The smallest bundle: a void hand, which has no steps but the first and no settlement."""
    ingest(log(void(B)))
    return bundle_hand(hand_id=Hand.objects.get().pk, sources=None).data


def problems(data: bytes, *keys) -> list[str]:
    return [str(problem) for problem in verify_bundle(data, keys).problems]


def members(data: bytes) -> dict[str, bytes]:
    return {member.name: member.data for member in members_by_headers(data)}


def with_member(data: bytes, name: str, content: bytes) -> bytes:
    """The same file with another content of one member, well packed."""
    return pack(
        [
            Member(one.name, content if one.name == name else one.data)
            for one in members_by_headers(data)
        ]
    )


def test_every_hand_of_the_store_makes_a_bundle_that_is_accepted(ingest):
    ingest_all_kinds(ingest)
    for chain in (golden("banker-pai-gow", "continuity"), golden("wenzhou-pai-gow", "continuity")):
        ingest(log(*chain[:6]))
    for table in Table.objects.all():
        while compare_table(table_id=table.pk):
            pass
    assert Comparison.objects.filter(earlier__isnull=False).exists()
    key = None
    for hand in Hand.objects.all():
        made = bundle_hand(hand_id=hand.pk, sources=None)
        key = key or read_keys().public[0]
        verified = verify_bundle(made.data, [key])
        assert verified.problems == (), hand
        assert verified.notes == ()
        assert verified.signer == key
        assert len(verified.checked) == 6
        assert made.name == f"hand-{hand.pk}.zip"


def test_it_holds_what_it_should(bundle):
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        found = {name: archive.read(name) for name in names}
    hand = Hand.objects.filter(restatements__isnull=False).order_by("pk").first()
    versions = HandVersion.objects.filter(hand=hand)
    records = {f"records/{bytes(one.sha256).hex()}.json" for one in versions}
    assert [name for name in names if "/" not in name] == [
        "manifest.note", "README.txt", "verdicts.ndjson", "custody.ndjson", "accounts.json",
        "salts.json", "steps.ndjson", "proofs.json", "report.html",
    ]  # fmt: skip
    assert {name for name in names if name.startswith("records/")} >= records
    assert sum(name.startswith("rulesets/") for name in names) == 1
    custody = [json.loads(line) for line in found["custody.ndjson"].splitlines()]
    assert {one["leaf"] for one in custody} == {
        "hand-version/2", "duplicate/2", "restatement/1", "upload/2",
    }  # fmt: skip
    assert {one["account"] for one in custody if one["leaf"] == "upload/2"} == {
        None, *(int(account) for account in json.loads(found["accounts.json"])),
    }  # fmt: skip
    assert list(json.loads(found["accounts.json"]).values()) == ["ann"]
    steps = [json.loads(line) for line in found["steps.ndjson"].splitlines()]
    assert {step["record"] for step in steps} <= {re.search(r"\w{64}", name)[0] for name in records}
    report = found["report.html"].decode()
    assert "<script" not in report
    assert "http" not in report
    assert f"<title>Hand {hand.hand_id} of {hand.source}</title>" in report
    assert "ann (account" in report


def test_the_same_hand_gives_the_same_bytes(ingest):
    ingest(log(B))
    hand = Hand.objects.get()
    first = bundle_hand(hand_id=hand.pk, sources=None).data
    assert bundle_hand(hand_id=hand.pk, sources=None).data == first
    ingest(log(changed(B, hand_id="later")))
    # What is sealed already needs no newer head.
    assert bundle_hand(hand_id=hand.pk, sources=None).data == first
    seal()
    later = bundle_hand(hand_id=hand.pk, sources=None).data
    assert later != first
    one, other = members(first), members(later)
    assert {name for name in one if one[name] != other[name]} == {
        "manifest.note", "proofs.json", "report.html",
    }  # fmt: skip
    assert verify_bundle(later).is_accepted
    proofs = json.loads(other["proofs.json"])
    assert proofs["consistency"] != []
    assert proofs["head"] == TreeHead.objects.order_by("size").first().note


def test_no_byte_can_be_touched_unseen(small, monkeypatch):
    """Each byte in turn, another bit each time; the search for a single byte has its own test."""
    monkeypatch.setattr(touched, "_single_change", lambda *_: None)
    assert problems(small) == []
    place = 0
    for region in regions(members_by_headers(small)):
        for at in range(region.start, region.end):
            spoilt = bytearray(small)
            spoilt[at] ^= 1 << place % 8
            place += 1
            found = problems(bytes(spoilt))
            assert found, region
            assert any(words.startswith(f"{region.name}: ") for words in found), (region, found)
    assert place == len(small)


def test_a_single_byte_is_found_exactly(bundle):
    step = 397
    for region in regions(members_by_headers(bundle)):
        if region.name == "manifest.note" and region.what == "content":
            continue
        for at in range(region.start, region.end, step):
            spoilt = bytearray(bundle)
            spoilt[at] ^= 0x20
            (words,) = problems(bytes(spoilt))
            inside = at - region.start
            if region.what == "content":
                assert words == f"{region.name}: it was touched at byte {inside:,}"
            else:
                assert words == (
                    f"{region.name}: its {region.what} was touched, byte {inside} of it"
                    f" (byte {at:,} of the file)"
                )


def test_a_byte_of_the_manifest_is_found_where_the_members_tell_it(bundle):
    data, exact = members(bundle)["manifest.note"], 0
    for at in range(data.index(b'"members"') + 20, data.index(b"]}", -400), 53):
        spoilt = bytearray(data)
        spoilt[at] = 0x30 if spoilt[at] != 0x30 else 0x31
        (words, *_) = problems(with_member(bundle, "manifest.note", bytes(spoilt)))
        named = re.fullmatch(r"manifest.note: it was touched(?: at byte ([\d,]+)|: .*)", words)
        assert named, words
        if named[1]:
            assert named[1] == f"{at:,}"
            exact += 1
    assert exact > 50


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data + b"x",
        lambda data: b"x" + data,
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:100] + data[101:],
        lambda data: data + data,
    ],
)
def test_more_or_fewer_bytes_are_never_accepted(bundle, spoil):
    assert problems(spoil(bundle))


def repacked(data: bytes, key: PrivateKey, **contents: bytes) -> bytes:
    """A bundle whose manifest was made anew by a forger who has the maker's key, or his own."""
    changed_to = {name.replace("__", "."): content for name, content in contents.items()}
    old = members_by_headers(data)
    new = [Member(one.name, changed_to.get(one.name, one.data)) for one in old[1:]]
    manifest = msgspec.json.decode(old[0].data.partition(b"\n")[0], type=Manifest)
    manifest = msgspec.structs.replace(
        manifest,
        members=[listed(one) for one in new],
        keys=[str(key.public), *(one for one in manifest.keys if one != str(key.public))],
    )
    note = key.sign(manifest_text(manifest))
    return pack([Member("manifest.note", note.encode()), *new])


def test_a_forger_with_another_key_is_told_when_the_key_is_known(bundle):
    key = read_keys().public[0]
    forger = PrivateKey.make(key.name)
    forged = repacked(bundle, forger)
    assert verify_bundle(forged).signer == forger.public
    assert verify_bundle(forged).is_own_key
    (words,) = problems(forged, key)
    assert words.startswith("manifest.note: ")
    assert "signed by another key" in words


def test_whoever_signs_cannot_say_what_the_log_does_not(bundle):
    """Even with the key a verdict, a record or a file cannot be another one: the proofs fail."""
    key = read_keys().private
    inside = members(bundle)
    verdicts = inside["verdicts.ndjson"].replace(b'"kind":"clean"', b'"kind":"void"')
    found = problems(repacked(bundle, key, verdicts__ndjson=verdicts))
    assert any(
        words.startswith("verdicts.ndjson: line 1 (verdict/2) does not stand") for words in found
    )
    custody = inside["custody.ndjson"].replace(b'"account":', b'"account":1')
    found = problems(repacked(bundle, key, custody__ndjson=custody))
    assert found
    assert all(re.search(r"upload/2|not written|line \d+", words) for words in found)
    (record,) = [name for name in inside if name.startswith("records/")][:1]
    forged = repacked(bundle, key, **{record: inside[record].replace(b"1", b"2", 1)})
    assert any("its record is not in the bundle" in words for words in problems(forged))
    report = inside["report.html"].replace(b"ann", b"eve")
    (words,) = problems(repacked(bundle, key, report__html=report))
    at = inside["report.html"].index(b"ann")
    assert words.startswith(f"report.html: byte {at:,} (line ")
    (words,) = problems(repacked(bundle, key, README__txt=b"trust me\n"))
    assert words.startswith("README.txt: byte 0 (line 1) differs from what the engine makes")
    (words,) = problems(repacked(bundle, key, steps__ndjson=b""))
    assert words.startswith("steps.ndjson: byte 0 ")


def test_a_verdict_that_the_engine_does_not_reach_is_named_with_its_byte(ingest):
    """Sealed, signed and proven, and still not what the record gives."""
    ingest(log(B))
    with connection.cursor() as cursor:
        cursor.execute(
            "SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL session_replication_role = replica"
        )
        cursor.execute(
            "UPDATE audit_verdict"
            " SET settlement = jsonb_set(settlement, '{seats,0,net}', '\"9.99\"')"
        )
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    data = bundle_hand(hand_id=Hand.objects.get().pk, sources=None).data
    (words,) = problems(data)
    at = members(data)["verdicts.ndjson"].index(b"9.99")
    assert words.startswith("verdicts.ndjson: byte ")
    named = int(re.search(r"byte ([\d,]+)", words)[1].replace(",", ""))
    assert at <= named < at + 4


def test_a_verdict_of_another_engine_is_believed_by_its_proof_alone(ingest):
    ingest(log(with_net(B, 1, "0.00")))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_verdict (version_id, ruleset, ruleset_sha256, engine, kind, digest)"
            " SELECT version_id, ruleset, ruleset_sha256, '0.9.0', 'void', digest"
            " FROM audit_verdict"
        )
    verified = verify_bundle(bundle_hand(hand_id=Hand.objects.get().pk, sources=None).data)
    assert verified.problems == ()
    assert len(verified.notes) == 1
    assert verified.notes[0].startswith("verdicts by engine 0.9.0 were not made again")


def test_a_feed_or_a_missing_ruleset_is_refused(ingest, monkeypatch):
    ingest(log(B))
    hand = Hand.objects.get()
    monkeypatch.setattr("audit.services.bundling.current_rulesets", list)
    with pytest.raises(BundleRefused, match="is not at hand"):
        bundle_hand(hand_id=hand.pk, sources=None)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE audit_upload SET feed = 'ky-730'")
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    with pytest.raises(BundleRefused, match="of an operator's feed"):
        bundle_hand(hand_id=hand.pk, sources=None)


def test_the_command_and_the_verifier_without_django(ingest, tmp_path):
    ingest(log(B))
    seal()
    out = io.StringIO()
    path = tmp_path / "b.zip"
    hand = Hand.objects.get()
    call_command("bundle", hand.source, hand.hand_id, "--output", str(path), stdout=out)
    assert out.getvalue() == f"{path}: {path.stat().st_size:,} bytes\n"
    key = str(read_keys().public[0])
    done = run_verify(str(path), "--key", key)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path}: accepted\n")
    assert done.stdout.splitlines()[-1] == f"  key    {key}"
    data = bytearray(path.read_bytes())
    data[data.index(b'"hand_id"')] ^= 1
    path.write_bytes(data)
    done = run_verify(str(path))
    assert (done.returncode, done.stderr) == (1, "")
    assert re.match(
        rf"{path}: NOT ACCEPTED\n  wrong  \S+: it was touched at byte [\d,]+\n", done.stdout
    )
    assert run_verify(str(tmp_path / "none.zip")).returncode == 2
    with pytest.raises(SystemExit):
        call_command("bundle", "nobody", "nothing", stderr=io.StringIO())


def run_verify(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it where neither Django nor a database could be imported or reached."""
    script = (
        "import sys\n"
        "for name in ('django', 'psycopg', 'celery', 'audit', 'socket'): sys.modules[name] = None\n"
        "from replay.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", script, "verify", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PATH": ""},
    )


def test_headers_that_lie_do_not_break_the_reader(small):
    """Sizes and offsets of any value, in each field of each header."""
    for region in regions(members_by_headers(small)):
        if region.what == "content":
            continue
        for at in range(region.start, region.end - 4):
            for value in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
                spoilt = bytearray(small)
                struct.pack_into("<L", spoilt, at, value)
                if spoilt != small:
                    assert problems(bytes(spoilt))


def run_bundle(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("bundle", *arguments, stdout=out, stderr=err)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_a_table_day_is_one_bundle(ingest, tmp_path):
    chain = golden("tien-gow", "continuity-gaps")
    ingest(log(*chain, changed(chain[0], hand_id="elsewhere", table="another")))
    for table in Table.objects.all():
        while compare_table(table_id=table.pk):
            pass
    places = Counter(Hand.objects.values_list("source", "table"))
    ((source, table), _), *_ = places.most_common()
    hand = Hand.objects.filter(source=source, table=table).earliest("played_at")
    heard = []
    made = bundle_table_day(
        source=hand.source,
        table=hand.table,
        day=hand.played_on,
        on_progress=lambda *told: heard.append(told),
    )
    of_day = Hand.objects.filter(source=hand.source, table=hand.table, played_on=hand.played_on)
    assert 1 < of_day.count() < Hand.objects.count()
    assert heard[-1] == (of_day.count(), of_day.count())
    verified = verify_bundle(made.data, read_keys().public)
    assert verified.problems == ()
    verdicts = [json.loads(line) for line in members(made.data)["verdicts.ndjson"].splitlines()]
    judged = {one["hand_id"] for one in verdicts if one["leaf"] == "verdict/2"}
    assert judged == set(of_day.values_list("hand_id", flat=True))
    assert {one["leaf"] for one in verdicts} >= {"comparison/2", "comparison-finding/2"}
    path = tmp_path / "day.zip"
    day = hand.played_on.isoformat()
    status, _, words = run_bundle(
        hand.source, "--table", hand.table, "--day", day, "--output", str(path)
    )
    assert (status, words, path.read_bytes()) == (0, "", made.data)
    spoilt = bytearray(made.data)
    spoilt[len(spoilt) // 3] ^= 1
    assert len(problems(bytes(spoilt))) == 1
    assert run_bundle(hand.source, "--table", "none", "--day", day)[0] == 1


def test_a_case_is_one_bundle(ingest, tmp_path):
    lines = [with_net(changed(B, hand_id=f"wrong-{number}"), 1, "-99.00") for number in range(3)]
    ingest(log(*lines, B))
    while not gather_cases().is_done:
        pass
    case = CaseHand.objects.filter(left_at=None).values_list("case_id", flat=True).first()
    made = bundle_case(case_id=case)
    assert verify_bundle(made.data).problems == ()
    verdicts = [json.loads(line) for line in members(made.data)["verdicts.ndjson"].splitlines()]
    judged = {one["hand_id"] for one in verdicts if one["leaf"] == "verdict/2"}
    standing = CaseHand.objects.filter(case_id=case, left_at=None)
    assert judged == set(standing.values_list("hand__hand_id", flat=True))
    assert len(judged) == 3
    path = tmp_path / "case.zip"
    assert run_bundle("--case", str(case), "--output", str(path))[0] == 0
    assert path.read_bytes() == made.data
    assert run_bundle("--case", "999999") == (1, "", "There is no such hand.\n")
    for wrong in (
        (),
        ("x",),
        ("--case", "1", "x", "y"),
        ("x", "--table", "t"),
        ("x", "y", "--table", "t"),
    ):
        assert run_bundle(*wrong)[0] == 64


def test_a_bundle_that_a_command_makes_is_in_the_journal(ingest, tmp_path):
    ingest(log(B))
    hand = Hand.objects.get()
    where = ("--output", str(tmp_path / "b.zip"))
    assert run_bundle(hand.source, hand.hand_id, *where)[0] == 0
    day = hand.played_on.isoformat()
    assert run_bundle(hand.source, "--table", hand.table, "--day", day, *where)[0] == 0
    assert run_bundle(hand.source, "nothing", *where)[0] == 1
    kept = JournalEntry.objects.order_by("id").values_list(
        "actor", "act", "subject", "source", "hand"
    )
    assert list(kept) == [
        ("tilecourt", "export", f"command bundle hand:{hand.pk}", hand.source, hand.pk),
        ("tilecourt", "export", f"command bundle table:{hand.table} day:{day}", hand.source, None),
    ]


def test_too_many_hands_are_refused(ingest, monkeypatch):
    ingest(log(B, changed(B, hand_id="B2")))
    hand = Hand.objects.first()
    monkeypatch.setattr("audit.services.bundling.HANDS_MAX", 1)
    with pytest.raises(BundleRefused, match="more than 1 hands"):
        bundle_table_day(source=hand.source, table=hand.table, day=hand.played_on)
