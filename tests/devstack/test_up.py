"""`dev.py up` as a person meets it: one sentence when it cannot start, nothing left at the end."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from audit.devstack.processes import look
from audit.devstack.state import make_state, only_one, state_folder
from audit.devstack.up import ROOT
from drills.stack import free_port

# Of a start beside other work: only one that never ends is to be caught.
PATIENCE_SECONDS = 240


@pytest.fixture
def folder(state, no_services, monkeypatch) -> Path:
    """Give the state folder of this checkout under a home of its own."""
    monkeypatch.setenv("TILECOURT_HOME", str(state))
    for name in ("TILECOURT_TEST", "TILECOURT_SECRET_KEY", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.delenv(name, raising=False)
    return make_state(state_folder(ROOT))


def start_up(port: int, output: Path) -> subprocess.Popen[bytes]:
    with output.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "audit.devstack", "up", "--port", str(port)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )


def refusal(port: int) -> str:
    """Run a start that is to fail and give the one line that it says."""
    done = subprocess.run(
        [sys.executable, "-m", "audit.devstack", "up", "--port", str(port)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line


def test_a_port_in_use_is_one_sentence_and_starts_nothing(folder):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert refusal(port) == (
            f"Tilecourt: Port {port} on 127.0.0.1 cannot be used (Address already in use):"
            " stop the program that has it, or choose another with --port."
        )
    assert not (folder / "processes.json").exists()


def test_a_second_start_is_one_sentence(folder):
    with only_one(folder):
        assert "Another `dev.py up` of this checkout is already running" in refusal(free_port())


def test_a_half_made_data_folder_is_one_sentence(folder):
    (folder / "postgres" / "data").mkdir(parents=True)
    assert "is only half there" in refusal(free_port())
    assert not (folder / "processes.json").exists()


def test_manage_py_without_services_is_one_sentence(folder):
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "DATABASE_URL is not set and no `python3 dev.py up`" in line


def answers(port: int) -> bool:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as line:
        try:
            line.request("GET", "/")
            return line.getresponse().status == 302
        except OSError:
            return False


def wait_until(is_so, process: subprocess.Popen[bytes], output: Path) -> None:
    limit = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert process.poll() is None, output.read_text()
        assert time.monotonic() < limit, output.read_text()
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.timeout(4 * PATIENCE_SECONDS)
def test_a_killed_launcher_is_cleared_up_and_a_stopped_one_leaves_nothing(folder, tmp_path):
    port, output = free_port(), tmp_path / "output"
    first = start_up(port, output)
    try:
        wait_until(lambda: answers(port), first, output)
        kept = json.loads((folder / "processes.json").read_text())
        # The sample logs may still be read in, by a process that ends by itself.
        left = [known["pid"] for known in kept if known["name"] != "sample logs"]
        assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600
        asked = subprocess.run(
            [sys.executable, "manage.py", "migrate", "--check"], cwd=ROOT, check=False
        )
        assert asked.returncode == 0
    finally:
        first.kill()
        first.wait()
    assert len(left) == 4
    assert all(look(pid) for pid in left)

    # A file of its own: what the first left behind still writes into the other.
    output = tmp_path / "second output"
    second = start_up(port, output)
    try:
        wait_until(lambda: b"left behind: " in output.read_bytes(), second, output)
        assert [pid for pid in left if look(pid)] == []
        wait_until(lambda: answers(port), second, output)
        kept = json.loads((folder / "processes.json").read_text())
    finally:
        second.send_signal(signal.SIGINT)
        time.sleep(0.3)
        second.send_signal(signal.SIGINT)
        status = second.wait(PATIENCE_SECONDS)
    assert status == 0, output.read_text()
    assert output.read_text().endswith("Everything that was started has stopped.\n")
    assert [known["name"] for known in kept if look(known["pid"])] == []
    assert not (folder / "services.json").exists()
