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
from audit.models.feeds import FeedDrift, PartialRecord
from audit.models.hands import Duplicate, Hand, HandVersion, Restatement
from audit.models.refusals import Refusal
from audit.models.submissions import Submission
from audit.models.tables import Table, TableTouch
from audit.models.tokens import ApiToken
from audit.models.uploads import Chunk, ChunkState, Upload, UploadState
from audit.models.verdicts import Finding, Severity, Verdict, VerdictKind

__all__ = [
    "ApiToken",
    "Certificate",
    "CertificateRun",
    "Chunk",
    "ChunkState",
    "Comparison",
    "ComparisonFinding",
    "DayRule",
    "Duplicate",
    "FeedDrift",
    "Finding",
    "Hand",
    "HandVersion",
    "Numbering",
    "PartialRecord",
    "Refusal",
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
