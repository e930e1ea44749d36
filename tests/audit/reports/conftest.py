"""Reports made here and now, without a worker."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Report, ReportKind, ReportRun
from audit.selectors.access import access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import DEFINITIONS
from audit.services.reports import continue_report, request_report
from tests.access import trusted

Make = Callable[..., Report]


@pytest.fixture(autouse=True)
def own_log(settings: Any, tmp_path: Path) -> None:
    """Heads and key of one test: the log begins anew with each database."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


@pytest.fixture
def auditor(db: Any) -> User:
    """An account that may make every report of every source."""
    user = User.objects.create_user("ines.castro")
    trusted(user)
    return user


@pytest.fixture
def run_report(auditor: User) -> Callable[..., ReportRun]:
    """Ask for a report and work on it until it has its end."""

    def run(
        kind: str, *, user: User | None = None, again: int | None = None, **query: str
    ) -> ReportRun:
        definition, access = DEFINITIONS[ReportKind(kind)], access_of(user or auditor)
        asked = read_request(definition, {"to": "2025-03-01", **query}, access)
        number = request_report(definition=definition, asked=asked, access=access, again=again)
        while continue_report(run_id=number):
            pass
        return ReportRun.objects.get(pk=number)

    return run


@pytest.fixture
def make(run_report: Callable[..., ReportRun]) -> Make:
    """The version that comes of it."""

    def run(kind: str, **query: Any) -> Report:
        made = run_report(kind, **query)
        assert made.report is not None, made.error
        return made.report

    return run


def document_of(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bytes(report.json))
    return found


def rows_of(report: Report, section: str, level: str = "row") -> list[dict[str, Any]]:
    """The rows of a section, each by the keys of its columns."""
    (found,) = (one for one in document_of(report)["sections"] if one["key"] == section)
    keys = [column["key"] for column in found["columns"]]
    return [
        dict(zip(keys, row["cells"], strict=True)) for row in found["rows"] if row["level"] == level
    ]
