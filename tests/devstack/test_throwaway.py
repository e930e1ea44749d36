"""Services for one run: what a killed run left is cleared away, what another run uses is not."""

import os
import signal
import sys
import tempfile

import pytest

from audit.devstack import throwaway
from audit.devstack.state import only_one
from audit.devstack.supervisor import Supervisor
from audit.devstack.throwaway import PREFIX, clear_left_behind


@pytest.fixture
def left(state, monkeypatch):
    """Give the folder of another run, in which a test has started a process."""
    monkeypatch.setattr(tempfile, "tempdir", str(state))
    folder = state / f"{PREFIX}other"
    inner = folder / "worker-1"
    inner.mkdir(parents=True)
    supervisor = Supervisor(inner)
    process = supervisor.start(
        "worker",
        [sys.executable, "-c", "import time; time.sleep(900)"],
        stop=((signal.SIGTERM, 120.0),),
        env=dict(os.environ),
        cwd=state,
    )
    yield folder, process
    process.kill()
    process.wait()


def test_what_a_killed_run_left_is_ended_and_removed(left):
    folder, process = left
    clear_left_behind()
    assert process.wait() == -signal.SIGTERM
    assert not folder.exists()


def test_a_run_that_goes_on_is_left_alone(left):
    folder, process = left
    with only_one(folder):
        clear_left_behind()
        assert process.poll() is None
    assert folder.exists()


def test_a_run_that_ends_while_it_is_looked_at_is_passed_over(state, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(state))
    ended, left = state / f"{PREFIX}ended", state / f"{PREFIX}left"
    for folder in (ended, left):
        folder.mkdir()

    def goes_first(folder):
        if folder == ended:
            folder.rmdir()
        return only_one(folder)

    monkeypatch.setattr(throwaway, "only_one", goes_first)
    clear_left_behind()
    assert list(state.iterdir()) == []
