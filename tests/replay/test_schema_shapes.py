"""The published schemas name what the code names: fields, enumerations, codes, options."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec.inspect as inspected
import pytest

import replay
from replay.banker_pai_gow.ranking import RankCode
from replay.tien_gow.dealing import METHODS
from replay.tien_gow.lipai import PATTERNS
from tests.replay.schemas import DEFINITION, DOCS, HAND_LOG, VERDICT


def merged(node: dict[str, Any]) -> dict[str, Any]:
    """A schema with its reference put in; properties of both count."""
    if "$ref" not in node:
        return node
    target = merged(HAND_LOG["$defs"][node["$ref"].removeprefix("#/$defs/")])
    both = {**target, **node}
    properties = {**target.get("properties", {})}
    for name, part in node.get("properties", {}).items():
        properties[name] = {**properties.get(name, {}), **part}
    both["properties"] = properties
    both["required"] = [*target.get("required", ()), *node.get("required", ())]
    return both


def shape_of_schema(node: dict[str, Any]) -> Any:
    """What a schema says of names, what is required, and enumerations."""
    node = merged(node)
    if "const" in node:
        return {node["const"]}
    if "enum" in node:
        return set(node["enum"])
    if "anyOf" in node or "oneOf" in node:
        return [shape_of_schema(part) for part in node.get("anyOf") or node["oneOf"]]
    if node["type"] == "array":
        return (shape_of_schema(node["items"]),)
    if node["type"] == "object" and node["properties"]:
        return {
            name: (name in node["required"], shape_of_schema(part))
            for name, part in node["properties"].items()
        }
    return node["type"]


TYPES: dict[type, str] = {
    inspected.StrType: "string",
    inspected.IntType: "integer",
    inspected.BoolType: "boolean",
    inspected.NoneType: "null",
    # `ext`, whose JSON is kept as it is.
    inspected.RawType: "object",
}


def shape_of_type(kind: Any) -> Any:
    """The same of a type of the core."""
    if isinstance(kind, inspected.StructType):
        fields = {
            field.encode_name: (field.required, shape_of_type(field.type)) for field in kind.fields
        }
        if kind.tag_field:
            fields[kind.tag_field] = (True, {kind.tag})
        return fields
    if isinstance(kind, inspected.LiteralType):
        return set(kind.values)
    if isinstance(kind, inspected.UnionType):
        return [shape_of_type(part) for part in kind.types]
    if isinstance(kind, inspected.ListType | inspected.VarTupleType):
        return (shape_of_type(kind.item_type),)
    if isinstance(kind, inspected.TupleType):
        assert len({str(part) for part in kind.item_types}) == 1
        return (shape_of_type(kind.item_types[0]),)
    return TYPES[type(kind)]


def settled(shape: Any) -> Any:
    """Alternatives in a fixed order, whatever order they are written in."""
    if isinstance(shape, list):
        return sorted((settled(part) for part in shape), key=repr)
    if isinstance(shape, dict):
        return {name: (needed, settled(part)) for name, (needed, part) in sorted(shape.items())}
    if isinstance(shape, tuple):
        return tuple(settled(part) for part in shape)
    return sorted(shape) if isinstance(shape, set) else shape


@pytest.mark.parametrize("game", replay.GAMES)
def test_the_shape_of_a_hand_is_that_of_its_type(game: str) -> None:
    schema = shape_of_schema({"$ref": f"#/$defs/{DEFINITION[game]}"})
    core = shape_of_type(inspected.type_info(replay.GAMES[game].hand_type))
    # Which definition speaks of which game is said at the top of the schema.
    assert schema.pop("game") == (True, "string")
    assert core.pop("game") == (True, {game})
    assert settled(schema) == settled(core)


def test_the_games_are_those_of_the_registry() -> None:
    games = list(replay.GAMES)
    assert HAND_LOG["properties"]["game"]["enum"] == games
    assert VERDICT["$defs"]["game"]["enum"] == games
    chosen = {
        name: rule["then"]["$ref"].removeprefix("#/$defs/")
        for rule in HAND_LOG["allOf"]
        for name in [
            rule["if"]["properties"]["game"].get("const"),
            *rule["if"]["properties"]["game"].get("enum", ()),
        ]
        if name
    }
    assert chosen == {game: DEFINITION[game] for game in games}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tile", [kind.code for kind in replay.KINDS]),
        ("paiGowRank", list(get_args(RankCode))),
        ("wallMethod", list(METHODS)),
        ("pattern", list(PATTERNS)),
    ],
)
def test_an_enumeration_is_that_of_the_code(name: str, values: list[str]) -> None:
    assert HAND_LOG["$defs"][name]["enum"] == values


def test_the_finding_codes_are_those_of_the_code() -> None:
    assert VERDICT["$defs"]["code"]["enum"] == list(replay.CODES)
    warnings = [code.code for code in replay.CODES.values() if code.severity == "warning"]
    assert VERDICT["$defs"]["warningCode"]["enum"] == warnings


def test_the_options_that_explain_are_those_that_are_tried() -> None:
    tried: dict[str, list[str]] = {}
    # The small game first: it tries one option more, which stands first.
    for game in sorted(replay.GAMES.values(), key=lambda game: game.name != "small-tien-gow"):
        names = tried.setdefault(game.prefix, [])
        names += [o.name for o in game.options.values() if o.alternatives and o.name not in names]
    published = {}
    for part in VERDICT["$defs"]["explanation"]["anyOf"]:
        match = re.fullmatch(r"\^(\w\w)\\\.\(([a-z0-9_|]+)\)=\[a-z0-9_\.\]\+\$", part["pattern"])
        assert match is not None
        published[match.group(1)] = match.group(2).split("|")
    assert published == tried


def test_every_code_field_and_option_is_in_the_format_page() -> None:
    page = (DOCS / "format.md").read_text("utf-8")
    names = {*replay.CODES, *METHODS, *PATTERNS, *get_args(RankCode)}
    names |= field_names(HAND_LOG) | field_names(VERDICT)
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def field_names(node: object) -> set[str]:
    """Every field that a schema knows."""
    if isinstance(node, list):
        return {name for part in node for name in field_names(part)}
    if not isinstance(node, dict):
        return set()
    own = set(node["properties"]) if isinstance(node.get("properties"), dict) else set()
    return own | {name for part in node.values() for name in field_names(part)}


def test_every_option_is_in_the_rules_page() -> None:
    page = (DOCS / "rules.md").read_text("utf-8")
    for game in replay.GAMES.values():
        missing = [name for name in game.options if f"`{name}`" not in page]
        assert missing == [], game.name
