"""A form's fields and the names of its files are UTF-8, or it is refused with the field's name."""

from __future__ import annotations

from functools import partial
from html import unescape
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from django.test import Client

from audit.config.forms import HEAD_MAX, Heads
from audit.models import LegalHold, Upload
from tests.access import signed_in, trusted
from tests.web.lines import PAI_GOW

BOUNDARY = "----edge7MA4"
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
# A byte that begins nothing, a surrogate by itself, two bytes of three, GBK.
BROKEN = (b"\xff", b"a\xed\xa0\x80", b"\xe6\x89", "牌".encode("gbk"))


@pytest.fixture
def browser(django_user_model: Any) -> Client:
    return signed_in(trusted(django_user_model.objects.create_user("ines.castro")))


def part(head: bytes, body: bytes) -> bytes:
    edge = BOUNDARY.encode()
    return (
        b"--" + edge + b"\r\nContent-Disposition: form-data; " + head + b"\r\n\r\n" + body + b"\r\n"
    )


def sent(browser: Client, address: str, *parts: bytes) -> Any:
    body = b"".join(parts) + b"--" + BOUNDARY.encode() + b"--\r\n"
    return browser.generic("POST", address, body, content_type=MULTIPART)


def told(answer: Any) -> tuple[int, str]:
    return answer.status_code, unescape(answer.content.decode())


@pytest.mark.parametrize("broken", BROKEN)
def test_a_field_that_is_no_utf_8_is_refused_with_its_name(browser: Client, broken: bytes) -> None:
    where, said = "/retention/holds", "What the form says in “reason” is no UTF-8."
    for raw in (broken, quote_from_bytes(broken).encode()):
        body = b"source=odd&hand=base-1&reason=" + raw
        status, page = told(browser.generic("POST", where, body, content_type=URLENCODED))
        assert (status, said in page) == (400, True)
    fields = [part(b'name="source"', b"odd"), part(b'name="hand"', b"base-1")]
    status, page = told(sent(browser, where, *fields, part(b'name="reason"', broken)))
    assert (status, said in page) == (400, True)
    assert LegalHold.objects.count() == 0


@pytest.mark.parametrize("broken", BROKEN)
def test_no_file_is_left_out_or_renamed_because_of_its_name(browser: Client, broken: bytes) -> None:
    good = part(b'name="files"; filename="a.ndjson"', PAI_GOW + b"\n")
    percent = b"name=\"files\"; filename*=UTF-8''" + quote_from_bytes(broken).encode()
    for head in (b'name="files"; filename="' + broken + b'.ndjson"', percent + b".ndjson"):
        for parts in ((good, part(head, PAI_GOW)), (part(head, PAI_GOW), good)):
            status, page = told(sent(browser, "/uploads/", *parts))
            assert (status, "What the form says in “files” is no UTF-8." in page) == (400, True)
    assert not Upload.objects.exists()


def test_a_field_whose_name_is_no_utf_8_is_refused(browser: Client) -> None:
    answer = sent(browser, "/retention/holds", part(b'name="re\xffson"', b"x"))
    assert told(answer)[0] == 400
    assert "re�son" in told(answer)[1]
    body = b"re%FFson=x"
    answer = browser.generic("POST", "/retention/holds", body, content_type=URLENCODED)
    assert (answer.status_code, "re�son" in answer.content.decode()) == (400, True)


def test_whatever_is_utf_8_is_taken_as_it_is(browser: Client) -> None:
    name = "手牌 é � \U0001f004.ndjson"
    file = part(f'name="files"; filename="{name}"'.encode(), PAI_GOW + b"\n")
    reason = part(b'name="restatement"', "重算 � \U0001f004".encode())
    assert sent(browser, "/uploads/", file, reason).status_code == 302
    upload = Upload.objects.get()
    assert (upload.name, upload.restatement) == (name, "重算 � \U0001f004")
    other = part(b"name=\"files\"; filename*=UTF-8''%E6%89%8B.ndjson", b'{"hand": 1}\n')
    assert sent(browser, "/uploads/", other).status_code == 302
    assert Upload.objects.latest("id").name == "手.ndjson"


def test_a_stranger_is_told_as_well_and_no_body_of_the_api_is_read_as_a_form(db: None) -> None:
    answer = Client().generic("POST", "/login", b"username=%FF&password=x", content_type=URLENCODED)
    assert (answer.status_code, "“username”" in answer.content.decode()) == (400, True)
    answer = Client().generic("POST", "/retention/holds", b"a=%FF", content_type=URLENCODED)
    assert answer.status_code == 302
    answer = Client().generic("POST", "/api/v1/uploads/", b"a=%FF", content_type=URLENCODED)
    assert answer.status_code == 415


class Body:
    def __init__(self, data: bytes, step: int) -> None:
        self.left, self.step = data, step

    def read(self, size: int | None = None) -> bytes:
        data, self.left = self.left[: self.step], self.left[self.step :]
        return data


@pytest.mark.parametrize("step", [1, 2, 7, 64, 10_000])
def test_a_head_is_found_however_the_body_comes_in_pieces(step: int) -> None:
    fine = part(b'name="a"', b"\xff" * 50) + part(b'name="b"; filename="x"', b"y\r\n\r\n\xff" * 9)
    whole = fine + part(b'name="c"; filename="\xff"', b"z")
    for data, bad in ((fine, None), (whole, "c"), (b"\xff" * HEAD_MAX + whole, "c")):
        heads = Heads(Body(data, step), BOUNDARY)
        read = b"".join(iter(partial(heads.read, 10), b""))
        assert (read == data, heads.bad) == (True, bad)
