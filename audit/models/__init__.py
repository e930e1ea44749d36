"""The tables: fields and constraints, nothing else. What is done with them is in `services`."""

from audit.models.access import Grant, Role
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
from audit.models.evidence import (
    AcceptedSoftware,
    CheckOccasion,
    LeafKind,
    SealedLeaf,
    SealNode,
    SealPending,
    SoftwareCheck,
    TreeHead,
)
from audit.models.feeds import FeedDrift, PartialRecord
from audit.models.hands import Duplicate, Hand, HandVersion, Restatement
from audit.models.journal import JournalEntry
from audit.models.players import NameDecision, NamedUpload, Player, Rename
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
from audit.models.reports import (
    Report,
    ReportBasis,
    ReportKind,
    ReportPart,
    ReportRun,
    ReportRunState,
)
from audit.models.saved_filters import SavedFilter
from audit.models.sharing import ShareLink
from audit.models.submissions import Submission
from audit.models.tables import Table, TableTouch
from audit.models.tokens import ApiToken
from audit.models.uploads import Chunk, ChunkState, Upload, UploadState
from audit.models.verdicts import Finding, Severity, Verdict, VerdictKind

__all__ = [
    "AcceptedSoftware",
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
    "CheckOccasion",
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
    "Grant",
    "Hand",
    "HandVersion",
    "JournalEntry",
    "LeafKind",
    "NameDecision",
    "NamedUpload",
    "Numbering",
    "PartialRecord",
    "Player",
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
    "Rename",
    "Report",
    "ReportBasis",
    "ReportKind",
    "ReportPart",
    "ReportRun",
    "ReportRunState",
    "Restatement",
    "Role",
    "RunState",
    "SavedFilter",
    "SealNode",
    "SealPending",
    "SealedLeaf",
    "Severity",
    "ShareLink",
    "SoftwareCheck",
    "SortedRefusal",
    "SortedUpload",
    "Submission",
    "Table",
    "TableTouch",
    "TreeHead",
    "Upload",
    "UploadState",
    "Verdict",
    "VerdictKind",
]
