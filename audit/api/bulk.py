"""Tables to take out by program as lines of JSON and as Parquet, streamed."""

from __future__ import annotations

from django.http import Http404, StreamingHttpResponse
from rest_framework.request import Request

from audit.api.describing import Operation, described, example_of
from audit.api.errors import ApiError
from audit.api.exports import TOTALS, TOTALS_FILTERS, sheet_of
from audit.api.parameters import check_parameters
from audit.api.permissions import needs, sources_of_api
from audit.api.resource import Resource
from audit.api.work_described import EXPORT
from audit.selectors.access import Act
from audit.selectors.exports import REPORTS
from audit.selectors.exports_bulk import NotInstalled, write_lines, write_parquet
from audit.selectors.pages import BadQuery
from audit.selectors.reaudits_scope import KEYS

LINES = "application/x-ndjson"
PARQUET = "application/vnd.apache.parquet"

EXPORT_LINES = Operation(
    id="export_lines",
    group=EXPORT.group,
    summary="A whole table as lines of JSON, streamed",
    about="The first line says what the table is (`about`), the last one how many rows it has and"
    " the SHA-256 of all bytes before it (`end`): without it the table was cut. Amounts and"
    " numbers of hands are texts. The example is one of `totals`.",
    parameters=EXPORT.parameters,
    media_type=LINES,
    example=example_of("totals.ndjson"),
    refuses=EXPORT.refuses,
)
EXPORT_PARQUET = Operation(
    id="export_parquet",
    group=EXPORT.group,
    summary="A whole table as Parquet, streamed",
    about="A file that was cut has no footer and cannot be opened. Amounts are decimal texts."
    " The example is one of `totals`.",
    parameters=EXPORT.parameters,
    media_type=PARQUET,
    example_file="api/totals.parquet",
    refuses=(*EXPORT.refuses, "not-installed"),
)


class ExportLines(Resource):
    """GET one table as lines of JSON under the filters of the list of hands."""

    permission_classes = [needs(Act.EXPORT)]  # noqa: RUF012 - as the framework has it

    @described(EXPORT_LINES)
    def get(self, request: Request, report: str) -> StreamingHttpResponse:
        """The whole table, in pieces."""
        return _answer(request, report, LINES, "ndjson")


class ExportParquet(Resource):
    """GET one table as Parquet under the filters of the list of hands."""

    permission_classes = [needs(Act.EXPORT)]  # noqa: RUF012 - as the framework has it

    @described(EXPORT_PARQUET)
    def get(self, request: Request, report: str) -> StreamingHttpResponse:
        """The whole table, a row group at a time."""
        return _answer(request, report, PARQUET, "parquet")


def _answer(request: Request, report: str, media_type: str, ending: str) -> StreamingHttpResponse:
    if report not in (*REPORTS, TOTALS):
        raise Http404
    check_parameters(request, *(TOTALS_FILTERS if report == TOTALS else KEYS))
    try:
        sheet = sheet_of(report, request.query_params.dict(), sources_of_api(request))
        pieces = write_lines(sheet) if ending == "ndjson" else write_parquet(sheet)
    except BadQuery as error:
        raise ApiError(400, "bad-query", str(error)) from None
    except NotInstalled as error:
        raise ApiError(501, "not-installed", str(error)) from None
    response = StreamingHttpResponse(pieces, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{report}.{ending}"'
    return response
