"""The description of the API says what is there, and its page shows it."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import msgspec
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, get_resolver
from drf_spectacular.generators import EndpointEnumerator

from audit.api.describing import JSON, Operation, operation_of
from audit.api.docs import description
from audit.api.known_errors import ERRORS
from tests.api.conftest import Send

METHODS = {"get", "post", "put", "patch", "delete"}


def operations() -> list[tuple[str, Operation]]:
    found = []
    for path, _, method, callback in EndpointEnumerator().get_api_endpoints():
        operation = operation_of(getattr(callback.cls, method.lower(), None))
        if operation is not None:
            found.append((f"{method} {path}", operation))
    return found


def test_the_description_is_valid_and_nothing_is_left_out() -> None:
    out = io.StringIO()
    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=out
    )
    written = json.loads(out.getvalue())
    assert written["openapi"] == "3.1.1"
    told = {
        f"{method.upper()} {path}"
        for path, methods in written["paths"].items()
        for method in methods
        if method in METHODS
    }
    assert told == {name for name, _ in operations()}


def test_every_address_below_v1_is_described() -> None:
    described = set(description()["paths"])
    addresses = set()
    for pattern in get_resolver("audit.api.urls").url_patterns:
        assert isinstance(pattern, URLPattern)
        route = str(pattern.pattern)
        if route.startswith("api/v1/"):
            addresses.add("/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route))
    assert described == addresses


@pytest.mark.parametrize(
    ("name", "operation"), operations(), ids=[name for name, _ in operations()]
)
def test_examples_are_of_the_shape_that_is_told(name: str, operation: Operation) -> None:
    if operation.media_type == JSON:
        assert operation.example is not None
        assert operation.gives is not None
        msgspec.json.decode(json.dumps(operation.example), type=operation.gives)
        shape: Any = operation.gives
        fields = {field.encode_name for field in msgspec.structs.fields(shape)}
        assert set(operation.example) <= fields
    if operation.body is not None and operation.body.shape is not None:
        msgspec.json.decode(json.dumps(operation.body.example), type=operation.body.shape)


def test_each_answer_and_each_body_of_the_description_has_an_example() -> None:
    lacking = []
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            name = f"{method.upper()} {path}"
            good = next(one for status, one in operation["responses"].items() if status[0] == "2")
            # A log is described in words: it is bytes in several forms.
            sent = operation.get("requestBody", {}).get("content", {})
            shapes = [one for one in sent.values() if one["schema"] != {"type": "string"}]
            told = (*good.get("content", {}).values(), *shapes)
            if not all({"example", "examples"} & set(one) for one in told):
                lacking.append(name)
    assert lacking == []


def test_every_operation_says_who_may_and_how_it_refuses() -> None:
    ids = set()
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            ids.add(operation["operationId"])
            assert operation["security"] == [{"key": []}, {"session": []}], path
            assert "Takes " in operation["description"], path
            for status in ("400", "401", "403", "405", "429", "500", "503"):
                examples = operation["responses"][status]["content"][JSON]["examples"]
                assert all(ERRORS[code].status == int(status) for code in examples)
            if method != "get":
                continue
            assert ("304" in operation["responses"]) == (
                "ETag" in operation["responses"]["200"].get("headers", {})
            )
    assert len(ids) == len(operations())


def test_the_description_is_for_whoever_is_signed_in(ask: Send) -> None:
    answer = ask("/api/schema/")
    assert (answer.status_code, answer["Content-Type"]) == (200, JSON)
    assert answer.json() == json.loads(msgspec.json.encode(description()))
    assert ask("/api/schema/", If_None_Match=answer["ETag"]).status_code == 304
    refused = Client().get("/api/schema/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "not-authenticated")


def test_the_page_shows_every_operation_without_any_script_of_its_own(account: Any) -> None:
    client = Client()
    client.force_login(account)
    answer = client.get("/api/docs/")
    page = answer.content.decode()
    assert answer.status_code == 200
    for _, operation in operations():
        assert f'id="{operation.id}"' in page
    for name in description()["components"]["schemas"]:
        assert f'id="shape-{name}"' in page
    # What the strict policy of the site would refuse, and what would ask another host.
    assert not re.search(r"<style|style=|javascript:| on\w+=", page)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", page)
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(re.findall(r'id="([\w-]+)"', page))


def test_the_page_leads_a_stranger_to_the_log_in(db: Any) -> None:
    answer = Client().get("/api/docs/")
    assert (answer.status_code, answer["Location"]) == (302, "/login?next=/api/docs/")
