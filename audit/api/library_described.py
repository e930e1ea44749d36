"""What the operations on rulesets, sources and names say of themselves."""

from __future__ import annotations

from typing import Any

import replay
from audit.api import shapes_library as shapes
from audit.api.describing import Operation, Parameter
from audit.api.pages import PAGING
from audit.api.queries import TEXT, choice

HASH = "5c7e2d0b9a4f4c1e8d3b6a7f90e1c2d3b4a5968778695a4b3c2d1e0f98a7b6c5"
_RULESET: dict[str, Any] = {
    "name": "tien-gow/classic@1", "url": "/api/v1/rulesets/tien-gow/classic/1/",
    "id": "tien-gow/classic", "revision": 1, "game": "tien-gow", "title": "Tien Gow, house",
    "sha256": HASH,
}  # fmt: skip
_SOURCE: dict[str, Any] = {
    "name": "house", "url": "/api/v1/sources/house/", "feed": None, "hands": 25, "is_more": False,
    "tables": 2, "first_day": "2025-05-01", "last_day": "2025-05-02", "unknown_fields": 0,
}  # fmt: skip

RULESETS = Operation(
    id="rulesets_list",
    group="Rulesets",
    summary="Every ruleset by which hands are judged now",
    parameters=(
        Parameter(name="game", about="Only of this game.", schema=choice(*replay.GAMES),
                  example="tien-gow"),
    ),
    gives=shapes.RulesetList,
    example={"rulesets": [_RULESET]},
    may_be_same=True,
)  # fmt: skip
RULESET = Operation(
    id="ruleset",
    group="Rulesets",
    summary="One ruleset with its options",
    gives=shapes.RulesetOne,
    example={
        **_RULESET,
        "options": {"rake_rate": "0.05", "seats": 4},
        "said_by": {"rake_rate": "house"},
        "content": "/api/v1/rulesets/tien-gow/classic/1/bytes",
        "rehearsed": 1_000,
        "rehearsed_of": 84_120,
        "rehearsed_few": None,
    },
    refuses=("not-found",),
    may_be_same=True,
)
RULESET_BYTES = Operation(
    id="ruleset_bytes",
    group="Rulesets",
    summary="The exact bytes of a ruleset's file",
    media_type="application/toml",
    example='id = "tien-gow/classic"\nrevision = 1\n',
    refuses=("not-found",),
    may_be_same=True,
)
SOURCES = Operation(
    id="sources_list",
    group="Sources",
    summary="The sources with what each sent",
    gives=shapes.SourceList,
    example={"sources": [_SOURCE]},
)
SOURCE = Operation(
    id="source",
    group="Sources",
    summary="One source with what its records lack",
    gives=shapes.SourceOne,
    example={**_SOURCE, "records": 0, "gaps": {}, "drift": []},
    refuses=("not-found",),
)
PLAYERS = Operation(
    id="players_list",
    group="Players",
    summary="The names that were seen, the last noted first",
    about="`name` finds what is written so, what looks so, and what begins to look so.",
    parameters=(
        Parameter(name="name", about="A name, or how one begins.", schema=TEXT, example="Ling"),
        Parameter(name="source", about="Only of this source.", schema=TEXT, example="house"),
        Parameter(name="unusual", about="Only those with unusual characters.",
                  schema=choice("1"), example="1"),
        *PAGING,
    ),
    gives=shapes.PlayerPage,
    example={
        "players": [
            {"source": "house", "name": "Ling", "first_noted_at": "2025-05-02T01:00:02Z",
             "is_unusual": False, "looks_like": "ling"}
        ],
        "next": None,
        "previous": None,
    },
    )  # fmt: skip
RENAMES = Operation(
    id="renames_list",
    group="Players",
    summary="Probable renames, the last found first",
    parameters=PAGING,
    gives=shapes.RenamePage,
    example={
        "renames": [
            {"source": "house", "table": "T1", "seat": 2, "old_name": "Ling",
             "new_name": "Ling2", "hand": "12", "found_at": "2025-05-02T01:00:03Z",
             "is_decided": False}
        ],
        "next": None,
        "previous": None,
    },
)  # fmt: skip
NAME_DECISIONS = Operation(
    id="name_decisions_list",
    group="Players",
    summary="What persons decided of names, the last first",
    about="Of two names the newest decision holds.",
    parameters=PAGING,
    gives=shapes.NameDecisionPage,
    example={
        "decisions": [
            {"source": "house", "names": ["Ling", "Ling2"], "is_one": True,
             "reason": "passport seen", "by": "ines.castro", "at": "2025-05-02T09:12:40Z",
             "holds": True}
        ],
        "next": None,
        "previous": None,
    },
)  # fmt: skip
