import os
import shutil
import tempfile
from pathlib import Path

import pytest

from audit.devstack.supervisor import Supervisor


@pytest.fixture
def state():
    """Give an empty state folder that the server's own user can reach, even when we are root."""
    folder = Path(tempfile.mkdtemp(prefix="tc-", dir="/tmp")).resolve()
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def supervisor(state):
    supervisor = Supervisor(state)
    yield supervisor
    supervisor.stop_all()


@pytest.fixture
def no_services(monkeypatch):
    """Take the addresses of the running test services out of the environment."""
    for name in ("DATABASE_URL", "BROKER_URL", "TILECOURT_PG_BIN"):
        monkeypatch.delenv(name, raising=False)
    return os.environ
