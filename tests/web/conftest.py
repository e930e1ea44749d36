"""The site as an auditor sees it, and a way to fill the store without workers."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from audit import selectors, services
from audit.models import Chunk
from tests.access import signed_in, trusted

Store = Callable[..., selectors.UploadRow]


@pytest.fixture
def auditor(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("ines.castro", password="correct horse"))


@pytest.fixture
def site(auditor: Any) -> Client:
    """A browser in which the auditor is signed in."""
    return signed_in(auditor)


@pytest.fixture
def store(db: Any) -> Store:
    """Receive lines as a file and judge them here; gives the upload as it ended."""

    def run(*lines: bytes, name: str = "day.ndjson") -> selectors.UploadRow:
        data = b"".join(line + b"\n" for line in lines)
        received = services.receive_upload(name=name, stream=io.BytesIO(data))
        for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("number"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None
        return selectors.get_upload(received.upload_id, sources=None)

    return run
