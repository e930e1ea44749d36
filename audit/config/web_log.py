"""The log of the web server: requests and its own faults, without secrets and without names.

gunicorn logs no requests unless it is told to (`--access-logfile`). Where it does, and where it
tells of a request that it could not read or that failed, this class writes the lines.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from gunicorn.glogging import Logger

from audit.config.veiling import veiled, without_query

# What stands in `%({name}i)s`, `%({name}o)s` and `%({name}e)s` is left out of a line for these.
_SECRET_WORDS = ("authorization", "cookie", "token", "query_string")


class WebLog(Logger):  # type: ignore[misc]  # gunicorn tells no types.
    """gunicorn's own log, with the secret of a link cut short and what was asked for left out."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        # Settings are read anew on SIGHUP: a filter stands once.
        self.error_log.filters = [_Veil()]

    def atoms(
        self, resp: Any, req: Any, environ: Mapping[str, Any], request_time: Any
    ) -> dict[str, Any]:
        """What a line of the log of requests is made of."""
        made: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        told = {
            name: without_query(veiled(value)) if isinstance(value, str) else value
            for name, value in made.items()
            if not any(word in name for word in _SECRET_WORDS)
        }
        return {**told, "q": "…" if made["q"] else ""}


class _Veil(logging.Filter):
    """Cuts secrets and questions out of what the server tells of itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_query(veiled(record.getMessage())), ()
        return True
