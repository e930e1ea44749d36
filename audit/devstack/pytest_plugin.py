"""Gives a pytest run its own PostgreSQL and Valkey, unless DATABASE_URL and BROKER_URL name some.

They must run before pytest-django reads the settings, hence a wrapper around the first hook.
The processes of xdist share only services that the environment named, each in a database of its
own. Otherwise each has servers of its own, as in one server they are not quite alone: what may
still be written is told by the oldest transaction in any database.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterator

import pytest

from audit.devstack.errors import StackError
from audit.devstack.throwaway import throwaway_services

services = contextlib.ExitStack()

# Which addresses a run has not found but made, for the processes that it starts.
MADE = "TILECOURT_TEST_MADE"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Iterator[None]:
    made = os.environ.pop(MADE, "").split()
    for name in made:
        del os.environ[name]
    if "PYTEST_XDIST_WORKER" in os.environ and "BROKER_URL" in os.environ:
        separate_broker(os.environ["PYTEST_XDIST_WORKER"])
    named = {name for name in ("DATABASE_URL", "BROKER_URL") if os.environ.get(name)}
    try:
        started = services.enter_context(throwaway_services())
    except StackError as error:
        pytest.exit(str(error), returncode=1)
    atexit.register(stop_services, os.getpid())
    os.environ.update(started, **{MADE: " ".join(sorted(started.keys() - named))})
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    services.close()


def stop_services(pid: int) -> None:
    """Stop them at the latest with the interpreter, but not with that of a forked child."""
    if os.getpid() == pid:
        services.close()


def separate_broker(worker: str) -> None:
    """Give each xdist worker a numbered database of the one broker."""
    number = int(worker.removeprefix("gw")) % 16
    url = os.environ["BROKER_URL"]
    if url.startswith("redis+socket:") and "?" not in url:
        os.environ["BROKER_URL"] = f"{url}?virtual_host={number}"
