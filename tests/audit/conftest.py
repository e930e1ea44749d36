"""Hands to store, and a way to store them without workers."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit import selectors, services
from audit.models import Chunk
from tests.audit.logs import Ingest


@pytest.fixture
def ingest(db: Any) -> Ingest:
    """Receive some bytes as a file and judge their chunks here; gives the upload as it ended."""

    def run(
        data: bytes,
        name: str = "hands.ndjson",
        *,
        user: User | None = None,
        restatement: str | None = None,
    ) -> selectors.UploadRow:
        received = services.receive_upload(
            name=name, stream=io.BytesIO(data), user=user, restatement=restatement
        )
        for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("number"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None
        return selectors.get_upload(received.upload_id, sources=None)

    return run
