"""What every resource of the API shares: who may keep an answer, and answers with a version."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import Any, ClassVar, cast

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.views import APIView

from audit.api.describing import JSON
from audit.api.errors import ApiError
from audit.api.rendering import encode

# Personal, and kept by no cache (SVC-63). A program that remembers an ETag may show it still.
KEPT_BY_NOBODY = "private, no-store"
VARY = ("Authorization", "Cookie")
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Resource(APIView):
    """A view of the API. `takes` is the media type of its bodies; "" where it takes none."""

    http_method_names = ["get", "head"]  # noqa: RUF012 - as the framework has it
    takes: ClassVar[str] = ""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # First of all: to look for a form's token the framework would read a form's whole body.
        kind = kind_of(request)
        if kind in FORMS:
            raise ApiError(415, "unsupported-type", "Send no form.", place="Content-Type")
        super().initial(request, *args, **kwargs)
        if request.method == "POST" and self.takes and kind != self.takes:
            raise ApiError(415, "unsupported-type", f"Send {self.takes}.", place="Content-Type")

    def finalize_response(
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> Any:
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = KEPT_BY_NOBODY
        patch_vary_headers(response, VARY)
        return super().finalize_response(request, cast("Any", response), *args, **kwargs)


def kind_of(request: Request) -> str:
    """The media type of the body as it was announced."""
    return (request.META.get("CONTENT_TYPE") or "").partition(";")[0].strip().lower()


def versioned(
    request: Request, data: Any, *, media_type: str = JSON, name: str = ""
) -> HttpResponse:
    """Answer with the ETag of these bytes, and with 304 where the caller has them.

    Raises: ApiError 412 where the caller asks for others.
    The tag is of the whole answer, so that it changes exactly when the answer does. `data` is bytes
    or something to encode; `name` that of a file.
    """
    content = data if isinstance(data, bytes) else encode(data)
    etag = quote_etag(hashlib.sha256(content).hexdigest()[:40])
    response = HttpResponse(content, content_type=media_type)
    if name:
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    # Of an answer without a date this says nothing (RFC 9110, 13.1.4); Django would fail it.
    request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)
    given = get_conditional_response(
        request._request,  # noqa: SLF001 - Django's own asks for its own
        etag=etag,
        response=response,
    )
    assert given is not None, "what is given in comes out, or a shorter answer instead of it"
    if given.status_code == HTTPStatus.PRECONDITION_FAILED:
        message = "The answer is not the one that you name."
        raise ApiError(412, "another-version", message, place="If-Match")
    given["ETag"] = etag
    return given
