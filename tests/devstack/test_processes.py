"""Processes are known again, ended with what they started, and never mistaken for others."""

import dataclasses
import os
import signal
import subprocess
import sys
import time

import pytest

from audit.devstack.errors import StackError, StopRequested
from audit.devstack.processes import Stop, end, launch, look, record, remains
from audit.devstack.supervisor import Supervisor, reap

SLEEP = "import time; time.sleep(900)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('set', flush=True); time.sleep(900)"
)
PARENT = f"import os, time; os.fork(); {SLEEP}"
STOP = ((signal.SIGTERM, 0.5),)
PATIENT_STOP = ((signal.SIGTERM, 120.0),)


def start(
    supervisor: Supervisor, code: str, name: str = "sleeper", stop: Stop = STOP
) -> subprocess.Popen[bytes]:
    return supervisor.start(
        name,
        [sys.executable, "-c", code],
        stop=stop,
        env=dict(os.environ),
        cwd=supervisor.state,
        log=supervisor.log_of(name),
    )


def wait_until(is_so) -> None:
    limit = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_stop_ends_the_last_first(supervisor):
    for name in ("one", "two", "three"):
        start(supervisor, SLEEP, name)
    said = []
    supervisor.stop_all(said.append)
    assert said == ["Stopping three …", "Stopping two …", "Stopping one …"]
    assert supervisor.running == []


def test_a_process_that_ignores_the_signal_is_killed(supervisor):
    process = start(supervisor, STUBBORN)
    wait_until(lambda: supervisor.log_of("sleeper").read_text() == "set\n")
    supervisor.stop_all()
    assert process.wait() == -signal.SIGKILL


def test_children_that_outlive_their_parent_are_ended(supervisor):
    process = start(supervisor, PARENT)
    known = supervisor.running[0][0]
    wait_until(lambda: len(remains(known)) == 2)
    process.kill()
    process.wait()
    assert len(remains(known)) == 1
    assert end(known)
    assert remains(known) == []


def test_a_number_given_to_another_process_is_left_alone(supervisor):
    process = start(supervisor, SLEEP)
    known = dataclasses.replace(supervisor.running[0][0], started="long ago")
    assert not end(known)
    assert process.poll() is None
    assert look(process.pid) is not None


def test_what_a_killed_launcher_left_is_ended_once(supervisor):
    process = start(supervisor, SLEEP, stop=PATIENT_STOP)
    assert reap(supervisor.state) == ["sleeper"]
    assert process.wait() == -signal.SIGTERM
    assert reap(supervisor.state) == []


def test_an_unreadable_list_of_processes_is_one_sentence(state):
    (state / "processes.json").write_text("[{}]")
    with pytest.raises(StackError, match=r"processes\.json cannot be read: remove it"):
        reap(state)


def test_a_process_that_ends_by_itself_is_told_with_its_last_words(supervisor):
    start(supervisor, "print('no disk left'); raise SystemExit(3)")
    with pytest.raises(StackError, match=r"ended by itself \(status 3\): no disk left"):
        supervisor.watch()


def test_a_stop_is_seen_while_something_is_awaited(supervisor):
    start(supervisor, SLEEP)
    supervisor.interrupts.note(signal.SIGINT, None)
    with pytest.raises(StopRequested):
        supervisor.wait_ready("sleeper", lambda: False, seconds=120)
    with pytest.raises(StopRequested):
        start(supervisor, SLEEP, "late")
    assert [known.name for known, _ in supervisor.running] == ["sleeper"]


def test_a_second_signal_shortens_the_wait_and_leaves_nothing(supervisor):
    process = launch(
        [sys.executable, "-c", STUBBORN],
        log=supervisor.log_of("slow"),
        env=dict(os.environ),
        cwd=supervisor.state,
    )
    known = record("slow", process, ((signal.SIGTERM, 600.0),))
    wait_until(lambda: supervisor.log_of("slow").read_text() == "set\n")
    begun = time.monotonic()
    end(known, is_hurried=lambda: time.monotonic() > begun + 0.3)
    assert process.wait() == -signal.SIGKILL
    assert time.monotonic() - begun < 120


def test_a_missing_program_is_one_sentence(supervisor):
    with pytest.raises(StackError, match="/nowhere/program cannot be started"):
        supervisor.start("x", ["/nowhere/program"], stop=STOP, env={}, cwd=supervisor.state)
