#!/usr/bin/env python3
"""Set Tilecourt up and run it, test it or check it, from nothing but Python 3.11 with venv.

  python3 dev.py up [--port N]      start everything, read the sample logs in, serve the site
  python3 dev.py test [ARGUMENT…]   run the tests; arguments go to pytest, and one process runs them
  python3 dev.py check              lint, types, contracts, migrations, known holes, tests: CI's
  python3 dev.py bench audit        how fast the audit is, and where its time goes (--hands N)
  python3 dev.py bench memory       how much memory the audit of a large log takes
  python3 dev.py bench ingest       from a file to stored verdicts, against bare COPY and the audit
  python3 dev.py bench packing      what the shared dictionary of the stored lines saves
  python3 dev.py bench pages        each page with few hands stored and with many
  python3 dev.py bench seal         what the log under the store costs; proofs out of many leaves
  python3 dev.py screenshots        pictures of each page into docs/screenshots (system's Chromium)
  python3 dev.py messages           the site's sentences into audit/locale (--check: only look)
  python3 dev.py crash-test         kill everything while hands come in (--rounds, --seed, --hands)

Everything is installed into .venv from the locked files in requirements/.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MARKER = VENV / "tilecourt.json"

SETS = {
    "up": ("base", "embedded", "export"),
    "test": ("base", "embedded", "export", "test", "e2e", "bench"),
    "check": ("base", "embedded", "export", "test", "e2e", "bench", "dev"),
    "bench": ("base", "embedded", "bench"),
    "screenshots": ("base", "embedded", "export", "e2e"),
    "messages": ("base", "embedded", "export", "test"),
    "crash-test": ("base", "embedded"),
}

# The programs are .venv's. Types and migrations need settings, so they borrow throw-away services.
CHECKS = {
    "lint": ("ruff", "check"),
    "format": ("ruff", "format", "--check"),
    "types": ("python", "-m", "audit.devstack", "borrow", "-m", "mypy"),
    "import contracts": ("lint-imports", "--no-logo"),
    "known holes": ("python", "-m", "audit.devstack.known_holes"),
    "migrations": (
        *("python", "-m", "audit.devstack", "borrow"),
        *("manage.py", "makemigrations", "--check", "--dry-run"),
    ),
}

# One process more than cores, as many tests wait; each has a database of its own, so not too many.
# The tests of a file stay together: they share what their file has started.
ALL_TESTS = ("-n", str(min((os.cpu_count() or 1) + 1, 8)), "--dist", "loadfile")

# Of so many tests that failed in a whole run, and no more, `check` asks whether it was by chance.
UNSTEADY_MAX = 2


@contextlib.contextmanager
def one_installer() -> Iterator[None]:
    """Make a second dev.py wait while the first one installs into the same .venv.

    pip inherits the lock, so that it counts even when it has outlived a dev.py that was killed.
    """
    folder = os.open(ROOT, os.O_RDONLY)
    os.set_inheritable(folder, True)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def install(command: str) -> None:
    """Bring .venv to the locked requirements of a command.

    The marker is taken away while pip works and written when it is done: a .venv without one was
    interrupted half-way and is made anew, as is one of another Python or of a moved checkout.
    """
    home = f"{sys.version} {ROOT}"
    files = {name: ROOT / "requirements" / f"{name}.txt" for name in SETS[command]}
    wanted = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    with one_installer():
        made = read_marker()
        if made.get("home") != home:
            make_venv()
            made = {"home": home, "sets": {}}
        stale = [name for name in wanted if made["sets"].get(name) != wanted[name]]
        if not stale:
            return
        print(f"Installing the locked requirements ({', '.join(stale)}) …", flush=True)
        MARKER.unlink(missing_ok=True)
        pip_install([files[name] for name in stale])
        made["sets"].update(wanted)
        MARKER.write_text(json.dumps(made))


def read_marker() -> dict:
    try:
        made = json.loads(MARKER.read_text())
    except (OSError, ValueError):
        return {}
    return made if PYTHON.exists() else {}


def make_venv() -> None:
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        sys.exit(
            "This Python cannot make virtual environments: install its venv module"
            " (Debian and Ubuntu: apt install python3-venv)."
        )
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(VENV)
    made = subprocess.run(
        [sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        words = (made.stderr or made.stdout).strip().splitlines() or ["no reason given"]
        sys.exit(f"The virtual environment {VENV} could not be made: {words[-1]}")
    # With this file `.venv/bin/pytest` and `.venv/bin/python -m replay` find the packages too.
    site = sysconfig.get_path("purelib", "venv", {"base": str(VENV), "platbase": str(VENV)})
    Path(site, "tilecourt.pth").write_text(f"{ROOT}\n")


def pip_install(files: list[Path]) -> None:
    arguments = [word for path in files for word in ("-r", str(path))]
    done = subprocess.run(
        [
            *(str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--require-hashes", "--only-binary=:all:", "--no-deps"),
            *arguments,
        ],
        env={**os.environ, "PIP_USER": "0"},
        stdin=subprocess.DEVNULL,
        close_fds=False,
        check=False,
    )
    if done.returncode != 0:
        sys.exit("The requirements could not be installed: pip's own message stands above.")


def check() -> None:
    """Run every check, even after one has failed, and the tests at the end."""
    failed = []
    for name, (program, *arguments) in CHECKS.items():
        print(f"── {name}", flush=True)
        command = [str(PYTHON.with_name(program)), *arguments]
        if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode:
            failed.append(name)
    print("── tests", flush=True)
    if not run_tests([sys.executable, "dev.py", "test"]):
        failed.append("tests")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}.")


def run_tests(command: list[str]) -> bool:
    """Run all tests; give whether each of them held, if need be in a second run by itself.

    One or two that fail in the whole run and hold alone are named as unsteady at the end: that is a
    fault of theirs or of the product, but none that the change at hand must have made (ADR 13).
    """
    if subprocess.run(command, check=False).returncode == 0:
        return True
    unsteady = failed_tests()
    if not 0 < len(unsteady) <= UNSTEADY_MAX:
        return False
    print("── tests that failed, once more by themselves", flush=True)
    again = [str(PYTHON), "-m", "pytest", "--last-failed", "--last-failed-no-failures", "none"]
    if subprocess.run(again, check=False).returncode != 0:
        return False
    print("UNSTEADY, to be mended before anything else:", *unsteady, sep="\n  ", flush=True)
    return True


def failed_tests() -> list[str]:
    """Give what failed in pytest's last run of this checkout, by its own record."""
    try:
        return sorted(json.loads((ROOT / ".pytest_cache/v/cache/lastfailed").read_text()))
    except (OSError, ValueError):
        return []


def main() -> None:
    command, *rest = sys.argv[1:] or ["--help"]
    if command in ("-h", "--help", "help"):
        print((__doc__ or "").strip())
        return
    if command not in SETS:
        sys.exit(
            f"There is no command '{command}': up, test, check, bench, screenshots, messages"
            " or crash-test (see --help)."
        )
    os.chdir(ROOT)
    try:
        install(command)
    except PermissionError as error:
        sys.exit(f"{error.filename} belongs to someone else: use a checkout of your own.")
    if command == "up":
        os.execv(PYTHON, [str(PYTHON), "-m", "audit.devstack", "up", *rest])  # noqa: S606
    if command == "test":
        os.execv(PYTHON, [str(PYTHON), "-m", "pytest", *(rest or ALL_TESTS)])  # noqa: S606
    if command == "bench":
        os.execv(PYTHON, [str(PYTHON), "-m", "benchmarks", *rest])  # noqa: S606
    if command == "screenshots":
        os.execv(PYTHON, [str(PYTHON), "-m", "screenshots", *sys.argv[1:]])  # noqa: S606
    if command == "messages":
        borrowed = (str(PYTHON), "-m", "audit.devstack", "borrow", "manage.py", "messages", *rest)
        os.execv(PYTHON, borrowed)  # noqa: S606
    if command == "crash-test":
        os.execv(PYTHON, [str(PYTHON), "-m", "drills", *sys.argv[1:]])  # noqa: S606
    check()


if sys.version_info < (3, 11):  # noqa: UP036 - it is an older one that must be told
    sys.exit("Tilecourt needs Python 3.11 or newer; this is " + sys.version.split()[0] + ".")
if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
