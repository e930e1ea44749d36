"""What the operations on hands say of themselves."""

from __future__ import annotations

from typing import Any

from audit.api import shapes
from audit.api.describing import Operation, Parameter
from audit.api.pages import PAGING
from audit.api.queries import HAND_FILTERS, choice

HASH = "5c7e2d0b9a4f4c1e8d3b6a7f90e1c2d3b4a5968778695a4b3c2d1e0f98a7b6c5"
OTHER_HASH = "0c5ce1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e"
GROUP = "Hands"
ORDER = Parameter(
    name="order",
    about="`received`: the last that came in first, which never changes. `played`: the latest"
    " begun first, as on the page; a restatement may move a hand.",
    schema=choice("received", "played") | {"default": "received"},
    example="received",
)
VERSION_ASKED = Parameter(
    name="version",
    about="Which record; the one that holds where nothing is said.",
    schema={
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": 999_999_999},
            {"type": "string", "maxLength": 0},
        ]
    },
    example=1,
)
_SHORT: dict[str, Any] = {
    "id": "12", "url": "/api/v1/hands/12/", "page": "/hands/12/", "source": "house",
    "hand_id": "base-1", "game": "banker-pai-gow", "ruleset": "banker-pai-gow/classic@1",
    "table": "T1", "players": ["Ann", "Ben", "Chen", "Ling"],
    "started_at": "2025-05-01T20:15:00+08:00", "played_at": "2025-05-01T12:15:00Z",
    "day": "2025-05-01", "currency": "HKD", "minor_digits": 2, "verdict": "discrepant",
    "primary_code": "net-mismatch", "codes": ["net-mismatch"], "findings": 1, "is_conflict": False,
}  # fmt: skip
_FINDING: dict[str, Any] = {
    "position": 0, "against": "itself", "code": "net-mismatch", "severity": "error", "event": None,
    "seat": 1, "subject": None, "logged": "-99.00", "expected": "-100.00", "rule": "PG-31",
    "confidence": "A", "follows": False, "explained_by": [],
    "message": "The log has another net result.",
}  # fmt: skip
_VERSION: dict[str, Any] = {
    "number": 1, "url": "/api/v1/hands/12/versions/1/",
    "record": "/api/v1/hands/12/versions/1/record", "sha256": HASH, "upload": 7, "line": 1,
    "feed": None, "received_at": "2025-05-02T01:00:00.123456Z", "is_current": True,
}  # fmt: skip
_OTHER_VERSION = {
    **_VERSION, "number": 2, "url": "/api/v1/hands/12/versions/2/",
    "record": "/api/v1/hands/12/versions/2/record", "sha256": OTHER_HASH, "upload": 9,
    "received_at": "2025-05-03T01:00:00.123456Z", "is_current": False,
}  # fmt: skip
_VERDICT: dict[str, Any] = {
    "id": "31", "url": "/api/v1/verdicts/31/", "hand": "12", "version": 1, "is_in_force": True,
    "kind": "discrepant", "ruleset": "banker-pai-gow/classic@1", "ruleset_sha256": OTHER_HASH,
    "engine": "1.0.0", "digest": HASH, "made_at": "2025-05-02T01:00:01.5Z",
}  # fmt: skip
_VERDICT_ONE = {
    **_VERDICT, "currency": "HKD", "minor_digits": 2,
    "settlement": {"seats": [{"seat": 1, "net": "-100.00", "rake": "0.00"}]},
    "findings": [_FINDING],
}  # fmt: skip
_WAYS = {"next": "bi4xMjpYWVo", "previous": None}

HANDS = Operation(
    id="hands_list",
    group=GROUP,
    summary="Hands, a page at a time",
    about="The filters are those of the page of hands. Rows that come in meanwhile are neither"
    " skipped nor told twice; a hand that leaves the filters on the way is left out.",
    parameters=(*HAND_FILTERS, ORDER, *PAGING),
    gives=shapes.HandPage,
    example={"hands": [_SHORT], **_WAYS},
)
HAND = Operation(
    id="hand",
    group=GROUP,
    summary="One hand with what holds of it now",
    gives=shapes.HandOne,
    example={
        **_SHORT, "possible_duplicate_of": [
            {"id": "11", "url": "/api/v1/hands/11/", "hand_id": "base-1b"},
        ],
        "replaced_by": None, "version": _VERSION, "judged": _VERDICT_ONE, "comparison": None,
        "in_force": {"rulesets": ["banker-pai-gow/classic@1"], "is_out": False},
        "versions": "/api/v1/hands/12/versions/", "verdicts": "/api/v1/hands/12/verdicts/",
        "found": "/api/v1/hands/12/findings/", "events": "/api/v1/hands/12/events/",
    },
    refuses=("not-found",),
    may_be_same=True,
)  # fmt: skip
VERSIONS = Operation(
    id="hand_versions",
    group=GROUP,
    summary="The records that claim to be a hand",
    gives=shapes.VersionList,
    example={
        "hand": "12",
        "versions": [_VERSION, _OTHER_VERSION],
        "compared": [1, 2],
        "differences": [{"path": "result.seats.1.net", "values": ["-100.00", "-99.00"]}],
        "came_again": [{"version": 1, "upload": 8, "line": 4, "is_respelt": True}],
        "restatements": [
            {
                "version": 2,
                "replaced": 1,
                "reason": "Seat 1 was corrected.",
                "announced_by": "ines",
                "announced_at": "2025-05-03T01:00:00.5Z",
                "upload": 9,
                "line": 1,
            },
        ],
    },
    refuses=("not-found",),
    may_be_same=True,
)
VERSION = Operation(
    id="hand_version",
    group=GROUP,
    summary="One record of a hand",
    gives=shapes.Version,
    example=_VERSION,
    refuses=("not-found",),
    may_be_same=True,
)
RECORD = Operation(
    id="hand_record",
    group=GROUP,
    summary="The exact bytes of a record",
    about="Without the end of its line: `sha256` of the record is over these bytes.",
    media_type="application/x-ndjson",
    example='{"format":"hand-log/1","hand_id":"base-1"}',
    refuses=("not-found",),
    may_be_same=True,
)
EVENTS = Operation(
    id="hand_events",
    group=GROUP,
    summary="The events of a hand in the order of their file",
    about="By position, never by time: several may carry one time stamp. Each is given as it is"
    " logged. What a feed tells of a hand has no events.",
    parameters=(VERSION_ASKED,),
    gives=shapes.EventList,
    example={
        "hand": "12", "version": 1, "sha256": HASH,
        "events": [{"index": 0, "event": {"type": "bet", "seat": 1, "amount": "10.00"}}],
    },
    refuses=("not-found",),
    may_be_same=True,
)  # fmt: skip
FINDINGS = Operation(
    id="hand_findings",
    group=GROUP,
    summary="What is held against a hand now",
    gives=shapes.FindingList,
    example={"hand": "12", "currency": "HKD", "minor_digits": 2, "findings": [_FINDING]},
    refuses=("not-found",),
    may_be_same=True,
)
VERDICTS = Operation(
    id="hand_verdicts",
    group=GROUP,
    summary="Every verdict of every record of a hand",
    gives=shapes.HandVerdicts,
    example={"hand": "12", "source": "house", "hand_id": "base-1", "verdicts": [_VERDICT]},
    refuses=("not-found",),
    may_be_same=True,
)
FINDINGS_OF_ALL = Operation(
    id="findings_list",
    group="Findings",
    summary="What is held against hands now, by hand",
    about="`limit` counts hands: the findings of one are never parted. Hands of which nothing was"
    " found are left out.",
    parameters=(*HAND_FILTERS, *PAGING),
    gives=shapes.FindingPage,
    example={
        "hands": [
            {"hand": "12", "source": "house", "hand_id": "base-1", "game": "banker-pai-gow",
             "ruleset": "banker-pai-gow/classic@1", "currency": "HKD", "minor_digits": 2,
             "verdict": "discrepant", "findings": [_FINDING]}
        ],
        **_WAYS,
    },
    )  # fmt: skip
VERDICTS_OF_ALL = Operation(
    id="verdicts_list",
    group="Verdicts",
    summary="Verdicts of hands, by hand",
    about="`limit` counts hands: the verdicts of one are never parted.",
    parameters=(*HAND_FILTERS, *PAGING),
    gives=shapes.VerdictPage,
    example={
        "hands": [{"hand": "12", "source": "house", "hand_id": "base-1", "verdicts": [_VERDICT]}],
        **_WAYS,
    },
)
VERDICT = Operation(
    id="verdict",
    group="Verdicts",
    summary="One verdict whole",
    gives=shapes.VerdictOne,
    example=_VERDICT_ONE,
    refuses=("not-found",),
    may_be_same=True,
)
