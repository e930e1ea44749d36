"""SVC-28: every odd file, each as its own upload, with the outcome that `index.json` says."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from audit.models import Refusal
from audit.selectors import list_refusals
from tests.audit.logs import GOLDEN

pytestmark = pytest.mark.integration

ODD = GOLDEN / "odd"


def cases() -> dict[str, dict[str, Any]]:
    """The expected outcome of each file that can be opened; some stand in several cases."""
    found = {}
    for case in json.loads((ODD / "index.json").read_bytes())["cases"]:
        if len(case["args"]) == 1 and (ODD / case["args"][0]).is_file():
            found[case["args"][0]] = case["expect"]
    return found


def test_svc_28_all_odd_files_at_once(celery_worker_process, upload, wait) -> None:
    expected = cases()
    assert len(expected) > 80
    uploads = {name: upload((ODD / name).read_bytes(), name) for name in expected}
    rows = dict(zip(uploads, wait(*uploads.values()), strict=True))
    for name, expect in expected.items():
        row = rows[name]
        kinds = Counter(verdict["verdict"] for verdict in expect["verdicts"])
        assert {
            "clean": row.clean,
            "discrepant": row.discrepant,
            "void": row.void,
            "rejected": row.rejected,
        } == {kind: kinds[kind] for kind in ("clean", "discrepant", "void", "rejected")}, name
        assert row.failed == 0, name
        assert row.lines == expect["lines"], name
        assert row.new + row.duplicates + row.conflicts == row.hands, name
        assert row.state == ("done" if row.hands else "failed"), name
        refused = [one["line"] for one in expect["verdicts"] if one["verdict"] == "rejected"]
        assert lines_refused(row.id) == refused, name
    for refusal in Refusal.objects.all():
        assert refusal.place.startswith("$")
        assert refusal.reason
        assert refusal.offset >= 0


def lines_refused(upload_id: int) -> list[int]:
    return [refusal.line for refusal in list_refusals(upload_id, limit=500, sources=None).rows]
