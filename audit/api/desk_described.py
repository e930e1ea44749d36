"""What the operations of the desk say of themselves."""

from __future__ import annotations

from typing import Any

import replay
from audit.api import shapes_desk as shapes
from audit.api.describing import Body, Operation, Parameter
from audit.api.pages import PAGING
from audit.api.queries import TEXT, choice
from audit.models import RemedyState
from audit.selectors.api_desk import DECISIONS, OWNER_WORDS, STATES

CASES_GROUP, CLAIMS_GROUP, REMEDIES_GROUP = "Cases", "Claims", "Remedies"
WAYS = {"next": None, "previous": None}
CASE_FILTERS = tuple(
    Parameter(name=name, about=about, schema=schema, example=example)
    for name, about, schema, example in (
        ("state", "Only in this state; every one where nothing is said.", choice(*STATES), "open"),
        ("owner", "Only those that are yours, free, or somebody else's.",
         choice(*OWNER_WORDS), "free"),
        ("decision", "Only those decided so.", choice(*DECISIONS), "operator"),
        ("code", "Only those whose cause has this code.", choice(*replay.CODES), "net-mismatch"),
        ("source", "Only of this source, exactly.", TEXT, "house"),
        ("overdue", "Only open ones past their time.", choice("1"), "1"),
    )
)  # fmt: skip
_AMOUNT = {"currency": "HKD", "amount": "1.00"}
_CASE: dict[str, Any] = {
    "id": "4", "url": "/api/v1/cases/4/", "page": "/desk/cases/4/", "source": "house",
    "state": "open", "decision": None, "held_by": None, "held_until": None,
    "opened_at": "2025-05-02T01:00:20Z", "due_at": "2025-05-05T16:00:00Z", "revision": 0,
    "hands": 1, "claims": 1, "at_risk": [_AMOUNT],
    "cause": {"game": "banker-pai-gow", "ruleset": "banker-pai-gow/classic@1",
              "code": "net-mismatch", "rule": "PG-31", "relation": None, "explained_by": []},
    "earlier": None,
}  # fmt: skip
_ACT: dict[str, Any] = {
    "number": 3, "kind": "commented", "by": "ines.castro", "at": "2025-05-02T02:00:00Z",
    "text": "The room was told.", "decision": None, "assigned_to": None, "held_until": None,
    "count": 0, "hand": "12", "step": 3, "claim": None, "remedy": None,
}  # fmt: skip
_CLAIM: dict[str, Any] = {
    "id": "9", "url": "/api/v1/claims/9/", "reference": "K-9", "case": "4",
    "case_url": "/api/v1/cases/4/", "case_state": "open", "case_decision": None,
    "source": "house", "player": "Ling", "said_at": "2025-05-02T01:30:00Z",
    "deadline_at": "2025-05-08T12:15:00Z", "text": "I won that hand.", "amount": _AMOUNT,
    "entered_by": "ines.castro", "entered_at": "2025-05-02T01:31:00Z", "is_withdrawn": False,
}  # fmt: skip
_CLAIM_ONE = {
    **_CLAIM,
    "hands": [
        {"hand": "12", "url": "/api/v1/hands/12/", "hand_id": "base-1", "table": "T1",
         "started_at": "2025-05-01T20:15:00+08:00", "verdict": "discrepant"}
    ],
    "history": [{**_ACT, "kind": "claimed", "claim": "9", "step": None, "text": None}],
}  # fmt: skip
_REMEDY: dict[str, Any] = {
    "id": "5", "url": "/api/v1/remedies/5/", "case": "4", "state": "proposed",
    "reason": "Paid too little.", "proposed_by": "ines.castro",
    "proposed_at": "2025-05-02T03:00:00Z", "settled_by": None, "settled_at": None,
    "exported_by": None, "exported_at": None,
}  # fmt: skip

CASES = Operation(
    id="cases_list",
    group=CASES_GROUP,
    summary="Cases, the last opened first",
    parameters=(*CASE_FILTERS, *PAGING),
    gives=shapes.CasePage,
    example={"cases": [_CASE], **WAYS},
)
CASE = Operation(
    id="case",
    group=CASES_GROUP,
    summary="One case with who is exposed",
    gives=shapes.CaseOne,
    example={
        **_CASE,
        "players": [
            {"player": "Ling", "currency": "HKD", "hands": 1, "hands_unknown": 0,
             "logged": "-99.00", "recomputed": "-100.00", "difference": "-1.00"}
        ],
        "players_in_all": 1, "left": 0, "claim_ids": ["9"], "remedy_ids": [],
        "acts": "/api/v1/cases/4/acts/", "members": "/api/v1/cases/4/hands/",
    },
    refuses=("not-found",),
    may_be_same=True,
)  # fmt: skip
CASE_HANDS = Operation(
    id="case_hands",
    group=CASES_GROUP,
    summary="The hands that stand in a case, the last that came in first",
    about="Those that left it come by when they were played, the latest first.",
    parameters=(
        Parameter(
            name="left",
            about="Those that left the case instead of those that stand in it.",
            schema=choice("1"),
            example="1",
        ),
        *PAGING,
    ),
    gives=shapes.MemberPage,
    example={
        "hands": [
            {"hand": "12", "url": "/api/v1/hands/12/", "hand_id": "base-1", "table": "T1",
             "started_at": "2025-05-01T20:15:00+08:00", "played_at": "2025-05-01T12:15:00Z",
             "players": ["Ann", "Ben", "Chen", "Ling"], "at_risk": _AMOUNT, "is_known": True,
             "left_at": None, "finding": None}
        ],
        **WAYS,
    },
    refuses=("not-found",),
)  # fmt: skip
CASE_ACTS = Operation(
    id="case_acts",
    group=CASES_GROUP,
    summary="What was done about a case, the newest first",
    parameters=PAGING,
    gives=shapes.CaseActPage,
    example={"acts": [_ACT], **WAYS},
    refuses=("not-found",),
)
CASE_ACT = Operation(
    id="case_act",
    group=CASES_GROUP,
    summary="Do something about a case",
    about="A comment takes the act `comment`; all else takes `work-cases` in the case's source."
    " An act that does not fit how the case stands is 409, and the message says how it stands.",
    body=Body(
        about="`act` says which of them it is.",
        shape=shapes.ActAsked,
        example={"act": "comment", "text": "The room was told.", "hand": "12", "step": 3},
    ),
    gives=shapes.CaseAct,
    example=_ACT,
    status=201,
    refuses=("not-found", "bad-body", "bad-act", "incomplete", "bad-length", "conflict",
             "length-required", "too-large", "unsupported-type"),
)  # fmt: skip
CLAIMS = Operation(
    id="claims_list",
    group=CLAIMS_GROUP,
    summary="What players said, the newest first",
    parameters=(
        Parameter(name="player", about="Only of this player, exactly.", schema=TEXT,
                  example="Ling"),
        *PAGING,
    ),
    gives=shapes.ClaimPage,
    example={"claims": [_CLAIM], **WAYS},
    )  # fmt: skip
CLAIM_NEW = Operation(
    id="claim_lodge",
    group=CLAIMS_GROUP,
    summary="Lodge a claim of a player",
    about="Day and night. It joins the case of its hands, or opens one; the answer is the receipt,"
    " whose `reference` is for the player and whose address tells what becomes of it. A claim that"
    " comes too late is 409 with the deadline.",
    body=Body(
        about="What the player says, and about which hands.",
        shape=shapes.Complaint,
        example={"player": "Ling", "said_at": "2025-05-02T09:30:00+08:00",
                 "text": "I won that hand.", "hands": ["12"], "amount": "1.00"},
    ),
    gives=shapes.ClaimOne,
    example=_CLAIM_ONE,
    status=201,
    headers={"Location": "The address of the claim."},
    refuses=("not-found", "bad-body", "bad-claim", "incomplete", "bad-length", "conflict",
             "length-required", "too-large", "unsupported-type"),
)  # fmt: skip
CLAIM = Operation(
    id="claim",
    group=CLAIMS_GROUP,
    summary="One claim with the history of its status",
    gives=shapes.ClaimOne,
    example=_CLAIM_ONE,
    refuses=("not-found",),
    may_be_same=True,
)
REMEDIES = Operation(
    id="remedies_list",
    group=REMEDIES_GROUP,
    summary="Remedies, the newest first",
    parameters=(
        Parameter(name="state", about="Only in this state.", schema=choice(*RemedyState.values),
                  example="proposed"),
        *PAGING,
    ),
    gives=shapes.RemedyPage,
    example={"remedies": [_REMEDY], **WAYS},
    )  # fmt: skip
REMEDY = Operation(
    id="remedy",
    group=REMEDIES_GROUP,
    summary="One remedy with its entries",
    gives=shapes.RemedyOne,
    example={
        **_REMEDY,
        "entries": [
            {"account": "house", "player": None, "currency": "HKD", "amount": "1.00"},
            {"account": "player", "player": "Ling", "currency": "HKD", "amount": "-1.00"},
        ],
    },
    refuses=("not-found",),
    may_be_same=True,
)
