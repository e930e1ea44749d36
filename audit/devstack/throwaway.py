"""Services for one test run: nothing of them is left afterwards, and what a killed run left
behind is cleared away by the next."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from audit.devstack.postgres import shared_home
from audit.devstack.services import start_services
from audit.devstack.state import make_state, only_one, socket_folder
from audit.devstack.supervisor import RECORDS, Supervisor, reap

PREFIX = "tilecourt-test-"


@contextlib.contextmanager
def throwaway_services() -> Iterator[dict[str, str]]:
    """Start services on an empty folder; gives the environment that leads Django to them."""
    with throwaway_folder() as supervisor:
        services = start_services(supervisor, is_throwaway=True)
        yield {**services, **throwaway_environment(supervisor.state)}


def throwaway_environment(folder: Path) -> dict[str, str]:
    """What Django wants to know besides where its services are."""
    return {
        "TILECOURT_HOME": str(folder),
        "TILECOURT_SECRET_KEY": "only for tests",
        "TILECOURT_TEST": "1",
    }


@contextlib.contextmanager
def throwaway_folder() -> Iterator[Supervisor]:
    """Keep processes on an empty folder; at the end they are stopped and all is removed."""
    clear_left_behind()
    # The name that a clearing run looks for is given only when the lock is held.
    draft = make_state(Path(tempfile.mkdtemp(prefix="tilecourt-new-")).resolve())
    with only_one(draft):
        folder = draft.rename(draft.with_name(draft.name.replace("tilecourt-new-", PREFIX)))
        supervisor = Supervisor(folder)
        try:
            yield supervisor
        finally:
            supervisor.stop_all()
            remove(folder)


def clear_left_behind() -> None:
    for folder in Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*"):
        # Another run may end at this moment and take its own folder away.
        with contextlib.suppress(FileNotFoundError):
            if folder.is_dir() and folder.lstat().st_uid == os.geteuid():
                clear(folder)


def clear(folder: Path) -> None:
    """End what a run left behind in its folder, and remove it; one that goes on is left alone.

    Raises: FileNotFoundError when the folder is gone.
    """
    with only_one(folder) as is_free:
        if is_free:
            # Tests write down what they start in folders of their own below.
            for records in (*folder.glob(f"*/{RECORDS}"), folder / RECORDS):
                reap(records.parent)
            remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder and the sockets' folders, which are elsewhere when its path is long."""
    for home in (folder / "postgres", shared_home(folder), folder / "broker"):
        if home.is_dir():
            shutil.rmtree(socket_folder(home), ignore_errors=True)
            shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
