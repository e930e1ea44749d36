"""What an address may carry: a parameter that nobody reads is an error, never left aside."""

from __future__ import annotations

from rest_framework.request import Request

from audit.api.errors import ApiError


def check_parameters(request: Request, *names: str) -> None:
    """Let through what the address names among `names`, each once at most, none with a NUL.

    A misspelt `restatement` would make a conflict of a restatement, a misspelt `source` would have
    every source certified. Raises: ApiError 400 with the first that is unknown or stands twice.
    """
    for name, values in request.query_params.lists():
        if name not in names:
            known = f": it takes {', '.join(names)}." if names else ", which takes none."
            message = f"There is no parameter “{name}” at this address{known}"
            raise ApiError(400, "bad-query", message, place=name)
        if len(values) > 1:
            raise ApiError(400, "bad-query", f"“{name}” stands more than once.", place=name)
        if "\0" in values[0]:
            message = f"“{name}” holds a character that no name has."
            raise ApiError(400, "bad-query", message, place=name)
