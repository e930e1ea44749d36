"""Certificates of completeness by program: the list, one whole, and having a day certified."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import work_described as said
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.pages import BESIDE, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import needs, sources_of_api
from audit.api.resource import Resource, versioned
from audit.selectors.access import Act
from audit.selectors.certificates import (
    CertificateFilters,
    RunRow,
    get_certificate,
    get_run,
    list_certificates,
)
from audit.selectors.certificates_content import instant_text
from audit.selectors.exports_certificates import document_of, head_of
from audit.selectors.pages import BadQuery, NotFound
from audit.services.certifying import RunRefused, request_certificates

FILTERS = ("source", "table", "from", "to", "state", "all")


class CertificateList(Resource):
    """GET certificates by day, the latest first; POST has the tables of a day certified."""

    permission_classes = [needs(Act.SEE_CERTIFICATES, write=Act.MAKE_CERTIFICATES)]  # noqa: RUF012
    http_method_names = ["get", "head", "post"]  # noqa: RUF012 - as the framework has it

    @described(said.CERTIFICATES)
    def get(self, request: Request) -> Response:
        check_parameters(request, *FILTERS, *BESIDE)
        asked = asked_page(request)
        query = request.query_params.dict()
        try:
            filters = CertificateFilters.parse(query)
            page = list_certificates(
                filters,
                sources=sources_of_api(request),
                cursor=asked.cursor,
                limit=asked.limit,
            )
        except BadQuery as error:
            raise ApiError(400, "bad-query", str(error)) from None
        return Response(
            {
                "certificates": [
                    {"url": reverse("api-certificate", args=(row.pk,)), **head_of(row)}
                    for row in page.rows
                ],
                **ways_of(request, page),
            }
        )

    @described(said.CERTIFY)
    def post(self, request: Request) -> Response:
        """`?day=` with `source` and `table` where it is narrowed; 202 with the run."""
        assert request.user.is_authenticated, "nobody else is let in"
        check_parameters(request, "day", "source", "table")
        query = request.query_params
        try:
            run_id = request_certificates(
                sources=sources_of_api(request),
                day=_day(query.get("day", "")),
                source=query.get("source", ""),
                table=query.get("table", ""),
                user=request.user,
            )
        except RunRefused as error:
            raise ApiError(400, "bad-query", str(error)) from None
        told = run_of(get_run(run_id, sources=sources_of_api(request)))
        return Response(told, status=202, headers={"Location": told["url"]})


class CertificateOne(Resource):
    """GET one certificate, with where the facts of now differ from it."""

    permission_classes = [needs(Act.SEE_CERTIFICATES)]  # noqa: RUF012 - as the framework has it
    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.CERTIFICATE)
    def get(self, request: Request, certificate: int) -> HttpResponse:
        check_parameters(request)
        try:
            detail = get_certificate(certificate, sources=sources_of_api(request))
        except NotFound as error:
            raise Http404(str(error)) from None
        return versioned(request, document_of(detail))


class CertificateRunOne(Resource):
    """GET how far a run is."""

    permission_classes = [needs(Act.SEE_CERTIFICATES, journal=False)]  # noqa: RUF012
    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.RUN)
    def get(self, request: Request, run: int) -> Response:
        check_parameters(request)
        try:
            return Response(run_of(get_run(run, sources=sources_of_api(request))))
        except NotFound as error:
            raise Http404(str(error)) from None


def run_of(run: RunRow) -> dict[str, Any]:
    """A run as the API tells it."""
    return {
        "id": run.pk,
        "url": reverse("api-certificate-run", args=(run.pk,)),
        "day": run.day.isoformat(),
        "source": run.source or None,
        "table": run.table or None,
        "state": run.state,
        "percent": run.percent,
        "tables": run.tables,
        "looked_at": run.looked,
        "made": run.made,
        "still_hold": run.same,
        "without_anything": run.empty,
        "certificate": None
        if run.certificate is None
        else reverse("api-certificate", args=(run.certificate,)),
        "created_at": instant_text(run.created_at),
        "finished_at": None if run.finished_at is None else instant_text(run.finished_at),
    }


def _day(text: str) -> date:
    """Raises: RunRefused."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise RunRefused("Name a day, written as day=2026-03-31.")
    return day
