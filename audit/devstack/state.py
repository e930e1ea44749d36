"""Where what is not source code lives: one folder a checkout, outside the repository."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from audit.devstack.errors import StackError
from audit.devstack.processes import Account

# What PostgreSQL and Valkey accept on every system that they run on.
SOCKET_PATH_BYTES_MAX = 103
LONGEST_SOCKET_NAME = ".s.PGSQL.5432"
SERVICES = "services.json"


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def state_folder(checkout: Path) -> Path:
    """Name the state folder of a checkout; nothing is made.

    Raises: StackError when it would lie inside the checkout or no home is known.
    """
    checkout = checkout.resolve()
    folder = state_home().resolve() / f"{checkout.name}-{short_hash(str(checkout))}"
    if folder.is_relative_to(checkout):
        raise StackError(
            f"The state folder {folder} would lie inside the checkout:"
            " set TILECOURT_HOME to a folder elsewhere."
        )
    return folder


def state_home() -> Path:
    """Name the folder of all checkouts' states. Relative and empty values count as not set."""
    for variable, rest in (
        ("TILECOURT_HOME", ""),
        ("XDG_STATE_HOME", "tilecourt"),
        ("HOME", ".local/state/tilecourt"),
    ):
        if os.environ.get(variable, "").startswith("/"):
            return Path(os.environ[variable], rest)
    try:
        return Path(pwd.getpwuid(os.geteuid()).pw_dir, ".local/state/tilecourt")
    except KeyError:
        raise StackError(
            "This user has no home folder: set TILECOURT_HOME to a folder for Tilecourt's data."
        ) from None


def make_folder(path: Path, *, mode: int = 0o700, account: Account | None = None) -> Path:
    """Make a folder and its parents; its own mode and owner are set whatever the umask."""
    try:
        path.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.chmod(mode)
        if account is not None:
            os.chown(path, account.uid, account.gid)
    except OSError as error:
        raise StackError(
            f"The folder {path} cannot be used ({error.strerror}):"
            " set TILECOURT_HOME to a folder you can write to."
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise StackError(
            f"The folder {path} is not writable: set TILECOURT_HOME to one you can write to."
        )
    return path


def is_reachable(path: Path) -> bool:
    """Say whether any user can get to a path: others may pass each folder on the way."""
    path = path.resolve()
    return all(
        folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents) if folder.exists()
    )


def make_state(folder: Path) -> Path:
    """Make the state folder. As root others may pass through: PostgreSQL runs as another user."""
    return make_folder(folder, mode=0o711 if os.geteuid() == 0 else 0o700)


def socket_folder(state: Path, account: Account | None = None) -> Path:
    """Make the folder of the Unix sockets: in the given folder where its path is short enough.

    Elsewhere it has a foreseeable name under the temporary folder, where another user could have
    made it first: it is refused unless it is a real folder of ours.
    """
    near = state / "sockets"
    if len(os.fsencode(near / LONGEST_SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX:
        return make_folder(near, account=account)
    far = Path(tempfile.gettempdir(), f"tilecourt-{os.geteuid()}-{short_hash(str(state))}")
    if len(os.fsencode(far / LONGEST_SOCKET_NAME)) > SOCKET_PATH_BYTES_MAX:
        far = Path("/tmp", far.name)  # noqa: S108 - checked below
    with contextlib.suppress(FileExistsError):
        far.mkdir(mode=0o700)
    found = far.lstat()
    owners = {os.geteuid(), account.uid if account else os.geteuid()}
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in owners:
        raise StackError(f"{far}, where the sockets belong, is another user's: remove it.")
    return make_folder(far, account=account)


def read_services(state: Path) -> dict[str, str]:
    """Give the addresses that a running `dev.py up` wrote down; none when there is none."""
    try:
        services = json.loads((state / SERVICES).read_text())
    except (OSError, ValueError):
        return {}
    return services if isinstance(services, dict) else {}


def write_services(state: Path, services: dict[str, str]) -> None:
    write_json(state / SERVICES, services)


def write_json(path: Path, content: object) -> None:
    """Write a private file in one step: a reader sees the old content or the new, never half."""
    draft = path.with_suffix(".draft")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(content, indent=1))
    draft.replace(path)


@contextlib.contextmanager
def only_one(state: Path) -> Iterator[bool]:
    """Hold the state folder's lock, which ends with the process however that ends.

    Yields: whether the lock was free.
    """
    with (state / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
