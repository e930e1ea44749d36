"""The description of the API, for programs and for people; both from our own server."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.shortcuts import render
from drf_spectacular.generators import SchemaGenerator
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.authentication import SessionAuthentication
from audit.api.docs_told import Described, present
from audit.api.parameters import check_parameters
from audit.api.permissions import AnyKey, needs
from audit.api.resource import Resource, versioned
from audit.selectors.access import Act


@cache
def description() -> dict[str, Any]:
    """The whole description; it changes with the program alone."""
    generator: Any = SchemaGenerator
    made: dict[str, Any] = generator().get_schema(request=None, public=True)
    return made


@cache
def presented() -> Described:
    return present(description())


class Schema(Resource):
    """GET the description, OpenAPI 3.1 as JSON."""

    permission_classes = [AnyKey]  # noqa: RUF012 - as the framework has it
    is_no_resource = True

    def get(self, request: Request) -> HttpResponse:
        check_parameters(request)
        return versioned(request, description())


class DocsPage(Resource):
    """GET the same as a page, which needs no script and asks no other host for anything."""

    permission_classes = [needs(Act.OWN_ACCOUNT)]  # noqa: RUF012
    authentication_classes = [SessionAuthentication]  # noqa: RUF012
    is_no_resource = True

    def get(self, request: Request) -> HttpResponse:
        check_parameters(request)
        return render(request._request, "api/docs.html", {"api": presented()})  # noqa: SLF001

    def handle_exception(self, error: Exception) -> Response:
        if isinstance(error, NotAuthenticated):
            # A response, if not one of the framework's.
            return cast("Response", redirect_to_login(self.request.get_full_path()))
        return super().handle_exception(error)
