"""The tables: fields and constraints, nothing else. What is done with them is in `services`."""

from audit.models.hands import Duplicate, Hand, HandVersion
from audit.models.refusals import Refusal
from audit.models.uploads import Chunk, ChunkState, Upload, UploadState
from audit.models.verdicts import Finding, Severity, Verdict, VerdictKind

__all__ = [
    "Chunk",
    "ChunkState",
    "Duplicate",
    "Finding",
    "Hand",
    "HandVersion",
    "Refusal",
    "Severity",
    "Upload",
    "UploadState",
    "Verdict",
    "VerdictKind",
]
