"""dev.py's virtual environment: made once, brought up to date, made anew when it is not whole."""

import contextlib
import re
import sys

import pytest

import dev

REQUIREMENTS = dev.ROOT / "requirements"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Give the list of what an install does, on a checkout whose sets hold nothing."""
    done = []
    (tmp_path / "requirements").mkdir()
    for name in dev.SETS["check"]:
        (tmp_path / "requirements" / f"{name}.txt").write_text(name)
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(dev, "PYTHON", tmp_path / ".venv/bin/python")
    monkeypatch.setattr(dev, "MARKER", tmp_path / ".venv/tilecourt.json")

    def make_venv():
        done.append("venv")
        dev.PYTHON.parent.mkdir(parents=True, exist_ok=True)
        dev.PYTHON.touch()

    monkeypatch.setattr(dev, "make_venv", make_venv)
    monkeypatch.setattr(dev, "pip_install", lambda files: done.extend(path.stem for path in files))
    return done


def test_a_second_run_installs_nothing(made):
    dev.install("up")
    assert made == ["venv", "base", "embedded", "export"]
    made.clear()
    dev.install("up")
    assert made == []


def test_another_command_adds_what_it_needs(made):
    dev.install("up")
    made.clear()
    dev.install("test")
    assert made == ["test", "e2e", "bench"]


def test_a_changed_lock_is_installed_again(made):
    dev.install("up")
    made.clear()
    (dev.ROOT / "requirements/base.txt").write_text("newer")
    dev.install("up")
    assert made == ["base"]


def test_an_interrupted_install_is_made_anew(made, monkeypatch):
    def interrupted(files):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(dev, "pip_install", interrupted)
        with contextlib.suppress(KeyboardInterrupt):
            dev.install("up")
    assert dev.PYTHON.exists()
    made.clear()
    dev.install("up")
    assert made == ["venv", "base", "embedded", "export"]


def test_an_environment_without_its_python_is_made_anew(made):
    dev.install("up")
    made.clear()
    dev.PYTHON.unlink()
    dev.install("up")
    assert made == ["venv", "base", "embedded", "export"]


def test_a_moved_checkout_is_made_anew(made, monkeypatch):
    dev.install("up")
    made.clear()
    marker = dev.MARKER.read_text()
    dev.MARKER.write_text(marker.replace(str(dev.ROOT), "/where/it/was"))
    dev.install("up")
    assert made == ["venv", "base", "embedded", "export"]


def test_a_python_without_venv_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        dev.make_venv()


@pytest.mark.parametrize("name", dev.SETS["check"])
def test_a_lock_holds_hashes_and_no_address(name):
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    assert "://" not in text
    pinned = re.findall(r"^([a-z][\w.-]*)==", text, re.MULTILINE)
    blocks = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)
    assert len(pinned) == sum("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", dev.SETS["check"])
def test_what_is_wanted_has_a_lower_bound_and_is_locked(name):
    locked = set()
    for other in dev.SETS["check"]:
        text = (REQUIREMENTS / f"{other}.txt").read_text()
        locked |= set(re.findall(r"^([a-z][\w.-]*)==", text, re.MULTILINE))
    for line in (REQUIREMENTS / f"{name}.in").read_text().splitlines():
        if line and not line.startswith(("#", "-c ")):
            found = re.match(r"([\w.-]+)(\[[\w,-]+\])?>=\d", line)
            assert found is not None, line
            assert re.sub(r"[-_.]+", "-", found[1]).lower() in locked, line


CHANCE = """
import pathlib

def test_steady():
    pass

def test_wrong():
    assert {holds}

def chance(name):
    seen = pathlib.Path(name)
    was_there = seen.exists()
    seen.touch()
    return was_there

{unsteady}
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Give what `check` says of a suite with so many tests that hold only the second time."""
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "PYTHON", sys.executable)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(*, unsteady=0, holds=True):
        tests = [
            f"def test_chance_{number}():\n    assert chance('seen-{number}')\n"
            for number in range(unsteady)
        ]
        text = CHANCE.format(holds=holds, unsteady="\n".join(tests))
        (tmp_path / "test_them.py").write_text(text)
        return dev.run_tests([sys.executable, "-m", "pytest"])

    return run


def test_tests_that_hold_run_once(suite, capfd):
    assert suite()
    assert capfd.readouterr().out.count("test session starts") == 1


def test_a_test_that_fails_twice_fails_the_check(suite, capfd):
    assert not suite(unsteady=1, holds=False)
    told = capfd.readouterr().out
    assert told.count("test session starts") == 2
    assert "UNSTEADY" not in told


def test_one_or_two_that_hold_alone_are_named(suite, capfd):
    assert suite(unsteady=2)
    assert capfd.readouterr().out.endswith(
        "UNSTEADY, to be mended before anything else:\n"
        "  test_them.py::test_chance_0\n  test_them.py::test_chance_1\n"
    )


def test_three_are_no_chance(suite, capfd):
    assert not suite(unsteady=3)
    assert capfd.readouterr().out.count("test session starts") == 1


def test_tests_that_do_not_start_fail_the_check(suite, tmp_path):
    (tmp_path / "conftest.py").write_text("raise ImportError\n")
    assert not suite()
