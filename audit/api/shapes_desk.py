"""What the API tells of the desk, and what it takes for it: cases, acts, claims, remedies."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from audit.api.shapes import FindingRow, Key, Path, Shape, Utc

CaseStateWord = Literal["open", "decided", "withdrawn"]
DecisionWord = Literal["operator", "player", "log", "engine", "rule"]
# Of a text of these alone nothing is seen, so that it says nothing (audit.services.texts.written).
UNSEEN = (
    r"\s\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
Text = Annotated[
    str,
    Meta(min_length=1, max_length=4_000, pattern=rf"^[^\u0000]*[^{UNSEEN}][^\u0000]*$"),
]
Revision = (
    Annotated[
        int,
        Meta(
            ge=0,
            le=2_147_483_647,
            description="The `revision` of the case that you saw: 409 if somebody acted since.",
        ),
    ]
    | None
)


class Amount(Shape, frozen=True, kw_only=True):
    """An amount of one currency."""

    currency: str
    amount: Annotated[str, Meta(description="Decimal, with the decimals of its currency.")]


class CaseCause(Shape, frozen=True, kw_only=True):
    """What the hands of a case have in common; null where only a claim opened it."""

    game: str
    ruleset: str
    code: str
    rule: str | None
    relation: str | None
    explained_by: list[str]


class CaseShort(Shape, frozen=True, kw_only=True):
    """A case as lists have it."""

    id: Key
    url: Path
    page: Path
    source: str
    state: CaseStateWord
    decision: DecisionWord | None
    held_by: Annotated[str | None, Meta(description="Whose it is now; null where it is free.")]
    held_until: Utc | None
    opened_at: Utc
    due_at: Utc
    revision: int
    hands: int
    claims: int
    at_risk: list[Amount]
    cause: CaseCause | None
    earlier: Annotated[Key | None, Meta(description="The closed case before it.")]


class CasePage(Shape, frozen=True, kw_only=True):
    """A page of cases."""

    cases: list[CaseShort]
    next: str | None
    previous: str | None


class Exposed(Shape, frozen=True, kw_only=True):
    """What a player got by the log and gets by the rules, over the hands that stand."""

    player: str
    currency: str
    hands: int
    hands_unknown: int
    logged: str
    recomputed: str
    difference: str


class CaseOne(CaseShort, frozen=True, kw_only=True):
    """A case whole, but for its hands and acts, which have lists of their own."""

    players: list[Exposed]
    players_in_all: int
    left: Annotated[int, Meta(description="How many hands left the case.")]
    claim_ids: list[Key]
    remedy_ids: list[Key]
    acts: Path
    members: Path


class Member(Shape, frozen=True, kw_only=True):
    """A hand that stands in a case, or left it."""

    hand: Key
    url: Path
    hand_id: str
    table: str
    started_at: str
    played_at: Utc
    players: list[str]
    at_risk: Amount
    is_known: bool
    left_at: Utc | None
    finding: FindingRow | None


class MemberPage(Shape, frozen=True, kw_only=True):
    """A page of the hands of a case."""

    hands: list[Member]
    next: str | None
    previous: str | None


class CaseAct(Shape, frozen=True, kw_only=True):
    """One act on a case; `by` is null for the audit itself."""

    number: int
    kind: str
    by: str | None
    at: Utc
    text: str | None
    decision: DecisionWord | None
    assigned_to: str | None
    held_until: Utc | None
    count: int
    hand: Key | None
    step: int | None
    claim: Key | None
    remedy: Key | None


class CaseActPage(Shape, frozen=True, kw_only=True):
    """A page of the acts of a case, the newest first."""

    acts: list[CaseAct]
    next: str | None
    previous: str | None


class Comment(msgspec.Struct, forbid_unknown_fields=True, tag_field="act", tag="comment"):
    """Say something about a case, also a closed one; `step` is one of `hand`."""

    text: Text
    hand: Key | None = None
    step: Annotated[int, Meta(ge=0, le=5_000)] | None = None


class Take(msgspec.Struct, forbid_unknown_fields=True, tag_field="act", tag="take"):
    """Take a case, or prolong the own lock."""

    revision: Revision = None


class Release(msgspec.Struct, forbid_unknown_fields=True, tag_field="act", tag="release"):
    """Hand a case back to the queue."""

    note: Annotated[
        str, Meta(max_length=4_000, pattern=rf"^([^\u0000]*[^{UNSEEN}][^\u0000]*)?$")
    ] = ""
    revision: Revision = None


class Decide(msgspec.Struct, forbid_unknown_fields=True, tag_field="act", tag="decide"):
    """Decide an open case that nobody else has."""

    decision: DecisionWord
    reason: Text
    revision: Revision = None


class Reopen(msgspec.Struct, forbid_unknown_fields=True, tag_field="act", tag="reopen"):
    """Open a closed case again."""

    reason: Text
    revision: Revision = None


class Withdraw(msgspec.Struct, forbid_unknown_fields=True, tag_field="act", tag="withdraw"):
    """Close an open case without a decision."""

    reason: Text
    revision: Revision = None


ActAsked = Comment | Take | Release | Decide | Reopen | Withdraw


class Complaint(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What a player says, as it is lodged."""

    player: Annotated[str, Meta(min_length=1, max_length=128, pattern="^[^\\u0000]*$")]
    said_at: Annotated[
        datetime, Meta(tz=True, description="When the player said it, with an offset.")
    ]
    text: Text
    hands: Annotated[list[Key], Meta(min_length=1, max_length=100)]
    amount: Annotated[
        str,
        Meta(
            pattern=r"^(|(0|[1-9][0-9]{0,14})(\.[0-9]{1,8})?)$",
            description="As the player puts it, in the currency of the hands; empty for none.",
        ),
    ] = ""


class ClaimShort(Shape, frozen=True, kw_only=True):
    """A claim as lists have it, and the receipt of one that was lodged."""

    id: Key
    url: Path
    reference: Annotated[str, Meta(description="What to tell the player.")]
    case: Key
    case_url: Path
    case_state: CaseStateWord
    case_decision: DecisionWord | None
    source: str
    player: str
    said_at: Utc
    deadline_at: Utc
    text: str
    amount: Amount | None
    entered_by: str
    entered_at: Utc
    is_withdrawn: bool


class ClaimPage(Shape, frozen=True, kw_only=True):
    """A page of claims, the newest first."""

    claims: list[ClaimShort]
    next: str | None
    previous: str | None


class ClaimedHand(Shape, frozen=True, kw_only=True):
    """A hand that a claim is about."""

    hand: Key
    url: Path
    hand_id: str
    table: str
    started_at: str
    verdict: str


class ClaimOne(ClaimShort, frozen=True, kw_only=True):
    """A claim with its hands and what was done about its case since: the history of its status."""

    hands: list[ClaimedHand]
    history: list[CaseAct]


class Entry(Shape, frozen=True, kw_only=True):
    """One side of a booking."""

    account: str
    player: str | None
    currency: str
    amount: str


class RemedyShort(Shape, frozen=True, kw_only=True):
    """A remedy as lists have it."""

    id: Key
    url: Path
    case: Key
    state: str
    reason: str
    proposed_by: str
    proposed_at: Utc
    settled_by: str | None
    settled_at: Utc | None
    exported_by: str | None
    exported_at: Utc | None


class RemedyPage(Shape, frozen=True, kw_only=True):
    """A page of remedies, the newest first."""

    remedies: list[RemedyShort]
    next: str | None
    previous: str | None


class RemedyOne(RemedyShort, frozen=True, kw_only=True):
    """A remedy with its entries, which sum to zero in each currency."""

    entries: list[Entry]
