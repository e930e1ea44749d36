"""A program that hands a log in over HTTP and does not give up: same file, same key, until it is
taken."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from audit.devstack.up import HOST

PIECE_BYTES = 1 << 16
WAIT_SECONDS = 0.3
GIVE_UP_SECONDS = 300


class SenderGaveUp(Exception):
    """The service did not take a file; its text says what it answered last."""


@dataclass(slots=True)
class Sender:
    """Sends the parts in turn. `cut` asks it to halt in the middle of a part until `go_on`; before
    that has been asked it does not begin the last part."""

    port: int
    token: str
    name: str
    parts: tuple[bytes, ...]
    uploads: list[int] = field(default_factory=list)
    attempts: int = 0
    answers: list[str] = field(default_factory=list)
    error: str = ""
    cut: threading.Event = field(default_factory=threading.Event)
    halted: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            for number, data in enumerate(self.parts):
                if number == len(self.parts) - 1:
                    self.cut.wait(GIVE_UP_SECONDS)
                self.uploads.append(self._deliver(number, data))
        except SenderGaveUp as error:
            self.error = str(error)
        finally:
            self.halted.set()

    def _deliver(self, number: int, data: bytes) -> int:
        limit = time.monotonic() + GIVE_UP_SECONDS
        told = "nothing"
        while time.monotonic() < limit:
            self.attempts += 1
            try:
                status, told = self._send(number, data)
            except (OSError, http.client.HTTPException) as error:
                status, told = 0, type(error).__name__
            if status == 201:
                return int(told)
            # 400: the transfer broke off. 409: the first attempt has not been given up yet.
            if 400 <= status < 500 and status not in (400, 409):
                break
            self.answers.append(f"{status} {told}"[:200])
            time.sleep(WAIT_SECONDS)
        raise SenderGaveUp(f"part {number} was not taken: {told}")

    def _send(self, number: int, data: bytes) -> tuple[int, str]:
        line = http.client.HTTPConnection(HOST, self.port, timeout=60)
        try:
            line.request(
                "POST",
                f"/api/v1/uploads/?name={self.name}-{number}.ndjson",
                self._pieces(data),
                {
                    "Authorization": f"Bearer {self.token}",
                    "Content-Type": "application/x-ndjson",
                    "Content-Length": str(len(data)),
                    "Idempotency-Key": f"{self.name}-{number}",
                },
            )
            answer = line.getresponse()
            body = answer.read()
            place = answer.headers.get("Location", "").rstrip("/").rpartition("/")[2]
            return answer.status, place if answer.status == 201 else body.decode()[:200]
        finally:
            line.close()

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), PIECE_BYTES):
            if start > len(data) // 2 and self.cut.is_set() and not self.go_on.is_set():
                self.halted.set()
                self.go_on.wait(GIVE_UP_SECONDS)
            yield data[start : start + PIECE_BYTES]
