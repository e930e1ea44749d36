"""The description of the API, OpenAPI 3.1, made of what stands beside each view."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from django.templatetags.static import static
from drf_spectacular.drainage import warn
from drf_spectacular.openapi import AutoSchema

from audit.api.describing import ATTRIBUTE, JSON, Body, Operation, Parameter, operation_of
from audit.api.errors import example_of_error
from audit.api.known_errors import ERRORS
from audit.api.permissions import Needed
from audit.selectors.pages import KEY_MAX

_TEMPLATE = "#/components/schemas/{name}"
_NUMBER: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": KEY_MAX}
_NAME: Mapping[str, Any] = {"type": "string", "minLength": 1, "maxLength": 128}
# The parts of addresses, by the name that stands in them.
PLACES: Mapping[str, Parameter] = {
    one.name: one
    for one in (
        Parameter(place="path", is_required=True, name=name, about=about, schema=schema,
                  example=example)
        for name, about, schema, example in (
            ("hand", "The key of a hand, as its `id` says.", _NUMBER, 12),
            ("upload", "The number of an upload.", _NUMBER, 7),
            ("version", "Which record of a hand, counted from 1.", _NUMBER, 1),
            ("number", "The step: 0 is the table before the first event.",
             {"type": "integer", "minimum": 0, "maximum": KEY_MAX}, 3),
            ("reaudit", "The number of a re-audit.", _NUMBER, 2),
            ("certificate", "The number of a certificate.", _NUMBER, 7),
            ("run", "The number of a run that makes certificates.", _NUMBER, 3),
            ("verdict", "The number of a verdict.", _NUMBER, 31),
            ("case", "The number of a case, without its C-.", _NUMBER, 4),
            ("claim", "The number of a claim, without its K-.", _NUMBER, 9),
            ("remedy", "The number of a remedy, without its R-.", _NUMBER, 5),
            ("key", "The number of one of your keys.", _NUMBER, 3),
            ("ruleset", "The id of a ruleset.", _NAME, "tien-gow/classic"),
            ("revision", "The revision of a ruleset.", _NUMBER, 1),
            ("source", "The name of a source, exactly.", _NAME, "house"),
            ("made", "The number of a report.", _NUMBER, 7),
            ("form", "Which file.",
             {"type": "string", "enum": ["pdf", "csv", "json", "note"]}, "csv"),
            ("report", "Which table.",
             {"type": "string", "enum": ["hands", "figures", "findings", "totals"]}, "hands"),
        )
    )
}  # fmt: skip


class Described(AutoSchema):
    """Gives each operation as its view describes it; what is not described is a warning."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        handler = getattr(type(self.view), method.lower(), None)
        operation = operation_of(handler)
        if operation is None:
            if not getattr(type(self.view), "is_no_resource", False):
                warn(f"{method} {path} says nothing of itself ({ATTRIBUTE})")
            return None
        return _written(operation, path, self.view.permission_classes)


def _written(operation: Operation, path: str, permissions: Sequence[Any]) -> dict[str, Any]:
    names = re.findall(r"{(\w+)}", path)
    parameters = [*(PLACES[name] for name in names), *operation.parameters]
    written: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.group],
        "summary": operation.summary,
        "description": "\n\n".join(filter(None, [operation.about, _takes(operation, permissions)])),
        "security": [{"key": []}, {"session": []}],
        "responses": dict(_responses(operation)),
    }
    if parameters:
        written["parameters"] = [_parameter(one) for one in parameters]
    if operation.may_be_same:
        written.setdefault("parameters", []).append({"$ref": "#/components/parameters/IfNoneMatch"})
    if operation.body is not None:
        written["requestBody"] = _body(operation.body)
    return written


def _takes(operation: Operation, permissions: Sequence[Any]) -> str:
    """In words, which act of the table of access one needs."""
    for one in permissions:
        if isinstance(one, type) and issubclass(one, Needed):
            is_write = operation.body is not None or operation.status in (201, 202, 204)
            act = one.write if is_write and one.write is not None else one.act
            return f"Takes the act `{act.value}`, by a role of the account and a scope of the key."
    return "Takes nothing but to be signed in, or any key."


def _parameter(parameter: Parameter) -> dict[str, Any]:
    written: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.about,
        "schema": dict(parameter.schema),
    }
    if parameter.is_required:
        written["required"] = True
    if parameter.example not in (None, ""):
        written["example"] = parameter.example
    return written


def _body(body: Body) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for kind in body.types:
        schema = schema_of(body.shape) if body.shape is not None else {"type": "string"}
        content[kind] = {"schema": schema}
        if body.example is not None:
            content[kind]["example"] = body.example
    return {"description": body.about, "content": content, "required": body.is_required}


def _responses(operation: Operation) -> Iterator[tuple[str, Any]]:
    headers = {
        name: {"description": about, "schema": {"type": "string"}}
        for name, about in (operation.headers or {}).items()
    }
    if operation.may_be_same:
        headers["ETag"] = {
            "description": "Stands for this answer; show it as If-None-Match.",
            "schema": {"type": "string"},
        }
    good: dict[str, Any] = {"description": operation.summary}
    if headers:
        good["headers"] = headers
    if operation.media_type != JSON:
        good["content"] = {operation.media_type: {"schema": {"type": "string"}}}
        if operation.example is not None:
            good["content"][operation.media_type]["example"] = operation.example
        if operation.example_file:
            file = {"summary": "A file", "externalValue": static(operation.example_file)}
            good["content"][operation.media_type]["examples"] = {"file": file}
    elif operation.gives is not None:
        content: dict[str, Any] = {"schema": schema_of(operation.gives)}
        if operation.example is not None:
            content["example"] = operation.example
        good["content"] = {JSON: content}
    yield str(operation.status), good
    if operation.may_be_same:
        yield "304", {"description": "You have it: the ETag that was shown still holds."}
    by_status: dict[int, list[str]] = {}
    for code in operation.errors:
        by_status.setdefault(ERRORS[code].status, []).append(code)
    for status, codes in by_status.items():
        yield str(status), _refusal(codes, status)


def _refusal(codes: list[str], status: int) -> dict[str, Any]:
    written: dict[str, Any] = {
        "description": " ".join(f"`{code}`: {ERRORS[code].about}" for code in codes),
        "content": {
            JSON: {
                "schema": {"$ref": "#/components/schemas/Failure"},
                "examples": {code: {"value": example_of_error(code)} for code in codes},
            }
        },
    }
    if status in (429, 503):
        written["headers"] = {
            "Retry-After": {"description": "After how many seconds.", "schema": {"type": "string"}}
        }
    return written


def schema_of(shape: Any) -> dict[str, Any]:
    """JSON Schema of a type, whose parts with names stand among the components."""
    schemas, _ = msgspec.json.schema_components([shape], ref_template=_TEMPLATE)
    return dict(schemas[0])


def with_components(result: dict[str, Any], generator: Any, **given: Any) -> dict[str, Any]:
    """Add what the operations refer to: the shapes, the headers, the ways to say who one is."""
    shapes: list[Any] = []
    for _path, _regex, method, view in generator._get_paths_and_endpoints():  # noqa: SLF001
        operation = operation_of(getattr(type(view), method.lower(), None))
        if operation is not None:
            shapes += [operation.gives, operation.body.shape if operation.body else None]
    from_types = [shape for shape in shapes if shape is not None]
    _unused, named = msgspec.json.schema_components(from_types, ref_template=_TEMPLATE)
    components = result.setdefault("components", {})
    components["schemas"] = {**named, "Failure": FAILURE}
    components["parameters"] = {
        "IfNoneMatch": {
            "name": "If-None-Match",
            "in": "header",
            "description": "The ETag of the answer that you have.",
            "schema": {"type": "string"},
        }
    }
    components["securitySchemes"] = SECURITY
    return result


FAILURE: Mapping[str, Any] = {
    "title": "Failure",
    "description": "The one form of every error.",
    "type": "object",
    "required": ["error"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "place"],
            "additionalProperties": False,
            "properties": {
                "code": {"enum": sorted(ERRORS), "description": "For programs; it stays."},
                "message": {"type": "string", "description": "For people; it may change."},
                "place": {
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "description": "A parameter, a header, or a path in the body.",
                },
            },
        }
    },
}
SECURITY: Mapping[str, Any] = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": (
            "A key of the API, made by `manage.py api_token` or on the page of your keys. It acts"
            " for its account, within the acts and sources that it was made for, until it ends."
        ),
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": (
            "The session of a page of ours; what changes something shows the form's token in"
            " X-CSRFToken."
        ),
    },
}
