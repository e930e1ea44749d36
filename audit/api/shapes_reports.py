"""What the API tells of reports."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from audit.api.shapes import Path, Sha256, Shape, Utc


class ReportShort(Shape, frozen=True, kw_only=True):
    """One version of a report; a version is never changed."""

    number: int
    url: Path
    page: Path
    kind: str
    title: str
    basis: str
    first: date
    last: date
    asked: Annotated[dict[str, Any], Meta(description="What it was narrowed by.")]
    sources: Annotated[list[str] | None, Meta(description="Null: every source.")]
    edition: int
    previous: int | None
    is_newest: bool
    definition: str
    software: str
    made_by: str
    made_at: Utc
    is_empty: bool
    rows: int
    figures_sha256: Sha256


class ReportPage(Shape, frozen=True, kw_only=True):
    """A page of reports, the newest first."""

    reports: list[ReportShort]
    next: str | None
    previous: str | None


class ReportFile(Shape, frozen=True, kw_only=True):
    """A file of a version, exactly as it was signed."""

    url: Path
    bytes: int


class ReportOne(ReportShort, frozen=True, kw_only=True):
    """A version with its files, and whether they are those that were signed."""

    files: dict[str, ReportFile]
    signed_by: Annotated[str | None, Meta(description="The name of the key that signed it.")]
    signature_problem: Annotated[str | None, Meta(description="Null where the signature fits.")]
    newest: int
