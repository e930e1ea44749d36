"""What the operations on the own keys and on the journal say of themselves."""

from __future__ import annotations

from typing import Any

from audit.api import shapes_journal, shapes_library
from audit.api.describing import Operation, Parameter
from audit.api.pages import PAGING
from audit.api.queries import DAY, NUMBER, choice
from audit.selectors.access import Act

NAME_MAX = 150
_NAME: dict[str, Any] = {"type": "string", "maxLength": NAME_MAX, "pattern": "^[^\\u0000]*$"}
_KEY: dict[str, Any] = {
    "id": "3", "url": "/api/v1/keys/3/", "name": "night feed", "prefix": "tc_8gs_5H",
    "acts": ["upload", "see-uploads"], "sources": ["house"], "created_at": "2025-05-01T08:00:00Z",
    "expires_at": "2025-07-30T08:00:00Z", "revoked_at": None,
    "last_used_at": "2025-05-02T01:00:00Z", "is_this": True,
}  # fmt: skip
_ENTRY: dict[str, Any] = {
    "id": "1201", "at": "2025-05-02T02:00:00.5Z", "actor": "ines.castro", "act": "see-hands",
    "subject": "GET api-hand hand:12", "source": None, "hand": "12", "player": None,
    "detail": {"status": 200}, "address": "192.0.2.7", "visit": None, "key": "3",
}  # fmt: skip

KEYS = Operation(
    id="keys_list",
    group="Your keys",
    summary="Your keys, the newest first",
    gives=shapes_library.OwnKeys,
    example={"keys": [_KEY]},
)
KEY = Operation(
    id="key",
    group="Your keys",
    summary="One of your keys",
    gives=shapes_library.OwnKey,
    example=_KEY,
    refuses=("not-found",),
)
KEY_END = Operation(
    id="key_end",
    group="Your keys",
    summary="End one of your keys now",
    about="Also the one that is shown: it is refused from the next request on, and gone.",
    gives=shapes_library.OwnKey,
    example={**_KEY, "revoked_at": "2025-05-02T03:00:00Z"},
    refuses=("not-found",),
)
JOURNAL_FILTERS = tuple(
    Parameter(name=name, about=about, schema=schema, example=example)
    for name, about, schema, example in (
        ("actor", "Only of this account, by its name.", _NAME, "ines.castro"),
        ("act", "Only this act.", choice(*Act), "see-hands"),
        ("hand", "Only about this hand.", NUMBER, 12),
        ("player", "Only about this player.", _NAME, "Ling"),
        ("source", "Only about this source.", _NAME, "house"),
        ("visit", "Only of this stay in a browser.", NUMBER, 4),
        ("from", "From this day in UTC on.", DAY, "2025-05-01"),
        ("to", "To this day in UTC, included.", DAY, "2025-05-31"),
        ("refused", "Only what was refused.", choice("1"), "1"),
    )
)  # fmt: skip
JOURNAL = Operation(
    id="journal_list",
    group="Journal",
    summary="Who looked at what, the newest first",
    about="For auditors. It has every view, search and export of a hand or a person, by page and by"
    " program; an account for some sources sees what is about them.",
    parameters=(*JOURNAL_FILTERS, *PAGING),
    gives=shapes_journal.JournalPage,
    example={"entries": [_ENTRY], "next": None, "previous": None},
)
