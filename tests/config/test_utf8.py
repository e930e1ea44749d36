"""What is no UTF-8 is refused, never guessed at. Charsets of bodies: tests/integration."""

from __future__ import annotations

import pytest
from django.test import Client

from audit import services
from audit.models import Upload
from tests.access import signed_in, trusted
from tests.web.lines import PAI_GOW

# A byte that begins nothing, a surrogate by itself, and two bytes of three.
BROKEN = ("%FF", "a%ED%A0%80", "%E6%89")


@pytest.fixture
def account(django_user_model):
    return trusted(django_user_model.objects.create_user("ines.castro", password="correct horse"))


@pytest.fixture
def bearer(account) -> dict[str, str]:
    key = services.create_token(name="a key", days=1, account=account.username).token
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("charset", ["gbk", "latin-1", "utf-16", "x"])
def test_a_form_in_another_charset_is_refused(db, kind, charset) -> None:
    form = {"content_type": f"{kind}; charset={charset}"}
    assert Client().generic("POST", "/login", b"username=a", **form).status_code == 400


@pytest.mark.parametrize("charset", ["", "; charset=UTF-8"])
def test_a_form_in_utf_8_is_read(db, charset) -> None:
    kind = f"application/x-www-form-urlencoded{charset}"
    page = Client().generic("POST", "/login", b"username=n%C3%A9ant&password=x", content_type=kind)
    assert (page.status_code, 'value="néant"' in page.content.decode()) == (200, True)


@pytest.mark.parametrize("text", BROKEN)
def test_bytes_that_are_no_utf_8_are_refused_with_their_place(account, bearer, text) -> None:
    refused = Client().get(f"/api/v1/hands/?limit=1&table={text}&q=a", headers=bearer)
    message = "What the address says of “table” is no UTF-8."
    error = {"code": "bad-query", "message": message, "place": "table"}
    assert (refused.status_code, refused.json()) == (400, {"error": error})
    assert refused.headers["Cache-Control"] == "private, no-store"
    page = signed_in(account).get(f"/hands/?table={text}")
    assert (page.status_code, page.headers["Content-Type"]) == (400, "text/html; charset=utf-8")
    assert Client().get(f"/login?next={text}").status_code == 400


@pytest.mark.parametrize("parameter", ["name", "feed=event-list&source", "restatement"])
def test_nothing_is_taken_in_under_a_name_that_nobody_said(bearer, parameter) -> None:
    kind = "application/x-ndjson"
    sent = Client().post(
        f"/api/v1/uploads/?{parameter}=%FF", PAI_GOW, content_type=kind, headers=bearer
    )
    assert (sent.status_code, sent.json()["error"]["code"]) == (400, "bad-query")
    assert Upload.objects.exists() is False


def test_a_name_that_is_no_utf_8_itself_is_told_as_well_as_can_be(bearer) -> None:
    refused = Client().get("/api/v1/hands/?%FF=1", headers=bearer)
    assert (refused.status_code, refused.json()["error"]["place"]) == (400, "�")
