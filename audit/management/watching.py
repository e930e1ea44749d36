"""A folder whose files are taken in, each once.

A file stays where it is until its upload has its end, then it goes to `done/` or `refused/`; what
has been taken in is known by a key of the file in the store, so that a restart takes nothing twice
and loses nothing. Nothing else than the watcher moves files there, and one watches at a time.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.db import InterfaceError, OperationalError, close_old_connections

from audit import selectors, services
from audit.management.counts import counts_of
from audit.management.taking import note_taking

logger = logging.getLogger(__name__)

SENDER = "watch"
DONE, REFUSED = "done", "refused"
REASON = ".reason.txt"
# What file systems take for a name.
NAME_BYTES_MAX = 255
LOCK = ".tilecourt-watch"
# Names by which programs mark what they are still writing.
UNFINISHED = (".part", ".partial", ".tmp", ".temp", ".filepart", ".crdownload", "~")


class Stopping(OSError):
    """We were asked to end while a file was being read."""


class Busy(Exception):
    """Another watcher has the folder."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What tells that a file is the same and unchanged."""

    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> Looks:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(slots=True)
class Folder:
    """A watched folder. `quiet` is for how many seconds a file must not have changed.

    `say` hears a sentence for each file that has come to its end; `is_stopping` is asked often.
    """

    path: Path
    quiet: float
    say: Callable[[str], None]
    is_stopping: Callable[[], bool]
    _seen: dict[str, tuple[Looks, float]] = field(default_factory=dict)
    _stuck: dict[str, Looks] = field(default_factory=dict)

    def prepare(self) -> None:
        """Raises: OSError when the folders cannot be made."""
        for name in (DONE, REFUSED):
            (self.path / name).mkdir(exist_ok=True)

    @contextmanager
    def only_one(self) -> Iterator[None]:
        """Hold the folder, which is let go with the process however that ends. Raises: Busy."""
        with (self.path / LOCK).open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"Another watcher has {self.path}.") from None
            yield

    def look(self) -> int:
        """Take in what is complete, put away what has its end; gives how many files are left that
        we can do something with.

        Raises: OperationalError, InterfaceError when the store cannot be reached.
        """
        waiting = 0
        found = dict(sorted(self._files()))
        self._seen = {name: seen for name, seen in self._seen.items() if name in found}
        for name, looks in found.items():
            if self.is_stopping():
                break
            if self._stuck.get(name) == looks:
                continue
            waiting += 1
            if not self._is_complete(name, looks):
                continue
            try:
                waiting -= self._tend(name, looks)
            except FileNotFoundError:
                waiting -= 1
            except OSError as error:
                # It cannot be read or moved: said once, and tried again when it has changed.
                self._stuck[name] = looks
                waiting -= 1
                self.say(f"{name}: {error.strerror or error}; it stays where it is.")
        return waiting

    def _files(self) -> Iterator[tuple[str, Looks]]:
        """Plain files of the folder itself that are not marked as unfinished."""
        with os.scandir(self.path) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name.lower().endswith(UNFINISHED):
                    continue
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if stat.S_ISREG(found.st_mode):
                    yield entry.name, Looks.of(found)

    def _is_complete(self, name: str, looks: Looks) -> bool:
        """Whether a file was moved in whole, or has not changed for the quiet time.

        A file that was last written long ago was moved in (or lay here before we came). One whose
        time says now, or lies ahead, is watched by our own clock.
        """
        now = time.monotonic()
        seen = self._seen.get(name)
        if seen is None or seen[0] != looks:
            self._seen[name] = (looks, now)
            return self.quiet <= time.time() - looks.modified_ns / 1e9
        return now - seen[1] >= self.quiet or (self.quiet <= time.time() - looks.modified_ns / 1e9)

    def _tend(self, name: str, looks: Looks) -> bool:
        """Do what is next for a complete file; tells whether it has left the folder."""
        key = services.SubmissionKey(sender=SENDER, key=self._key(name, looks))
        row = selectors.upload_of_key(sender=key.sender, key=key.key)
        if row is not None and row.state == "receiving":
            # Only we use this key, so it was us before a kill.
            services.give_up_upload(key)
            row = None
        if row is None or (row.state == "failed" and row.sha256 is None):
            try:
                row = self._take(name, looks, key)
            except services.UploadTooLarge as error:
                self._put_away(name, REFUSED, str(error))
                return True
            except services.UploadInterrupted as error:
                if not self.is_stopping():
                    logger.info("watched_file_not_whole")
                    self._seen.pop(name, None)
                    self.say(f"{name}: {error}")
                return False
        if not row.is_ended:
            return False
        if row.state == "failed":
            self._put_away(name, REFUSED, f"Upload {row.id}: {row.error}")
        else:
            self._put_away(name, DONE, summary(row), has_reason=bool(row.rejected or row.failed))
        return True

    def _key(self, name: str, looks: Looks) -> str:
        """A name for just this file: another one of the same name gets another."""
        told = f"{self.path}\0{name}\0{looks.inode}\0{looks.size}\0{looks.modified_ns}"
        return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()

    def _take(self, name: str, looks: Looks, key: services.SubmissionKey) -> selectors.UploadRow:
        with open_plain(self.path / name) as file:
            steady = Steady(file, looks, self.is_stopping)
            note_taking("watch", name)
            received = services.receive_upload(name=name, stream=steady, key=key)
        logger.info("watched_file_taken", extra={"upload": received.upload_id})
        return selectors.get_upload(received.upload_id, sources=None)

    def _put_away(self, name: str, where: str, sentence: str, *, has_reason: bool = True) -> None:
        """Move a file, never onto another; the reason is there before the file."""
        target = free_place(self.path / where, name)
        if has_reason:
            target.with_name(target.name + REASON).write_text(sentence + "\n", encoding="utf-8")
        (self.path / name).rename(target)
        self._seen.pop(name, None)
        self.say(f"{name} → {where}/{target.name}: {sentence}")


@dataclass(slots=True)
class Steady:
    """A file that must stay as it was while it is read; a change is a broken transfer."""

    file: IO[bytes]
    looks: Looks
    is_stopping: Callable[[], bool]

    def read(self, size: int, /) -> bytes:
        if self.is_stopping():
            raise Stopping(errno.EINTR, "the watch was ended")
        piece = self.file.read(size)
        if not piece and Looks.of(os.fstat(self.file.fileno())) != self.looks:
            raise OSError(errno.EAGAIN, "the file changed while it was read")
        return piece


def open_plain(path: Path) -> IO[bytes]:
    """Open a file that was not a link when we looked, without waiting should it be a pipe now."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags), "rb")


def free_place(folder: Path, name: str) -> Path:
    """A path in the folder that no file and no reason has yet; a name is cut where the reason
    beside it would have too long a one."""
    stem, suffix = Path(name).stem, Path(name).suffix
    place, number = folder / name, 1
    while _is_too_long(place) or _is_taken(place):
        if _is_too_long(place):
            stem, suffix = (stem[:-1], suffix) if len(stem) > 1 else (stem, suffix[:-1])
        else:
            number += 1
        place = folder / f"{stem}{f'.{number}' if number > 1 else ''}{suffix}"
    return place


def _is_taken(place: Path) -> bool:
    return os.path.lexists(place) or os.path.lexists(place.with_name(place.name + REASON))


def _is_too_long(place: Path) -> bool:
    return len(os.fsencode(place.name + REASON)) > NAME_BYTES_MAX


def summary(row: selectors.UploadRow) -> str:
    """What came of an upload, in one line."""
    return f"Upload {row.id}: {row.lines:,} lines: {counts_of(row)}."


def watch(folder: Folder, wait: Callable[[], None], *, is_once: bool) -> None:
    """Look until asked to stop, or with `is_once` until nothing is left to do.

    Raises: Busy, OSError.
    """
    folder.prepare()
    is_unreachable = False
    with folder.only_one():
        while not folder.is_stopping():
            try:
                left = folder.look()
                is_unreachable = False
            except (OperationalError, InterfaceError):
                close_old_connections()
                if not is_unreachable:
                    logger.exception("watch_store_unreachable")
                    folder.say("The store cannot be reached: the files wait.")
                is_unreachable, left = True, 1
            if is_once and not left:
                return
            wait()
