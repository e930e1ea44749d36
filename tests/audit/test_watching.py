"""The watched folder: what counts as complete, that each file is taken once, where it goes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from audit import services
from audit.management import watching
from audit.management.watching import LOCK, REASON, Busy, Folder, watch
from audit.models import Chunk, Hand, JournalEntry, Submission, Upload
from tests.audit.logs import GOLDEN, B, W, changed, log

LONG_AGO = 1_700_000_000


class Watched:
    """A folder, a watcher on it and what it said; `stopping` is what it is told when it asks."""

    def __init__(self, path: Path, quiet: float = 10.0) -> None:
        self.path = path
        self.said: list[str] = []
        self.stopping = False
        self.folder = Folder(
            path=path, quiet=quiet, say=self.said.append, is_stopping=lambda: self.stopping
        )
        self.folder.prepare()

    def again(self) -> Watched:
        """The same folder after a restart."""
        return Watched(self.path, self.folder.quiet)

    def lay(self, name: str, data: bytes, *, at: float | None = LONG_AGO) -> Path:
        """Move a file in that was last written at this time, or a moment ago."""
        path = self.path / name
        path.write_bytes(data)
        if at is not None:
            os.utime(path, (at, at))
        return path

    def names(self) -> dict[str, list[str]]:
        """What lies where, without the lock."""
        return {
            where: sorted(path.name for path in (self.path / where).iterdir() if path.is_file())
            for where in ("", "done", "refused")
        }


@pytest.fixture
def watched(db: Any, tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def judge() -> None:
    for chunk in Chunk.objects.filter(state="queued").order_by("id"):
        services.judge_chunk(chunk_id=chunk.pk)


def test_a_file_is_taken_in_and_moved_to_done_when_it_has_its_end(watched: Watched) -> None:
    watched.lay("night.ndjson", log(B, W))
    assert watched.folder.look() == 1
    assert Upload.objects.get().name == "night.ndjson"
    (entry,) = JournalEntry.objects.filter(act="upload")
    assert (entry.actor, entry.act) == ("tilecourt", "upload")
    assert entry.subject == "command watch night.ndjson"
    assert watched.names() == {"": ["night.ndjson"], "done": [], "refused": []}
    assert watched.folder.look() == 1
    judge()
    assert watched.folder.look() == 0
    assert watched.names() == {"": [], "done": ["night.ndjson"], "refused": []}
    assert Upload.objects.count() == 1
    (said,) = watched.said
    upload = Upload.objects.get().pk
    assert said == f"night.ndjson → done/night.ndjson: Upload {upload}: 2 lines: 2 clean."


def test_lines_that_were_rejected_are_told_beside_the_file(watched: Watched) -> None:
    watched.lay("a.ndjson", log(B, b"junk"))
    watched.folder.look()
    judge()
    watched.folder.look()
    assert watched.names()["done"] == ["a.ndjson", "a.ndjson" + REASON]
    reason = (watched.path / "done" / ("a.ndjson" + REASON)).read_text()
    assert reason == f"Upload {Upload.objects.get().pk}: 2 lines: 1 clean, 1 rejected.\n"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "No hands found: the file is empty."),
        (
            b"hello\nworld\n",
            "No hands found: none of its 2 lines is a hand in the format hand-log/1.",
        ),
        (
            (GOLDEN / "odd" / "zip-renamed.ndjson").read_bytes(),
            (
                "No hands found. The only line was refused: a ZIP archive;"
                " send the hand log itself, plain, gzip or zstd."
            ),
        ),
    ],
    ids=["empty", "chat", "ZIP"],
)
def test_svc_31_a_file_without_hands_goes_to_refused_with_the_reason(
    watched: Watched, data: bytes, sentence: str
) -> None:
    watched.lay("a.ndjson", data)
    watched.folder.look()
    judge()
    watched.folder.look()
    assert watched.names() == {"": [], "done": [], "refused": ["a.ndjson", "a.ndjson" + REASON]}
    reason = (watched.path / "refused" / ("a.ndjson" + REASON)).read_text(encoding="utf-8")
    assert reason == f"Upload {Upload.objects.get().pk}: {sentence}\n"


def test_a_file_over_a_limit_goes_to_refused_at_once(watched: Watched, settings: Any) -> None:
    settings.TILECOURT_UPLOAD_BYTES_MAX = 100
    watched.lay("large.ndjson", log(B))
    assert watched.folder.look() == 0
    assert watched.names()["refused"] == ["large.ndjson", "large.ndjson" + REASON]
    reason = (watched.path / "refused" / ("large.ndjson" + REASON)).read_text()
    assert reason == "The file is larger than 100 bytes: send it in parts.\n"


def test_a_name_that_is_there_already_is_not_overwritten(watched: Watched) -> None:
    for number in range(3):
        watched.lay("a.ndjson", log(changed(B, hand_id=str(number))), at=LONG_AGO + number)
        watched.folder.look()
        judge()
        watched.folder.look()
    assert watched.names()["done"] == ["a.2.ndjson", "a.3.ndjson", "a.ndjson"]
    assert Hand.objects.count() == Upload.objects.count() == 3


@pytest.mark.parametrize(
    "name", ["a" * 247 + ".ndjson", "手" * 82 + ".ndjson", ".".join(("x", "y" * 250))]
)
def test_a_name_that_leaves_no_room_for_the_reason_is_cut(watched: Watched, name: str) -> None:
    for _ in range(2):
        watched.lay(name, log(b"junk", B))
        watched.folder.look()
        judge()
        assert watched.folder.look() == 0
    names = watched.names()
    assert names[""] == []
    files = [one for one in names["done"] if not one.endswith(REASON)]
    assert len(files) == 2
    assert sorted(names["done"]) == sorted([*files, *(one + REASON for one in files)])
    assert {one[0] for one in files} == {name[0]}


def test_the_same_bytes_laid_down_again_are_an_upload_of_duplicates(watched: Watched) -> None:
    for number in range(2):
        watched.lay("a.ndjson", log(B), at=LONG_AGO + number)
        watched.folder.look()
        judge()
        watched.folder.look()
    assert Hand.objects.count() == 1
    assert list(Upload.objects.order_by("id").values_list("duplicate_count", flat=True)) == [0, 1]


# -- complete or not ------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], float]:
    """Let time go by for the watcher; gives the time that it is then."""
    now = [1000.0, time.time()]

    def passes(seconds: float) -> float:
        now[0] += seconds
        now[1] += seconds
        return now[1]

    monkeypatch.setattr(watching.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(watching.time, "time", lambda: now[1])
    return passes


def test_a_file_that_grows_is_left_until_it_has_been_quiet(
    watched: Watched, clock: Callable[[float], float]
) -> None:
    path = watched.lay("a.ndjson", log(B), at=None)
    for _ in range(5):
        watched.folder.look()
        with path.open("ab") as file:
            file.write(log(W))
        now = clock(6)
        os.utime(path, (now, now))
    watched.folder.look()
    assert not Upload.objects.exists()
    clock(9.9)
    watched.folder.look()
    assert not Upload.objects.exists()
    clock(0.2)
    watched.folder.look()
    assert Upload.objects.get().line_count == 6


def test_a_file_whose_time_lies_ahead_is_watched_by_our_own_clock(
    watched: Watched, clock: Callable[[float], float]
) -> None:
    watched.lay("a.ndjson", log(B), at=time.time() + 86_400)
    watched.folder.look()
    clock(9.9)
    assert watched.folder.look() == 1
    assert not Upload.objects.exists()
    clock(0.2)
    watched.folder.look()
    assert Upload.objects.get().line_count == 1


@pytest.mark.parametrize("name", [".a.ndjson", "a.ndjson.part", "a.tmp", "a.PARTIAL", "a.ndjson~"])
def test_names_of_unfinished_files_are_left_alone(watched: Watched, name: str) -> None:
    watched.lay(name, log(B))
    assert watched.folder.look() == 0
    assert not Upload.objects.exists()


def test_links_folders_and_pipes_are_left_alone(watched: Watched, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.ndjson"
    outside.write_bytes(log(B))
    (watched.path / "link.ndjson").symlink_to(outside)
    (watched.path / "folder.ndjson").mkdir()
    os.mkfifo(watched.path / "pipe.ndjson")
    assert watched.folder.look() == 0
    assert not Upload.objects.exists()
    assert outside.exists()


def test_a_file_that_changes_while_it_is_read_is_taken_later_and_whole(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = watched.lay("a.ndjson", log(B))
    opened = watching.open_plain

    def appended(place: Path) -> Any:
        with place.open("ab") as file:
            file.write(log(W))
        os.utime(place, (LONG_AGO + 1, LONG_AGO + 1))
        return opened(place)

    with monkeypatch.context() as patch:
        patch.setattr(watching, "open_plain", appended)
        assert watched.folder.look() == 1
    assert path.exists()
    assert not Chunk.objects.exists()
    assert watched.said[0].endswith("it broke off (the file changed while it was read).")
    watched.folder.look()
    judge()
    assert watched.folder.look() == 0
    assert watched.names()["done"] == ["a.ndjson"]
    assert (Hand.objects.count(), Chunk.objects.count()) == (2, 1)


# -- restarts -------------------------------------------------------------------------------


def test_a_restart_takes_nothing_twice(watched: Watched) -> None:
    watched.lay("a.ndjson", log(B))
    watched.folder.look()
    second = watched.again()
    second.folder.look()
    judge()
    third = watched.again()
    assert third.folder.look() == 0
    assert third.names()["done"] == ["a.ndjson"]
    assert Upload.objects.count() == 1


def test_what_a_kill_left_half_taken_is_given_up_and_taken_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.lay("a.ndjson", log(B, W))
    with monkeypatch.context() as patch:
        # A kill runs no clean-up.
        patch.setattr("audit.services.receiving.discard_upload", lambda *_: False)
        patch.setattr("audit.services.receiving._close", killed)
        with pytest.raises(KeyboardInterrupt):
            watched.folder.look()
    left = Upload.objects.get()
    assert (left.state, Chunk.objects.count()) == ("receiving", 1)
    again = watched.again()
    again.folder.look()
    judge()
    again.folder.look()
    left.refresh_from_db()
    assert (left.state, left.error) == (
        "failed",
        "Incomplete upload: whoever took it in was stopped.",
    )
    assert (Hand.objects.count(), Chunk.objects.count()) == (2, 1)
    assert Submission.objects.get().upload.state == "done"
    assert again.names()["done"] == ["a.ndjson"]


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_asked_to_stop_it_leaves_the_file_it_reads_for_the_next_start(watched: Watched) -> None:
    watched.lay("a.ndjson", log(B))
    watched.lay("b.ndjson", log(W))
    asked = iter([False, True])
    watched.folder.is_stopping = lambda: next(asked, True)
    watched.folder.look()
    assert Upload.objects.get().state == "failed"
    assert not Chunk.objects.exists()
    assert watched.said == []
    again = watched.again()
    again.folder.look()
    judge()
    again.folder.look()
    assert again.names()["done"] == ["a.ndjson", "b.ndjson"]
    assert Hand.objects.count() == 2


def test_what_cannot_be_read_or_moved_is_said_once(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(watching, "open_plain", forbidden)
    watched.lay("a.ndjson", log(B))
    assert [watched.folder.look() for _ in range(3)] == [0, 0, 0]
    assert watched.said == ["a.ndjson: Permission denied; it stays where it is."]


def test_while_the_store_is_gone_the_files_wait(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.lay("a.ndjson", log(B))
    looks = []

    def gone(_: Folder) -> int:
        looks.append(1)
        watched.stopping = len(looks) == 3
        raise OperationalError("gone")

    monkeypatch.setattr(Folder, "look", gone)
    monkeypatch.setattr(watching, "close_old_connections", lambda: None)
    watch(watched.folder, lambda: None, is_once=True)
    assert watched.said == ["The store cannot be reached: the files wait."]
    assert watched.names()[""] == [LOCK, "a.ndjson"]


def test_a_second_watcher_is_turned_away(watched: Watched) -> None:
    with watched.folder.only_one():
        with pytest.raises(Busy, match="Another watcher has "):
            watch(watched.again().folder, lambda: None, is_once=True)
        with pytest.raises(CommandError, match="Another watcher has "):
            call_command("watch", str(watched.path), "--once")


def test_a_folder_that_is_not_there_is_told(db: Any, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is no folder"):
        call_command("watch", str(tmp_path / "nothing"))
