"""Reports by program: the versions that were made, and their exact files."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import shapes_reports as shapes
from audit.api.describing import Operation, Parameter, described, example_of
from audit.api.errors import ApiError
from audit.api.hands import found
from audit.api.pages import BESIDE, PAGING, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import access_of_api, needs, note_shown_of_api
from audit.api.queries import choice
from audit.api.resource import Resource, versioned
from audit.models import ReportKind
from audit.selectors.access import Act
from audit.selectors.pages import KEY_MAX, BadQuery
from audit.selectors.reports import ReportRow, get_file, get_report, list_reports

TYPES = {
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "note": "text/plain; charset=utf-8",
}
_REPORT: dict[str, Any] = {
    "number": 7, "url": "/api/v1/reports/7/", "page": "/reports/7/", "kind": "game-performance",
    "title": "Game performance", "basis": "daily", "first": "2025-05-01", "last": "2025-05-01",
    "asked": {}, "sources": None, "edition": 1, "previous": None, "is_newest": True,
    "definition": "game-performance/1", "software": "0.1.0", "made_by": "auditor",
    "made_at": "2025-05-02T04:00:00Z", "is_empty": False, "rows": 12,
    "figures_sha256": "5c7e2d0b9a4f4c1e8d3b6a7f90e1c2d3b4a5968778695a4b3c2d1e0f98a7b6c5",
}  # fmt: skip
REPORTS = Operation(
    id="reports_list",
    group="Reports",
    summary="The reports that were made, the newest first",
    parameters=(
        Parameter(name="kind", about="Only of this kind.", schema=choice(*ReportKind.values),
                  example=ReportKind.values[0]),
        *PAGING,
    ),
    gives=shapes.ReportPage,
    example={"reports": [_REPORT], "next": None, "previous": None},
)  # fmt: skip
REPORT = Operation(
    id="report",
    group="Reports",
    summary="One version of a report, and whether it is as it was signed",
    gives=shapes.ReportOne,
    example={
        **_REPORT,
        "files": {"csv": {"url": "/api/v1/reports/7/csv", "bytes": 2048}},
        "signed_by": "tilecourt",
        "signature_problem": None,
        "newest": 7,
    },
    refuses=("not-found",),
    may_be_same=True,
)
REPORT_FILE = Operation(
    id="report_file",
    group="Reports",
    summary="A file of a report, exactly as it was signed",
    about="`pdf`, `csv`, `json` or the signed `note`, each in its own media type. The example"
    " is a `csv`.",
    media_type="*/*",
    example=example_of("report.csv"),
    refuses=("not-found",),
    may_be_same=True,
)


class OfReports(Resource):
    """A view of reports that the caller may see."""

    permission_classes = [needs(Act.SEE_REPORTS)]  # noqa: RUF012 - as the framework has it


class ReportList(OfReports):
    """GET the versions that were made."""

    @described(REPORTS)
    def get(self, request: Request) -> Response:
        check_parameters(request, "kind", *BESIDE)
        kind = request.query_params.get("kind", "")
        if kind and kind not in ReportKind.values:
            raise ApiError(400, "bad-query", "There is no such kind.", place="kind")
        asked = asked_page(request)
        try:
            page = list_reports(
                access_of_api(request), kind=kind, cursor=asked.cursor, limit=asked.limit
            )
        except BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None
        reports = [shapes.ReportShort(**_told(row)) for row in page.rows]
        return Response(shapes.ReportPage(reports=reports, **ways_of(request, page)))


class ReportOne(OfReports):
    """GET one version."""

    @described(REPORT)
    def get(self, request: Request, made: int) -> HttpResponse:
        check_parameters(request)
        detail = found(get_report, _known(made), access_of_api(request))
        _note(request, detail.row)
        answer = shapes.ReportOne(
            **_told(detail.row),
            files={
                form: shapes.ReportFile(
                    url=reverse("api-report-file", args=(made, form)), bytes=size
                )
                for form, size in detail.sizes.items()
            },
            signed_by=detail.signature.key or None,
            signature_problem=str(detail.signature.problem) or None,
            newest=detail.newest,
        )
        return versioned(request, answer)


class ReportFile(OfReports):
    """GET the bytes of a file of a version."""

    @described(REPORT_FILE)
    def get(self, request: Request, made: int, form: str) -> HttpResponse:
        check_parameters(request)
        if form not in TYPES:
            raise Http404
        access = access_of_api(request)
        data: bytes = found(get_file, _known(made), form, access)
        _note(request, get_report(made, access).row)
        return versioned(request, data, media_type=TYPES[form], name=f"report-{made}.{form}")


def _note(request: Request, row: ReportRow) -> None:
    """A report about a person is journalled under the person, as on its page."""
    asked = row.asked
    note_shown_of_api(request, source=asked.get("source"), player=asked.get("player"))


def _known(number: int) -> int:
    """Raises: Http404 for a number that no report can have."""
    if not 1 <= number <= KEY_MAX:
        raise Http404
    return number


def _told(row: ReportRow) -> dict[str, Any]:
    return {
        "number": row.pk,
        "url": reverse("api-report", args=(row.pk,)),
        "page": reverse("report", args=(row.pk,)),
        "kind": row.kind,
        "title": row.title,
        "basis": row.basis,
        "first": row.first,
        "last": row.last,
        "asked": dict(row.asked),
        "sources": None if row.sources is None else list(row.sources),
        "edition": row.edition,
        "previous": row.previous,
        "is_newest": row.newest,
        "definition": row.definition,
        "software": row.software,
        "made_by": row.made_by,
        "made_at": row.made_at,
        "is_empty": row.is_empty,
        "rows": row.rows,
        "figures_sha256": row.figures,
    }
