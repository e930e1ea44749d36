"""The description of the API as its page shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

JSON = "application/json"
# A paragraph: pieces of text, each with whether it is code.
Prose = tuple[tuple[str, bool], ...]
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, or a field of a shape; `type` is in words, `shape` one to be looked up."""

    name: str
    place: str
    type: str
    shape: str
    about: str
    is_required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A status with what comes with it; `example` is JSON or text, `file` the address of one that
    is neither; empty where there is none."""

    status: str
    about: str
    shape: str
    example: str
    file: str
    codes: tuple[tuple[str, str], ...]

    @property
    def is_good(self) -> bool:
        return self.status.startswith("2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An operation."""

    id: str
    method: str
    path: str
    summary: str
    about: tuple[Prose, ...]
    parameters: tuple[Field, ...]
    body_types: str
    body_about: str
    body_shape: str
    body_example: str
    curl: str
    good: tuple[Answer, ...]
    bad: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Operations of one kind."""

    name: str
    anchor: str
    operations: tuple[Told, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeTold:
    """A shape by its name."""

    name: str
    about: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """All of it."""

    groups: tuple[Group, ...]
    shapes: tuple[ShapeTold, ...]
    count: int


def present(description: Mapping[str, Any]) -> Described:
    components = description["components"]
    groups: dict[str, list[Told]] = {}
    for path, methods in description["paths"].items():
        for method in METHODS:
            if (operation := methods.get(method)) is not None:
                told = _operation(path, method, operation, components)
                groups.setdefault(operation["tags"][0], []).append(told)
    return Described(
        groups=tuple(
            Group(name=name, anchor=_anchor(name), operations=tuple(told))
            for name, told in groups.items()
        ),
        shapes=tuple(
            ShapeTold(name=name, about=schema.get("description", ""), fields=tuple(_fields(schema)))
            for name, schema in sorted(components["schemas"].items())
        ),
        count=sum(len(told) for told in groups.values()),
    )


def _operation(
    path: str, method: str, operation: Mapping[str, Any], components: Mapping[str, Any]
) -> Told:
    body = operation.get("requestBody") or {"content": {}}
    kinds = list(body["content"])
    first = body["content"][kinds[0]] if kinds else {}
    answers = [_answer(status, one) for status, one in operation["responses"].items()]
    parameters = tuple(_parameter(one, components) for one in operation.get("parameters", ()))
    return Told(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        about=tuple(_prose(text) for text in operation["description"].split("\n\n")),
        parameters=parameters,
        body_types=", ".join(kinds),
        body_about=body.get("description", ""),
        body_shape=_shape(first.get("schema", {})),
        body_example=_text(first.get("example")),
        curl=_curl(path, method, operation, kinds, first),
        good=tuple(one for one in answers if one.is_good),
        bad=tuple(one for one in answers if not one.is_good),
    )


def _curl(
    path: str,
    method: str,
    operation: Mapping[str, Any],
    kinds: list[str],
    body: Mapping[str, Any],
) -> str:
    """A line for a shell, with the examples of the parameters of the path."""
    examples = {one["name"]: one.get("example") for one in operation.get("parameters", ())
                if one.get("in") == "path"}  # fmt: skip
    address = re.sub(r"{(\w+)}", lambda match: str(examples[match.group(1)]), path)
    parts = ["curl"]
    if method != "get":
        parts.append(f"-X {method.upper()}")
    parts.append('-H "Authorization: Bearer $KEY"')
    if kinds:
        parts.append(f'-H "Content-Type: {kinds[0]}"')
        sent = body.get("example")
        parts.append("-T -" if sent is None or kinds[0] != JSON else f"-d '{json.dumps(sent)}'")
    parts.append(f'"$SERVER{address}"')
    return " ".join(parts)


def _answer(status: str, answer: Mapping[str, Any]) -> Answer:
    content = answer.get("content", {})
    kind = next(iter(content), "")
    told = content.get(kind, {})
    examples = told.get("examples", {})
    file = examples.get("file", {}).get("externalValue", "")
    codes = tuple(
        (code, example["value"]["error"]["message"])
        for code, example in examples.items()
        if "value" in example
    )
    return Answer(
        status=status,
        about="" if codes else answer["description"],
        shape=_shape(told.get("schema", {})) if kind == JSON else kind,
        example=_text(told.get("example")),
        file=file,
        codes=codes,
    )


def _parameter(one: Mapping[str, Any], components: Mapping[str, Any]) -> Field:
    if "$ref" in one:
        one = components["parameters"][one["$ref"].rpartition("/")[2]]
    return Field(
        name=one["name"],
        place=one["in"],
        type=_type(one["schema"]),
        shape="",
        about=one.get("description", ""),
        is_required=bool(one.get("required")),
    )


def _fields(schema: Mapping[str, Any]) -> list[Field]:
    required = schema.get("required", ())
    return [
        Field(
            name=name,
            place="",
            type=_type(one),
            shape=_shape(one),
            about=one.get("description", ""),
            is_required=name in required,
        )
        for name, one in schema.get("properties", {}).items()
    ]


def _shape(schema: Mapping[str, Any]) -> str:
    """The name of the shape that is meant, or listed, or may be there."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    for inner in (schema.get("items"), *schema.get("anyOf", ())):
        if isinstance(inner, Mapping) and (found := _shape(inner)):
            return found
    return ""


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(str(one) for one in schema["enum"])
    kind = schema.get("type", "any")
    if "prefixItems" in schema:
        return "list of " + ", ".join(_type(one) for one in schema["prefixItems"])
    if kind == "array":
        return f"list of {_type(schema['items'])}"
    if isinstance(kind, list):
        return " or ".join(kind)
    return str(schema.get("format", kind))


def _text(example: Any) -> str:
    if example is None:
        return ""
    if isinstance(example, str):
        return example
    return json.dumps(example, indent=2, ensure_ascii=False)


def _prose(text: str) -> Prose:
    return tuple((piece, place % 2 == 1) for place, piece in enumerate(text.split("`")))


def _anchor(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower())
