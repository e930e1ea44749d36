"""Hosts on this machine that are no good to whoever sends to them."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def silent_host() -> Iterator[str]:
    """The address of a host that takes connections and never says a word."""
    lines: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def swallow() -> None:
            with suppress(OSError):
                while True:
                    lines.append(server.accept()[0])

        thread = threading.Thread(target=swallow, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.shutdown(socket.SHUT_RDWR)
        thread.join(timeout=5)
    for line in lines:
        line.close()


@contextmanager
def dripping_host(beginning: bytes) -> Iterator[str]:
    """Where a host is, without how to speak with it, that answers one caller: these bytes at once
    and then a letter every tenth of a second, for a minute if nobody hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            line, _ = server.accept()
            with line, suppress(OSError):
                line.sendall(beginning)
                for _ in range(600):
                    line.sendall(b"x")
                    time.sleep(0.1)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join(timeout=10)
