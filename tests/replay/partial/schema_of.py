"""The schemas of records with gaps, made from the types that read and write them.

`python -m tests.replay.partial.schema_of` writes them anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Union

import msgspec

from replay.partial.gaps import ALWAYS, possible_gaps
from replay.partial.pai_gow_record import PartialPaiGow
from replay.partial.verdict import PartialVerdict
from replay.partial.wenzhou import PartialWenzhou

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schema"
MONEY = {"type": "string", "pattern": r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,8})?$"}
AMOUNTS = frozenset({"base", "carry_in", "gross", "rake", "net", "valid_bet", "stake", "profit"})
RECORDS = {"PartialPaiGow": "banker-pai-gow", "PartialWenzhou": "wenzhou-pai-gow"}


def hand_schema() -> dict[str, Any]:
    """hand-log/1-partial: beyond the types, the form of amounts and the gaps of each game."""
    schema = msgspec.json.schema(Union[PartialPaiGow, PartialWenzhou])  # noqa: UP007
    for definition in schema["$defs"].values():
        for name in definition.get("properties", {}):
            if name in AMOUNTS:
                definition["properties"][name] = MONEY
    for name, game in RECORDS.items():
        gaps = schema["$defs"][name]["properties"]["gaps"]
        gaps["uniqueItems"] = True
        gaps["items"] = {"enum": sorted(possible_gaps(game))}
        gaps["allOf"] = [{"contains": {"const": gap}} for gap in sorted(ALWAYS[game])]
    return headed("hand-log/1-partial, one hand that names what it lacks", schema)


def verdict_schema() -> dict[str, Any]:
    """verdict/1-partial."""
    return headed("verdict/1-partial, one line", msgspec.json.schema(PartialVerdict))


def headed(title: str, schema: dict[str, Any]) -> dict[str, Any]:
    # A word of OpenAPI, of which JSON Schema knows nothing.
    schema.pop("discriminator", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}


FILES = {
    "hand-log-1-partial.schema.json": hand_schema,
    "verdict-1-partial.schema.json": verdict_schema,
}


def text_of(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, make in FILES.items():
        (FOLDER / name).write_text(text_of(make()), "utf-8")
