"""Tables to take out by program: CSV without a byte order mark, streamed."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from rest_framework.request import Request

from audit.api import work_described as said
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.parameters import check_parameters
from audit.api.permissions import needs, sources_of_api
from audit.api.resource import Resource
from audit.selectors.access import Act, Sources
from audit.selectors.exports import REPORTS, TOTALS_COLUMNS, totals_rows
from audit.selectors.exports_sheet import Sheet, write_sheet
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery
from audit.selectors.reaudits_scope import KEYS
from audit.selectors.totals import TotalsQuery

TOTALS = "totals"
TOTALS_FILTERS = ("source", "table", "game", "from", "to")


class Export(Resource):
    """GET one table under the filters of the list of hands."""

    permission_classes = [needs(Act.EXPORT)]  # noqa: RUF012 - as the framework has it
    http_method_names = ["get", "head"]  # noqa: RUF012 - as the framework has it

    @described(said.EXPORT)
    def get(self, request: Request, report: str) -> StreamingHttpResponse:
        """The whole table; one that was cut lacks its last line and never ends as it should."""
        if report not in (*REPORTS, TOTALS):
            raise Http404
        check_parameters(request, *(TOTALS_FILTERS if report == TOTALS else KEYS))
        query = request.query_params.dict()
        try:
            sheet = sheet_of(report, query, sources_of_api(request))
        except BadQuery as error:
            raise ApiError(400, "bad-query", str(error)) from None
        response = StreamingHttpResponse(
            write_sheet(sheet, with_mark=False), content_type="text/csv; charset=utf-8"
        )
        response["Content-Disposition"] = f'attachment; filename="{report}.csv"'
        return response


def sheet_of(report: str, query: Mapping[str, str], sources: Sources) -> Sheet:
    """A table under the filters of a query. Raises: BadQuery."""
    filters = HandFilters.parse(query)
    asked = {key: value for key, value in query.items() if value}
    if report != TOTALS:
        wanted = REPORTS[report]
        return Sheet(
            title=wanted.title,
            columns=wanted.columns,
            rows=wanted.rows(filters, sources),
            made_at=timezone.now(),
            filters=asked,
        )
    totals = TotalsQuery(
        sources=sources,
        source=filters.source,
        table=filters.table,
        game=filters.game,
        day_from=filters.day_from,
        day_to=filters.day_to,
    )
    return Sheet(
        title="Totals",
        columns=TOTALS_COLUMNS,
        rows=totals_rows(totals),
        made_at=timezone.now(),
        filters=asked,
    )
