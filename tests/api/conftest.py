"""Programs that use the API: a token, a client that shows it, a session as a page has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from rest_framework.response import Response

from audit import services
from audit.models import Chunk
from tests.access import trusted

Send = Callable[..., Response]
NDJSON = "application/x-ndjson"
UPLOADS = "/api/v1/uploads/"


@pytest.fixture
def account(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("feed", password="correct horse"))


@pytest.fixture
def token(account: Any) -> str:
    return services.create_token(name="night feed", days=1, account="feed").token


@pytest.fixture
def send(db: Any, token: str) -> Send:
    """POST some bytes as a log, with the token unless told otherwise."""

    def post(data: bytes, *, kind: str = NDJSON, query: str = "", **headers: str) -> Response:
        named = {"Authorization": f"Bearer {token}"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        return Client().post(UPLOADS + query, data, content_type=kind, headers=named)

    return post


@pytest.fixture
def ask(db: Any, token: str) -> Send:
    def get(address: str, **headers: str) -> Response:
        named = {"Authorization": f"Bearer {token}"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        return Client().get(address, headers=named)

    return get


@pytest.fixture
def stored(send: Send) -> Callable[..., None]:
    """Take in some lines as a file and judge them here."""

    def run(*lines: bytes) -> None:
        assert send(b"\n".join(lines)).status_code == 201
        for chunk in Chunk.objects.filter(state="queued").order_by("id"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None

    return run


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Who fills the lists, and how: `stored` takes lines in as a file and judges them."""

    stored: Callable[..., None]
    send: Send
    account: Any
    other: Any
    settings: Any

    def restate(self, line: bytes) -> None:
        assert self.send(line, query="?restatement=so").status_code == 201
        self.judge()

    def judge(self, **which: Any) -> None:
        for chunk in Chunk.objects.filter(state="queued", **which).order_by("id"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None


@pytest.fixture
def world(stored: Any, send: Send, account: Any, settings: Any, django_user_model: Any) -> World:
    settings.TILECOURT_API_KEY_PER_MINUTE = settings.TILECOURT_API_ACCOUNT_PER_MINUTE = 10_000
    other = trusted(django_user_model.objects.create_user("second.person"))
    return World(stored=stored, send=send, account=account, other=other, settings=settings)
