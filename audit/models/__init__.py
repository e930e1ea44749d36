"""The tables: fields and constraints, nothing else. What is done with them is in `services`."""

from audit.models.certificates import (
    Certificate,
    CertificateRun,
    DayRule,
    Numbering,
    RunState,
    SortedRefusal,
    SortedUpload,
)
from audit.models.comparisons import Comparison, ComparisonFinding
from audit.models.desk import (
    ActKind,
    BulkAct,
    Case,
    CaseAct,
    CaseAmount,
    CaseHand,
    CaseMoney,
    CaseState,
    Cause,
    Claim,
    ClaimHand,
    Decision,
    Docket,
    GatherMark,
)
from audit.models.feeds import FeedDrift, PartialRecord
from audit.models.hands import Duplicate, Hand, HandVersion, Restatement
from audit.models.reaudits import (
    Admission,
    Reaudit,
    ReauditAmount,
    ReauditBatch,
    ReauditFault,
    ReauditResult,
    ReauditState,
    RefusedLines,
)
from audit.models.refusals import Refusal
from audit.models.remedies import (
    Remedy,
    RemedyAccount,
    RemedyEntry,
    RemedyExport,
    RemedyState,
)
from audit.models.submissions import Submission
from audit.models.tables import Table, TableTouch
from audit.models.tokens import ApiToken
from audit.models.uploads import Chunk, ChunkState, Upload, UploadState
from audit.models.verdicts import Finding, Severity, Verdict, VerdictKind

__all__ = [
    "ActKind",
    "Admission",
    "ApiToken",
    "BulkAct",
    "Case",
    "CaseAct",
    "CaseAmount",
    "CaseHand",
    "CaseMoney",
    "CaseState",
    "Cause",
    "Certificate",
    "CertificateRun",
    "Chunk",
    "ChunkState",
    "Claim",
    "ClaimHand",
    "Comparison",
    "ComparisonFinding",
    "DayRule",
    "Decision",
    "Docket",
    "Duplicate",
    "FeedDrift",
    "Finding",
    "GatherMark",
    "Hand",
    "HandVersion",
    "Numbering",
    "PartialRecord",
    "Reaudit",
    "ReauditAmount",
    "ReauditBatch",
    "ReauditFault",
    "ReauditResult",
    "ReauditState",
    "Refusal",
    "RefusedLines",
    "Remedy",
    "RemedyAccount",
    "RemedyEntry",
    "RemedyExport",
    "RemedyState",
    "Restatement",
    "RunState",
    "Severity",
    "SortedRefusal",
    "SortedUpload",
    "Submission",
    "Table",
    "TableTouch",
    "Upload",
    "UploadState",
    "Verdict",
    "VerdictKind",
]
