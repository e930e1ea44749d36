"""Uploads by program: one request, one file; its progress at the address that the answer names."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

import replay
from audit import selectors, services
from audit.api import work_described as said
from audit.api.body import body_of
from audit.api.describing import described
from audit.api.errors import BUSY_SECONDS, ApiError
from audit.api.pages import BESIDE, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import AnyKey, access_of_api, needs, sources_of_api
from audit.api.resource import Resource, versioned
from audit.api.shapes_work import RefusedLine, RefusedPage
from audit.selectors.access import Act
from audit.selectors.reaudits import admitted_later

# What the bytes are is told by the bytes themselves; these names only say that they are a log.
LOG_TYPES = (
    "application/gzip",
    "application/jsonlines",
    "application/ndjson",
    "application/octet-stream",
    "application/x-gzip",
    "application/x-ndjson",
    "application/zstd",
    "text/plain",
)
ONE_HAND_TYPE = "application/json"
# What a line may hold (FORMAT 6.1).
ONE_HAND_BYTES_MAX = 1 << 20
ENCODINGS = ("", "identity", "gzip", "zstd")
KEY_HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class UploadList(Resource):
    """GET uploads, the newest first; POST hands in one file."""

    permission_classes = [needs(Act.SEE_UPLOADS, write=Act.UPLOAD)]  # noqa: RUF012
    http_method_names = ["get", "head", "post"]  # noqa: RUF012 - as the framework has it

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # First of all: to look for a form's token the framework would read a form's whole body.
        check_type(request)
        super().initial(request, *args, **kwargs)

    @described(said.UPLOADS)
    def get(self, request: Request) -> Response:
        check_parameters(request, *BESIDE)
        asked = asked_page(request)
        try:
            page = selectors.list_uploads(
                sources=sources_of_api(request),
                account_id=access_of_api(request).account_id,
                cursor=asked.cursor,
                limit=asked.limit,
            )
        except selectors.BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None
        later = admitted_later([row.id for row in page.rows if row.rejected or row.failed])
        uploads = [progress_of(row, later) for row in page.rows]
        return Response({"uploads": uploads, **ways_of(request, page)})

    @described(said.UPLOAD_NEW)
    def post(self, request: Request) -> Response:
        """201 with the upload, which is then audited; the same answer for the same key."""
        assert request.user.is_authenticated, "nobody else is let in"
        check_parameters(request, "name", "feed", "source", "restatement")
        feed, source = (request.query_params.get(name) for name in ("feed", "source"))
        if source is not None and feed is None:
            message = "A source is named for a feed: each line of a log names its own."
            raise ApiError(400, "bad-query", message, place="source")
        key = key_of(request)
        stream: services.ByteStream = body_of(request)
        if media_type(request) == ONE_HAND_TYPE and feed is None:
            stream = one_hand(stream)
        how: dict[str, Any] = {
            "name": request.query_params.get("name", ""),
            "stream": stream,
            "user": request.user,
            "sources": sources_of_api(request),
            "key": key,
            "restatement": request.query_params.get("restatement"),
        }
        if feed is not None:
            how |= {"feed": feed, "source": source or ""}
        receive = services.receive_upload if feed is None else services.receive_feed
        received = _received(receive, how)
        address = reverse("api-upload", args=(received.upload_id,))
        answer = {
            "id": received.upload_id,
            "url": address,
            "bytes": received.byte_count,
            "sha256": received.sha256.hex(),
            "lines": received.lines,
        }
        if received.restating_id is not None:
            answer["restating"] = reverse("api-upload", args=(received.restating_id,))
        headers = {"Location": address}
        if received.is_known:
            headers["Idempotent-Replayed"] = "true"
        return Response(answer, status=201, headers=headers)


def _received(
    receive: Callable[..., services.Received], how: Mapping[str, Any]
) -> services.Received:
    """Take a file in. Raises: ApiError for whatever is wrong with it."""
    try:
        return receive(**how)
    except services.SourceRefused as error:
        raise ApiError(403, "forbidden-source", str(error), place="source") from None
    except services.FeedUnknown as error:
        raise ApiError(400, "unknown-feed", str(error), place="feed") from None
    except services.RestatementIncomplete as error:
        raise ApiError(400, "bad-restatement", str(error), place="restatement") from None
    except services.UploadTooLarge as error:
        raise ApiError(413, "too-large", str(error)) from None
    except services.UploadRefused as error:
        raise ApiError(400, "incomplete", str(error)) from None
    except services.SubmissionInProgress as error:
        raise ApiError(
            409, "in-progress", str(error), place=KEY_HEADER, retry_after=BUSY_SECONDS
        ) from None
    except services.SubmissionKeyReused as error:
        raise ApiError(422, "key-reused", str(error), place=KEY_HEADER) from None


class UploadOne(Resource):
    """GET tells how far an upload is."""

    permission_classes = [needs(Act.SEE_UPLOADS, journal=False)]  # noqa: RUF012
    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.UPLOAD)
    def get(self, request: Request, upload: int) -> HttpResponse:
        check_parameters(request)
        row = seen_upload(request, upload)
        later = admitted_later([row.id]) if row.rejected or row.failed else {}
        return versioned(request, progress_of(row, later))


class RefusedOf(Resource):
    """GET the lines of an upload that could not be read as hands."""

    permission_classes = [needs(Act.SEE_UPLOADS)]  # noqa: RUF012
    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.REFUSED)
    def get(self, request: Request, upload: int) -> Response:
        check_parameters(request, *BESIDE)
        seen_upload(request, upload)
        asked = asked_page(request)
        try:
            page = selectors.list_refusals(
                upload,
                sources=sources_of_api(request),
                raw_sources=access_of_api(request).sources(Act.SEE_RAW),
                account_id=access_of_api(request).account_id,
                cursor=asked.cursor,
                limit=asked.limit,
            )
        except selectors.BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None
        refused = [
            RefusedLine(
                line=row.line,
                offset=row.offset,
                place=row.place,
                reason=row.reason,
                begins=row.raw,
                is_cut=row.is_raw_cut,
                sha256=row.sha256,
                is_our_fault=row.is_our_fault,
                hand=None if row.hand_pk is None else str(row.hand_pk),
            )
            for row in page.rows
        ]
        return Response(RefusedPage(refused=refused, **ways_of(request, page)))


def seen_upload(request: Request, upload: int) -> selectors.UploadRow:
    """Raises: Http404."""
    try:
        return selectors.get_upload(
            upload,
            sources=sources_of_api(request),
            account_id=access_of_api(request).account_id,
        )
    except selectors.NotFound as error:
        raise Http404(str(error)) from None


class Nowhere(Resource):
    """Every other address below /api/: an error in the envelope, for whoever may come in."""

    is_no_resource = True

    permission_classes = [AnyKey]  # noqa: RUF012 - as the framework has it

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404


def progress_of(row: selectors.UploadRow, later: Mapping[int, int]) -> dict[str, Any]:
    """An upload as the API tells it; `later` counts refused lines that became hands since."""
    return {
        "id": row.id,
        "url": reverse("api-upload", args=(row.id,)),
        "page": reverse("upload", args=(row.id,)),
        "name": row.name,
        "feed": row.feed or None,
        "restatement": row.restatement or None,
        "received_by": row.received_by,
        "state": row.state,
        "is_ended": row.is_ended,
        "error": row.error or None,
        "percent": row.percent,
        "bytes": row.byte_count,
        "sha256": row.sha256,
        "lines": row.lines,
        "audited": row.audited,
        "verdicts": {
            "clean": row.clean,
            "consistent": row.consistent,
            "discrepant": row.discrepant,
            "void": row.void,
            "rejected": row.rejected,
            "failed": row.failed,
        },
        "hands": {
            "new": row.new,
            "duplicate": row.duplicates,
            "conflict": row.conflicts,
            "restated": row.restated,
        },
        "turned": row.turned,
        "admitted_later": later.get(row.id, 0),
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
    }


def media_type(request: Request) -> str:
    return (request.META.get("CONTENT_TYPE") or "").partition(";")[0].strip().lower()


def check_type(request: Request) -> None:
    """Raises: ApiError 415 for a body that is announced as something else than a log."""
    if request.method == "POST" and media_type(request) not in (*LOG_TYPES, ONE_HAND_TYPE):
        raise ApiError(
            415,
            "unsupported-type",
            "Send the log itself, plain, gzip or zstd, as application/x-ndjson, or one hand as"
            " application/json.",
            place="Content-Type",
        )
    if request.headers.get("Content-Encoding", "").strip().lower() not in ENCODINGS:
        raise ApiError(
            415, "unsupported-type", "A log is sent plain, gzip or zstd.", place="Content-Encoding"
        )


def key_of(request: Request) -> services.SubmissionKey | None:
    """The sender's key. Raises: ApiError 400 for one that cannot be kept as it is."""
    text = request.headers.get(KEY_HEADER)
    if text is None:
        return None
    if _KEY.fullmatch(text) is None:
        raise ApiError(
            400, "bad-key", "A key is 1 to 255 visible ASCII characters.", place=KEY_HEADER
        )
    return services.SubmissionKey(sender=f"account:{request.user.pk}", key=text)


def one_hand(body: services.ByteStream) -> io.BytesIO:
    """A single hand, which is read at once so that the sender hears where it is wrong.

    Raises: ApiError 400 with the place in the record; 413 for more than a line may hold.
    """
    most = ONE_HAND_BYTES_MAX
    parts = []
    left = most + 1
    try:
        while left and (piece := body.read(left)):
            parts.append(piece)
            left -= len(piece)
    except OSError as error:
        reason = error.strerror or "the sender hung up"
        raise ApiError(400, "incomplete", f"The body broke off: {reason}.") from None
    data = b"".join(parts)
    if len(data) > most:
        raise ApiError(413, "too-large", f"A hand is longer than {most} bytes.")
    try:
        # As any file: it may be packed, and begin with a byte order mark (FORMAT 6.1, 1 and 2).
        whole = replay.read_whole(io.BytesIO(data), most=most)
        line = whole.removeprefix(codecs.BOM_UTF8).strip(b" \t\r\n")
        if b"\n" in line:
            message = "A hand is one line; send a log as a log."
            raise ApiError(400, "not-one-line", message, place="$")
        replay.read(line)
    except replay.Refusal as refusal:
        raise ApiError(400, "refused", refusal.reason, place=refusal.place) from None
    return io.BytesIO(data)
