"""What the operations on uploads, steps, certificates, re-audits and tables say of themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import replay
from audit.api import shapes_work as shapes
from audit.api.describing import Body, Operation, Parameter, example_of
from audit.api.pages import PAGING
from audit.api.queries import DAY, HAND_FILTERS, TEXT, choice
from audit.importers import FEEDS
from audit.models import VerdictKind

HASH = "5c7e2d0b9a4f4c1e8d3b6a7f90e1c2d3b4a5968778695a4b3c2d1e0f98a7b6c5"
WAYS = {"next": None, "previous": None}
LOG = "application/x-ndjson"
VIEWERS = ("auditor", "public", "seat-0", "seat-1", "seat-2", "seat-3")
_JUDGED = f"({'|'.join(VerdictKind.values)})~({'|'.join(replay.CODES)}|)"
_BODY_ERRORS = ("bad-body", "incomplete", "bad-length", "length-required", "too-large",
                "unsupported-type")  # fmt: skip
_TAKEN: dict[str, Any] = {
    "id": 7, "url": "/api/v1/uploads/7/", "bytes": 5240731, "sha256": HASH, "lines": 25000,
}  # fmt: skip
_UPLOAD: dict[str, Any] = {
    "id": 7, "url": "/api/v1/uploads/7/", "page": "/uploads/7/", "name": "night.ndjson.gz",
    "feed": None, "restatement": None, "received_by": "auditor", "state": "done",
    "is_ended": True, "error": None, "percent": 100, "bytes": 5240731, "sha256": HASH,
    "lines": 25000, "audited": 25000,
    "verdicts": {"clean": 24055, "consistent": 0, "discrepant": 530, "void": 415, "rejected": 0,
                 "failed": 0},
    "hands": {"new": 25000, "duplicate": 0, "conflict": 0, "restated": 0}, "turned": 0,
    "admitted_later": 0, "created_at": "2025-05-02T01:00:00Z",
    "started_at": "2025-05-02T01:00:01Z", "finished_at": "2025-05-02T01:00:09Z",
}  # fmt: skip
_UPLOAD_PARAMETERS = (
    Parameter(name="name", about="Shown as the name of the file, up to 255 characters of it.",
              schema={"type": "string"}, example="night.ndjson.gz"),
    Parameter(name="restatement", about="That it restates what was told before, and why.",
              schema={"type": "string", "minLength": 1, "maxLength": 500,
                      "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"},
              example="The room erred."),
    Parameter(name="feed", about="The operator's feed that the file is of; with `source`.",
              schema={"type": "string", "enum": list(FEEDS)}, example=None),
    Parameter(name="source", about="Under which name the hands of a feed are kept.",
              schema=TEXT, example=None),
    Parameter(name="Idempotency-Key", place="header", about="Makes sending twice safe.",
              schema={"type": "string", "pattern": "^[!-~]{1,255}$"}, example="night-2025-05-01"),
)  # fmt: skip

UPLOADS = Operation(
    id="uploads_list",
    group="Uploads",
    summary="Uploads, the newest first",
    parameters=PAGING,
    gives=shapes.UploadPage,
    example={"uploads": [_UPLOAD], **WAYS},
)
UPLOAD_NEW = Operation(
    id="upload",
    group="Uploads",
    summary="Hand in a log",
    about="The body is the log itself, plain, gzip or zstd: its own first bytes tell which. 201:"
    " it has come whole and is audited from here on. `application/json` takes a single hand.",
    parameters=_UPLOAD_PARAMETERS,
    body=Body(
        about="hand-log/1, one hand a line.",
        types=(LOG, "application/gzip", "application/zstd", "application/octet-stream",
               "text/plain", "application/json"),
    ),
    gives=shapes.UploadTaken,
    example=_TAKEN,
    status=201,
    headers={"Location": "The address of the upload.", "Idempotent-Replayed": "It was here."},
    refuses=("refused", "not-one-line", "incomplete", "bad-restatement", "unknown-feed", "bad-key",
             "bad-length", "in-progress", "key-reused", "length-required", "too-large",
             "unsupported-type", "not-found", "forbidden-source"),
)  # fmt: skip
UPLOAD = Operation(
    id="upload_one",
    group="Uploads",
    summary="How far an upload is",
    gives=shapes.Upload,
    example=_UPLOAD,
    refuses=("not-found",),
    may_be_same=True,
)
REFUSED = Operation(
    id="upload_refused",
    group="Uploads",
    summary="The refused lines of an upload, by line",
    about="`begins` takes the act `see-raw` in all sources of the upload, unless one sent it"
    " oneself; it is null without, and everything else is told.",
    parameters=PAGING,
    gives=shapes.RefusedPage,
    example={
        "refused": [
            {"line": 3, "offset": 5120, "place": "$.seats[0].carry_in", "reason": "no amount",
             "begins": '{"format":"hand-log/1"', "is_cut": True, "sha256": HASH,
             "is_our_fault": False, "hand": None}
        ],
        **WAYS,
    },
    refuses=("not-found",),
)  # fmt: skip
STEP = Operation(
    id="hand_step",
    group="Hands",
    summary="One step of a hand, as one viewer saw it",
    about="Others than the auditor are told what had been shown to them by that step, and nothing"
    " of what comes later. Amounts that end in `_minor` are minor units.",
    parameters=(
        Parameter(name="as", about="Who looks.",
                  schema={"type": "string", "enum": list(VIEWERS)},
                  example="auditor"),
    ),
    gives=shapes.Step,
    refuses=("not-found", "not-replayable"),
    example={
        "hand": "12", "source": "house", "hand_id": "base-1", "game": "banker-pai-gow",
        "ruleset": "banker-pai-gow/classic@1", "currency": "HKD", "minor_digits": 2,
        "as": "auditor", "number": 0, "has_next": True, "is_revealed": False,
        "board": {"seats": [], "placed": [], "dice": None, "dice_note": None,
                  "heading": "Before the first event", "notes": [], "corner_notes": [],
                  "doors": []},
        "decision": None, "events": [], "figures": [],
    },
)  # fmt: skip
_CERTIFICATE: dict[str, Any] = {
    "number": 7, "source": "house", "table": "T1", "day": "2025-05-01", "edition": 1,
    "is_complete": True, "hands": 25, "missing": 0, "refused": 0, "standing": "holds",
    "made_at": "2025-05-02T06:00:00Z", "made_by": "auditor", "engine": "1.0.0", "sha256": HASH,
}  # fmt: skip
CERTIFICATES = Operation(
    id="certificates_list",
    group="Certificates",
    summary="Certificates of completeness, the latest day first",
    parameters=(
        Parameter(name="source", about="Only of this source.", schema=TEXT, example="house"),
        Parameter(name="table", about="Only of this table.", schema=TEXT, example="T1"),
        Parameter(name="from", about="From this day on.", schema=DAY, example="2025-05-01"),
        Parameter(name="to", about="To this day, included.", schema=DAY, example="2025-05-31"),
        Parameter(name="state", about="Only complete ones, or the others.",
                  schema=choice("complete", "incomplete"), example="incomplete"),
        Parameter(name="all", about="Replaced ones, too.", schema=choice("1"), example="1"),
        *PAGING,
    ),
    gives=shapes.CertificatePage,
    example={
        "certificates": [{"url": "/api/v1/certificates/7/", **_CERTIFICATE}], **WAYS,
    },
    )  # fmt: skip
_RUN: dict[str, Any] = {
    "id": 3, "url": "/api/v1/certificates/runs/3/", "day": "2025-05-01", "source": "house",
    "table": None, "state": "queued", "percent": 0, "tables": 2, "looked_at": 0, "made": 0,
    "still_hold": 0, "without_anything": 0, "certificate": None,
    "created_at": "2025-05-02T06:00:00Z", "finished_at": None,
}  # fmt: skip
CERTIFY = Operation(
    id="certificates_make",
    group="Certificates",
    summary="Have the tables of a day certified",
    about="It takes no body.",
    parameters=(
        Parameter(name="day", about="Which gaming day.",
                  schema={"type": "string", "format": "date"}, example="2025-05-01",
                  is_required=True),
        Parameter(name="source", about="Only tables of this source.", schema=TEXT,
                  example="house"),
        Parameter(name="table", about="Only this table of that source.", schema=TEXT,
                  example="T1"),
    ),
    gives=shapes.CertificateRun,
    example=_RUN,
    status=202,
    headers={"Location": "The address of the run."},
    refuses=("unsupported-type", "not-found"),
)  # fmt: skip
CERTIFICATE = Operation(
    id="certificate",
    group="Certificates",
    summary="One certificate whole",
    about="`changes` are where the facts of now differ; null for a day that is too large for it.",
    gives=shapes.Certificate,
    example={**_CERTIFICATE, "certificate": {"format": "certificate/1"}, "changes": []},
    refuses=("not-found",),
    may_be_same=True,
)
RUN = Operation(
    id="certificates_run",
    group="Certificates",
    summary="How far the making of a day's certificates is",
    gives=shapes.CertificateRun,
    example=_RUN,
    refuses=("not-found",),
)
_REAUDIT: dict[str, Any] = {
    "id": 2, "url": "/api/v1/reaudits/2/", "page": "/reaudits/2/", "requested_by": "auditor",
    "reason": "The engine was mended.", "filter": {"game": "tien-gow"},
    "filter_text": "game tien-gow", "named": None, "ruleset": None, "ruleset_sha256": None,
    "is_rehearsal": False, "refused_lines": "none", "engine": "1.0.0", "state": "running",
    "is_ended": False, "error": None, "percent": 40, "total": 500, "done": 200,
    "counts": {"written": 200, "confirmed": 0, "rehearsed": 0, "admitted": 0, "refused": 0,
               "aside": 0},
    "changed": 3, "flipped": 1, "unsettled": 0, "seconds_left": 12,
    "created_at": "2025-05-03T01:00:00Z", "finished_at": None,
}  # fmt: skip
REAUDITS = Operation(
    id="reaudits_list",
    group="Re-audits",
    summary="Re-audits, the newest first",
    parameters=PAGING,
    gives=shapes.ReauditPage,
    example={"reaudits": [_REAUDIT], **WAYS},
)
REAUDIT_NEW = Operation(
    id="reaudit_begin",
    group="Re-audits",
    summary="Have stored hands judged again",
    about="Under the rulesets and the engine known now, or under `ruleset` as a rehearsal beside"
    " the verdicts of the log.",
    body=Body(
        about="Which hands, why, and under which rules.",
        shape=shapes.ReauditAsked,
        example={"reason": "The engine was mended.", "filter": {"game": "tien-gow"}},
    ),
    gives=shapes.Reaudit,
    example=_REAUDIT,
    status=201,
    headers={"Location": "The address of the re-audit."},
    refuses=("bad-reaudit", *_BODY_ERRORS),
)
REAUDIT = Operation(
    id="reaudit",
    group="Re-audits",
    summary="How far a re-audit is",
    gives=shapes.Reaudit,
    example=_REAUDIT,
    refuses=("not-found",),
)
REAUDIT_STOP = replace(
    REAUDIT,
    id="reaudit_stop",
    summary="Stop a re-audit where it is",
    about="Stopping what is stopped or has ended changes nothing.",
    refuses=("not-found", "conflict"),
)
REAUDIT_RESUME = replace(
    REAUDIT,
    id="reaudit_resume",
    summary="Let a stopped re-audit go on",
    refuses=("not-found", "not-stopped"),
)
_FLIP: dict[str, Any] = {
    "before": {"verdict": "discrepant", "finding": "net-mismatch"},
    "after": {"verdict": "clean", "finding": None}, "is_flipped": True,
}  # fmt: skip
_MONEY: dict[str, Any] = {
    "source": None, "table": None, "player": None, "currency": "HKD", "minor_digits": 2,
    "hands": 3, "net": {"before": "1.00", "after": "0.00"},
    "rake": {"before": "5.00", "after": "6.00"}, "valid_bet": {"before": None, "after": "20.00"},
}  # fmt: skip
REAUDIT_REPORT = Operation(
    id="reaudit_report",
    group="Re-audits",
    summary="What a re-audit found so far, summed up",
    gives=shapes.ReauditSummed,
    example={
        "reaudit": _REAUDIT,
        "flips": [{**_FLIP, "hands": 1, "flip": "discrepant~net-mismatch~clean~"}],
        "money": [_MONEY], "tables": [], "has_more_tables": False, "players": [],
        "has_more_players": False,
    },
    refuses=("not-found",),
)  # fmt: skip
REAUDIT_CHANGES = Operation(
    id="reaudit_changes",
    group="Re-audits",
    summary="The hands that were judged otherwise",
    parameters=(
        Parameter(name="flip", about="Only these: `flip` of the summary.",
                  schema={"type": "string", "pattern": f"^(|{_JUDGED}~{_JUDGED})$"},
                  example="discrepant~net-mismatch~clean~"),
        *PAGING,
    ),
    gives=shapes.ReauditChangePage,
    example={
        "changes": [
            {"hand": 12, "page": "/reaudits/2/hands/12/", "source": "house", "hand_id": "base-1",
             "version": 1, "is_in_force": True, "game": "banker-pai-gow",
             "ruleset": "banker-pai-gow/classic@1", "table": "T1",
             "started_at": "2025-05-01T20:15:00+08:00", **_FLIP}
        ],
        **WAYS,
    },
    refuses=("not-found",),
)  # fmt: skip
REAUDIT_ASIDE = Operation(
    id="reaudit_aside",
    group="Re-audits",
    summary="What a re-audit set aside, and why",
    parameters=PAGING,
    gives=shapes.ReauditFaultPage,
    example={
        "aside": [
            {"hand": 12, "hand_id": "base-1", "version": 1, "upload": None, "line": None,
             "reason": "unknown ruleset"}
        ],
        **WAYS,
    },
    refuses=("not-found",),
)  # fmt: skip
EXPORT = Operation(
    id="export",
    group="Tables to take out",
    summary="A whole table as CSV, streamed",
    about="Under the filters of the list of hands; `totals` takes `source table game from to`"
    " alone. The last line is `# end,rows,N,sha256:…`: without it the table was cut. The"
    " example is one of `totals`.",
    parameters=HAND_FILTERS,
    media_type="text/csv",
    example=example_of("totals.csv"),
    refuses=("not-found",),
)
