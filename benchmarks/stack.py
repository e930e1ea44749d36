"""Services of a benchmark's own, thrown away when it has ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from audit.devstack.services import start_broker, start_postgres
from audit.devstack.supervisor import Supervisor
from audit.devstack.throwaway import throwaway_environment, throwaway_folder
from audit.devstack.up import ROOT


@contextmanager
def services(*, is_safe: bool) -> Iterator[tuple[Supervisor, dict[str, str]]]:
    """PostgreSQL with empty tables and a broker; a safe one writes through to the disk."""
    with throwaway_folder() as supervisor:
        env = {
            **os.environ,
            **throwaway_environment(supervisor.state),
            "DJANGO_SETTINGS_MODULE": "audit.config.settings",
            "DATABASE_URL": start_postgres(supervisor, not is_safe),
            "BROKER_URL": start_broker(supervisor),
        }
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"],
            env=env,
            cwd=ROOT,
            check=True,
        )
        yield supervisor, env


def process_seconds(pid: int) -> float:
    """CPU of a process with its threads and without its children, where Linux tells it, else 0."""
    told = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in told) / 1e9


def database_seconds() -> float:
    """CPU of the server's process for Django's connection, where Linux tells it, else 0."""
    connection.ensure_connection()
    told = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return int(told.read_text().split()[0]) / 1e9 if told.exists() else 0.0
