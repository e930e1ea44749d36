"""Every code that an error of the API can have: its status, and when it comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """`status` is that of HTTP; `about` says when the code comes."""

    status: int
    about: str


ERRORS: Mapping[str, Known] = {
    code: Known(status=status, about=about)
    for code, status, about in (
        ("bad-query", 400, "A parameter is unknown, stands twice or cannot be read."),
        ("bad-body", 400, "The body is no JSON, or not of the shape that is taken here."),
        ("bad-act", 400, "The act makes no sense as it is: a reason or a hand is missing."),
        ("bad-claim", 400, "The claim makes no sense as it is."),
        ("bad-reaudit", 400, "The re-audit cannot be begun as it is asked for."),
        ("bad-restatement", 400, "A restatement without a reason, or with too long a one."),
        ("bad-key", 400, "The Idempotency-Key cannot be kept as it is."),
        ("bad-length", 400, "Content-Length is no number."),
        ("bad-address", 400, "The host, or something else about the request, is refused."),
        ("unknown-feed", 400, "There is no such feed, or no name of its source."),
        ("refused", 400, "A single hand that is none; `place` says where."),
        ("not-one-line", 400, "A single hand is one line."),
        ("incomplete", 400, "The body broke off; nothing of it is kept."),
        ("not-authenticated", 401, "Neither a key nor a session with the form's token was shown."),
        ("authentication-failed", 401, "The key is unknown, expired or revoked."),
        ("permission-denied", 403, "The account or the key may not do that."),
        ("forbidden-source", 403, "The file names a source for which the account may not upload."),
        ("not-found", 404, "There is nothing at this address that the account may see."),
        ("method-not-allowed", 405, "`Allow` says what can be done here."),
        ("in-progress", 409, "A file under this key is arriving at this moment."),
        ("not-replayable", 409, "The record cannot be replayed by the rules known now."),
        ("not-stopped", 409, "The re-audit is not stopped, or cannot go on here."),
        ("conflict", 409, "Not as things stand now, which the message says."),
        ("length-required", 411, "Neither a length, nor chunks that the server can end."),
        ("another-version", 412, "The answer is not the one that `If-Match` names."),
        ("too-large", 413, "More bytes than are taken at once."),
        ("unsupported-type", 415, "The body is of a type that is not taken here."),
        ("key-reused", 422, "The Idempotency-Key stood for another body."),
        ("throttled", 429, "Too many requests in this minute; `Retry-After` says how long."),
        ("our-fault", 500, "A fault of ours; it has been written down."),
        ("not-installed", 501, "What makes this form is not installed on the server."),
        ("unavailable", 503, "The store cannot be reached; come again."),
    )
}
# What any address that asks who one is can answer.
ALWAYS = (
    "bad-query", "not-authenticated", "authentication-failed", "permission-denied",
    "method-not-allowed", "throttled", "our-fault", "unavailable",
)  # fmt: skip
