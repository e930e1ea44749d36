"""Taking files in: bounded, hashed, cut into chunks; nothing is kept of half a file."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from audit import selectors, services
from audit.models import Chunk, Hand, HandVersion, Refusal, Submission, Upload
from audit.services.payloads import unpack_lines
from audit.services.receiving import file_name
from audit.zstd import unpacked
from tests.audit.logs import BASE_LINES, GOLDEN, B, W, changed, log


def receive(data: bytes, name: str = "hands.ndjson") -> services.Received:
    return services.receive_upload(name=name, stream=io.BytesIO(data))


class HangsUp:
    """A sender who is gone after some bytes."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def read(self, size: int, /) -> bytes:
        piece = self._file.read(min(size, 1000))
        if not piece:
            raise ConnectionResetError(104, "Connection reset by peer")
        return piece


def test_a_file_is_kept_with_its_size_its_hash_and_its_lines_in_chunks(db, settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 2
    lines = [changed(B, hand_id=str(number)) for number in range(5)]
    data = log(*lines[:3]) + b"\n  \n" + log(*lines[3:])
    received = receive(data, "night.ndjson")
    upload = Upload.objects.get()
    assert upload.name == "night.ndjson"
    assert upload.byte_count == received.byte_count == len(data)
    assert upload.sha256 == received.sha256 == hashlib.sha256(data).digest()
    assert upload.line_count == received.lines == 5
    assert upload.state == "queued"
    chunks = list(Chunk.objects.order_by("number"))
    assert [(chunk.number, chunk.first_line, chunk.line_count) for chunk in chunks] == [
        (1, 1, 2),
        (2, 3, 2),
        (3, 7, 1),
    ]
    kept = [line for chunk in chunks for line in unpack_lines(chunk.payload)]
    assert [line.number for line in kept] == [1, 2, 3, 6, 7]
    assert [line.data for line in kept] == lines
    assert [data[line.offset :].split(b"\n")[0] for line in kept] == lines


def test_a_chunk_is_bounded_by_its_bytes_too(db, settings) -> None:
    settings.TILECOURT_CHUNK_BYTES_MAX = 3 * len(B)
    receive(log(B, B, B, B))
    assert list(Chunk.objects.order_by("number").values_list("line_count", flat=True)) == [3, 1]


def test_the_database_packs_no_chunk_once_more(db) -> None:
    """Even where it could: the bytes of a chunk are packed already."""
    receive(log(B))
    Chunk.objects.update(payload=b"x" * 50_000)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_column_size(payload), pg_column_compression(payload) FROM audit_chunk"
        )
        assert cursor.fetchall() == [(50_000, None)]


def test_a_packed_file_is_hashed_as_it_came(db) -> None:
    data = gzip.compress(log(B))
    received = receive(data)
    assert received.sha256 == hashlib.sha256(data).digest()
    assert received.byte_count == len(data)
    assert received.lines == 1


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "No hands found: the file is empty."),
        (b"\n \r\n\t\n", "No hands found: the file holds only blank lines."),
        (b"\xef\xbb\xbf", "No hands found: the file holds only blank lines."),
        (
            b"hello\nworld\n",
            "No hands found: none of its 2 lines is a hand in the format hand-log/1.",
        ),
        (
            B[: len(B) // 2],
            "No hands found. The only line was refused: Input data was truncated.",
        ),
        (
            b'{"format": "hand-log/1", "game": 7}',
            "No hands found. The only line was refused: $.game: Expected `str`.",
        ),
        (
            (GOLDEN / "odd" / "zip-renamed.ndjson").read_bytes(),
            (
                "No hands found. The only line was refused:"
                " a ZIP archive; send the hand log itself, plain, gzip or zstd."
            ),
        ),
    ],
    ids=["empty", "blank", "only a mark", "chat", "half a hand", "a game of 7", "ZIP"],
)
def test_svc_30_31_a_file_without_hands_fails_with_a_sentence_and_may_come_again(
    ingest, data, error
) -> None:
    for _ in range(2):
        row = ingest(data)
        assert row.state == "failed"
        assert row.is_ended
        assert row.error == error
        assert row.audited == row.lines
    assert not Hand.objects.exists()


def test_svc_31_a_picture_named_as_a_log_is_no_success(ingest) -> None:
    row = ingest((GOLDEN / "odd" / "jpeg.ndjson").read_bytes())
    assert row.state == "failed"
    assert row.error.startswith("No hands found. The only line was refused: ")
    assert row.rejected == row.lines > 0


def test_svc_40_a_sender_who_hangs_up_leaves_nothing_and_may_send_again(ingest, settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 10
    data = log(*(changed(B, hand_id=str(number)) for number in range(100)))
    with pytest.raises(services.UploadInterrupted, match=r"^Incomplete upload: after "):
        services.receive_upload(name="cut", stream=HangsUp(data[: len(data) * 6 // 10]))
    cut = Upload.objects.get()
    assert cut.state == "failed"
    assert cut.error.startswith("Incomplete upload: after ")
    assert cut.error.endswith("it broke off (Connection reset by peer).")
    assert cut.line_count == 0
    assert cut.sha256 is None
    assert not Chunk.objects.exists()
    row = ingest(data)
    assert (row.state, row.new, row.duplicates) == ("done", 100, 0)


def test_a_sender_who_hangs_up_leaves_no_refusals_either(db, monkeypatch) -> None:
    monkeypatch.setattr("audit.services.chunking.REFUSALS_AT_ONCE", 1)
    stored: list[bool] = []

    class Watched(HangsUp):
        def read(self, size: int, /) -> bytes:
            stored.append(Refusal.objects.exists())
            return super().read(size)

    with pytest.raises(services.UploadInterrupted):
        services.receive_upload(name="x", stream=Watched(b"x" * 1_048_577 + b"\n" + log(B)))
    assert stored[-1] is True
    assert not Refusal.objects.exists()
    assert Upload.objects.get().rejected_count == 0


def test_the_hash_is_of_the_whole_file_even_where_nothing_more_of_it_is_read(db) -> None:
    data = b"PK\x03\x04" + b"x" * 1_000_000
    received = receive(data)
    assert received.byte_count == len(data)
    assert received.sha256 == hashlib.sha256(data).digest()


def test_a_hang_up_inside_of_a_packed_file_is_no_broken_file(db) -> None:
    data = gzip.compress(log(*(changed(B, hand_id=str(number)) for number in range(500))))
    with pytest.raises(services.UploadInterrupted):
        services.receive_upload(name="cut", stream=HangsUp(data[: len(data) // 2]))
    assert not Refusal.objects.exists()


def test_an_upload_that_was_given_up_meanwhile_is_not_completed(db, settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 1

    class GivenUp(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            Upload.objects.update(touched_at="2020-01-01T00:00:00Z")
            assert services.sweep().given_up in (0, 1)
            return super().read(size)

    with pytest.raises(services.UploadInterrupted):
        services.receive_upload(name="slow", stream=GivenUp(log(B, W)))
    upload = Upload.objects.get()
    assert upload.state == "failed"
    assert upload.error == "Incomplete upload: it did not arrive to its end."
    assert not Chunk.objects.exists()


def test_a_file_over_the_limit_of_bytes_is_refused_whole(db, settings) -> None:
    settings.TILECOURT_UPLOAD_BYTES_MAX = 3000
    with pytest.raises(services.UploadTooLarge) as refused:
        receive(log(B, B, B))
    assert str(refused.value) == "The file is larger than 3000 bytes: send it in parts."
    assert Upload.objects.get().error == str(refused.value)
    assert not Chunk.objects.exists()


def test_a_file_over_the_limit_of_lines_is_refused_whole(db, settings) -> None:
    settings.TILECOURT_UPLOAD_LINES_MAX = 2
    settings.TILECOURT_CHUNK_LINES_MAX = 1
    with pytest.raises(services.UploadTooLarge):
        receive(log(B, B, B))
    assert Upload.objects.get().error == "The file has more than 2 lines: send it in parts."
    assert not Chunk.objects.exists()


def test_svc_35_blanks_without_end_are_refused_at_the_limit(db, settings) -> None:
    settings.TILECOURT_UNPACKED_BYTES_MAX = 400_000
    with pytest.raises(services.UploadTooLarge):
        receive(gzip.compress(b" " * 50_000_000))
    error = Upload.objects.get().error
    assert error == "The file unpacks to more than 400000 bytes: send it in parts."


def test_the_lines_before_a_break_are_kept_and_the_break_is_a_refusal(ingest) -> None:
    row = ingest((GOLDEN / "odd" / "cut.ndjson.gz").read_bytes())
    refusal = Refusal.objects.get()
    assert row.rejected == 1
    assert row.lines == row.hands + 1
    assert refusal.line == row.lines
    assert refusal.place == "$"
    assert refusal.reason.startswith("the stream breaks off: ")
    assert refusal.raw is None
    assert refusal.sha256 is None


def test_a_line_over_the_limit_is_refused_with_its_hash_and_the_rest_goes_on(ingest) -> None:
    long = b"x" * 1_048_577
    row = ingest(log(long, B))
    refusal = Refusal.objects.get()
    assert (row.state, row.clean, row.rejected) == ("done", 1, 1)
    assert (refusal.line, refusal.offset) == (1, 0)
    assert refusal.sha256 == hashlib.sha256(long).digest()
    assert refusal.raw is None


def test_each_refused_line_is_kept_with_place_reason_bytes_and_hash(ingest) -> None:
    bad = changed(B, hand_id="bad", minor_digits=9)
    row = ingest(log(B) + b"\n" + log(bad))
    refusal = Refusal.objects.get()
    assert row.rejected == 1
    assert (refusal.line, refusal.offset) == (3, len(B) + 2)
    assert refusal.place == "$.minor_digits"
    assert unpacked(refusal.raw) == bad
    assert refusal.sha256 == hashlib.sha256(bad).digest()
    assert not refusal.is_our_fault


def test_svc_33_what_the_store_cannot_hold_is_refused_or_kept_exactly(ingest) -> None:
    lines = [changed(B, hand_id=f"n{number}") for number in range(100)]
    lines[49] = changed(B, hand_id="n49", table="a\0b")
    lines[50] = lines[50].replace(b'"n50"', b'"n\\ud800"')
    lines[51] = changed(B, hand_id="n51", ext={"note": "a\0b"})
    row = ingest(log(*lines))
    assert (row.clean, row.rejected, row.new) == (98, 2, 98)
    assert list(Refusal.objects.order_by("line").values_list("line", flat=True)) == [50, 51]
    version = HandVersion.objects.get(line=52)
    assert unpacked(version.raw) == lines[51]


def test_a_place_that_the_store_cannot_hold_is_written_as_an_escape(ingest) -> None:
    ingest(changed(B, **{"a\0b": "x"}) + b"\n" + b'{"\\ud800": 1}')
    places = list(Refusal.objects.order_by("line").values_list("place", "reason"))
    assert len(places) == 2
    assert all("\0" not in place + reason for place, reason in places)


def test_svc_29_the_size_of_the_pieces_changes_nothing(db) -> None:
    data = (GOLDEN / "odd" / "cjk-chunks.ndjson").read_bytes()

    class Drips(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(1 if self.tell() < 5000 else 1000)

    whole = receive(data)
    drips = services.receive_upload(name="drips", stream=Drips(data))
    assert whole.sha256 == drips.sha256
    kept = [
        [
            line
            for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("number")
            for line in unpack_lines(chunk.payload)
        ]
        for received in (whole, drips)
    ]
    assert kept[0] == kept[1]
    assert len(kept[0]) == whole.lines > 1


def test_progress_is_told_while_a_file_is_read(db) -> None:
    heard: list[int] = []
    data = log(*([B] * 200))
    services.receive_upload(name="x", stream=io.BytesIO(data), on_progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == len(data)
    assert len(heard) > 2


def test_svc_52_nothing_is_queued_before_the_commit(db, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        receive(log(B))
    assert len(callbacks) == 1


def test_without_a_broker_the_chunks_wait_in_the_store(
    db, django_capture_on_commit_callbacks, monkeypatch, caplog
) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr("celery.canvas.Signature.apply_async", unreachable)
    with django_capture_on_commit_callbacks(execute=True):
        receive(log(B))
    assert Chunk.objects.get().state == "queued"
    assert [record.message for record in caplog.records] == ["not_queued"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("hands.ndjson", "hands.ndjson"),
        ("/var/log/../hands.ndjson", "hands.ndjson"),
        ("C:\\logs\\hands.ndjson", "hands.ndjson"),
        ("name with spaces 手牌.ndjson", "name with spaces 手牌.ndjson"),
        ("a\0b\nc", "a\ufffdb\ufffdc"),
        ("\udcff.ndjson", "\\udcff.ndjson"),
        ("logs/", "unnamed"),
        ("", "unnamed"),
        ("x" * 300, "x" * 254 + "…"),
    ],
)
def test_file_names_are_shown_without_their_folders(name: str, kept: str) -> None:
    assert file_name(name) == kept


def test_all_four_games_are_taken(ingest) -> None:
    row = ingest(log(*BASE_LINES[:5]))
    assert (row.clean, row.new) == (5, 5)
    assert set(Hand.objects.values_list("game", flat=True)) == {
        json.loads(line)["game"] for line in BASE_LINES[:5]
    }
    players = Hand.objects.get(game="wenzhou-pai-gow").players
    assert players == ["Ann", "Bo"]
    assert selectors.get_upload(row.id, sources=None).state_title == "Done"


KEY = services.SubmissionKey(sender="account:1", key="night")


def left_by_a_killed_receiver(*, seconds_ago: int) -> Upload:
    """An upload that stands under KEY, half received, with its last sign of life so long ago."""
    left = Upload.objects.create(
        name="half", touched_at=timezone.now() - timedelta(seconds=seconds_ago)
    )
    Submission.objects.create(sender=KEY.sender, key=KEY.key, upload=left)
    return left


def test_who_comes_again_takes_the_place_of_a_receiver_that_was_killed(db, settings) -> None:
    settings.TILECOURT_SENDER_SECONDS = 30
    left = left_by_a_killed_receiver(seconds_ago=61)
    received = services.receive_upload(name="all", stream=io.BytesIO(log(B)), key=KEY)
    left.refresh_from_db()
    assert (left.state, left.error) == (
        "failed",
        "Incomplete upload: whoever took it in was stopped.",
    )
    assert Submission.objects.get().upload_id == received.upload_id != left.pk


def test_a_receiver_that_lately_gave_a_sign_of_life_keeps_its_place(db, settings) -> None:
    settings.TILECOURT_SENDER_SECONDS = 3_000
    left = left_by_a_killed_receiver(seconds_ago=5_500)
    with pytest.raises(services.SubmissionInProgress):
        services.receive_upload(name="all", stream=io.BytesIO(log(B)), key=KEY)
    left.refresh_from_db()
    assert left.state == "receiving"
    assert list(Upload.objects.all()) == [left]


def test_a_receiver_whose_place_was_taken_takes_nothing(db) -> None:
    class Late(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            Upload.objects.update(touched_at=timezone.now() - timedelta(days=1))
            if not taken:
                taken.append(services.receive_upload(name="2", stream=io.BytesIO(log(B)), key=KEY))
            return super().read(size)

    taken: list[services.Received] = []
    with pytest.raises(services.UploadInterrupted):
        services.receive_upload(name="1", stream=Late(log(B)), key=KEY)
    assert Submission.objects.get().upload_id == taken[0].upload_id
    assert Chunk.objects.get().upload_id == taken[0].upload_id


def test_a_receiver_at_work_gives_signs_of_life(db, monkeypatch) -> None:
    monkeypatch.setattr("audit.services.arriving.BEAT_SECONDS", 0)
    long_ago = timezone.now() - timedelta(days=1)
    seen = []

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            seen.append(Upload.objects.get().touched_at)
            Upload.objects.update(touched_at=long_ago)
            return super().read(10)

    services.receive_upload(name="slow", stream=Slow(b" " * 25))
    assert len(seen) > 2
    assert all(one > long_ago for one in seen)
