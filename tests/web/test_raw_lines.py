"""Raw lines are hands, or were meant to be: who sees no hands sees none of them, but their own."""

from __future__ import annotations

import io
from typing import Any

import pytest

from audit import services
from audit.models import Chunk, Role
from audit.selectors.access import Act
from tests.access import signed_in, with_roles
from tests.audit.importers.records import ky_answer, ky_row
from tests.web.lines import PAI_GOW

WORD = "kept-between-us"
# A hand that names its source, so that the upload lies in one, and a line that is none.
LINES = (PAI_GOW, b'{"secret":"' + WORD.encode() + b'"}')


@pytest.fixture
def upload(store: Any) -> int:
    return int(store(*LINES).id)


@pytest.mark.parametrize(
    ("role", "source", "sees"),
    [
        (Role.ADMINISTRATOR, None, False), (Role.ADMINISTRATOR, "odd", False),
        (Role.SUPPORT, None, True), (Role.INVESTIGATOR, "odd", True), (Role.AUDITOR, "odd", True),
    ],
)  # fmt: skip
def test_a_refused_line_is_told_to_all_and_shown_to_those_who_see_hands(
    upload: int, django_user_model: Any, role: Role, source: str | None, sees: bool
) -> None:
    user = with_roles(django_user_model.objects.create_user("amy.ng"), role, source=source)
    browser = signed_in(user)
    for address in (f"/uploads/{upload}/", f"/uploads/{upload}/progress"):
        page = browser.get(address).content.decode()
        assert "Line 2" in page
        assert (WORD in page) == sees, address
        assert ("for those who may see hands" in page) != sees, address
    [line] = browser.get(f"/api/v1/uploads/{upload}/refused/").json()["refused"]
    assert line["line"] == 2
    assert line["begins"] == (LINES[1].decode() if sees else None)


def test_who_may_see_hands_in_some_of_its_sources_sees_no_line(
    store: Any, django_user_model: Any
) -> None:
    """A line without a source may be of any of them; who manages both sees that it was refused."""
    other = PAI_GOW.replace(b'"source":"odd"', b'"source":"hall"')
    upload = store(*LINES, other).id
    user = django_user_model.objects.create_user("amy.ng")
    with_roles(user, Role.ADMINISTRATOR)
    with_roles(user, Role.SUPPORT, source="odd")
    page = signed_in(user).get(f"/uploads/{upload}/").content.decode()
    assert "Line 2" in page
    assert WORD not in page
    with_roles(user, Role.SUPPORT, source="hall")
    assert WORD in signed_in(user).get(f"/uploads/{upload}/").content.decode()


def test_ones_own_lines_are_shown(db: Any, django_user_model: Any) -> None:
    user = with_roles(django_user_model.objects.create_user("amy.ng"), Role.ADMINISTRATOR)
    data = io.BytesIO(b"\n".join(LINES))
    upload = services.receive_upload(name="day.ndjson", stream=data, user=user).upload_id
    for chunk in Chunk.objects.filter(upload_id=upload):
        services.judge_chunk(chunk_id=chunk.pk)
    assert WORD in signed_in(user).get(f"/uploads/{upload}/").content.decode()


def test_a_key_without_the_act_gets_no_raw_line(upload: int, django_user_model: Any) -> None:
    user = with_roles(django_user_model.objects.create_user("amy.ng"), Role.AUDITOR)
    browser = signed_in(user)
    browser.logout()
    for acts, begins in (
        ([Act.SEE_UPLOADS], None),
        ([Act.SEE_UPLOADS, Act.SEE_RAW], LINES[1].decode()),
    ):
        token = services.create_token(name=str(acts), days=1, account="amy.ng", acts=acts).token
        headers = {"Authorization": f"Bearer {token}"}
        answer = browser.get(f"/api/v1/uploads/{upload}/refused/", headers=headers).json()
        assert answer["refused"][0]["begins"] == begins


@pytest.mark.parametrize(("role", "sees"), [(Role.ADMINISTRATOR, False), (Role.SUPPORT, True)])
def test_values_out_of_records_are_raw_too(
    db: Any, django_user_model: Any, role: Role, sees: bool
) -> None:
    data = io.BytesIO(ky_answer(ky_row(Jackpot=WORD)))
    services.receive_feed(name="pull.json", stream=data, feed="ky-730", source="op")
    for chunk in Chunk.objects.all():
        services.judge_chunk(chunk_id=chunk.pk)
    user = with_roles(django_user_model.objects.create_user("amy.ng"), role)
    browser = signed_in(user)
    [field] = browser.get("/api/v1/sources/op/").json()["drift"]
    assert (field["field"], field["example"]) == ("Jackpot", f'"{WORD}"' if sees else None)
    page = browser.get("/sources/op/").content.decode()
    assert "Jackpot" in page
    assert (WORD in page) == sees
