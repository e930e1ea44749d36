"""Waiting for a real worker."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import pytest

from audit import selectors, services

Upload = Callable[..., int]
Wait = Callable[..., list[selectors.UploadRow]]


def receive(data: bytes, name: str = "hands.ndjson") -> int:
    """Hand a file in, as the page and the command do; gives its upload."""
    return services.receive_upload(name=name, stream=io.BytesIO(data)).upload_id


def wait_for(*uploads: int, seconds: float = 60) -> list[selectors.UploadRow]:
    """Wait until uploads have their ends."""
    limit = time.monotonic() + seconds
    while True:
        rows = [selectors.get_upload(upload) for upload in uploads]
        if all(row.is_ended for row in rows):
            return rows
        assert time.monotonic() < limit, rows
        time.sleep(0.05)


@pytest.fixture
def upload() -> Upload:
    return receive


@pytest.fixture
def wait() -> Wait:
    return wait_for
