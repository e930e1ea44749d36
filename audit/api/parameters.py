"""What an address may carry: a parameter that nobody reads is an error, never left aside."""

from __future__ import annotations

from rest_framework.request import Request

from audit.api.errors import ApiError
from audit.config.asked import misasked


def check_parameters(request: Request, *names: str, lets_others: bool = False) -> None:
    """Let through what the address names among `names`, each once at most, none with a NUL.

    A misspelt `restatement` would make a conflict of a restatement, a misspelt `source` would have
    every source certified. With `lets_others` further ones are left aside. Raises: ApiError 400
    with the first that is unknown or stands twice.
    """
    wrong = misasked(request.query_params, names, lets_others=lets_others)
    if wrong is not None:
        raise ApiError(400, "bad-query", wrong.message, place=wrong.name)
