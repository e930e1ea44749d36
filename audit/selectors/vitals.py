"""Is what we stand on alive: database, broker, workers. Each question has a bound in time."""

from __future__ import annotations

import psycopg
from celery import current_app
from django.db import connection
from kombu.exceptions import OperationalError

DATABASE_SECONDS = 2
BROKER_SECONDS = 2
WORKER_SECONDS = 2.0


def database_trouble() -> str | None:
    """Why the database does not answer, in one line; None when it does.

    Asked by a connection of its own: the web process would wait long for one out of its pool.
    """
    given = {**connection.get_connection_params(), "connect_timeout": DATABASE_SECONDS}
    try:
        with psycopg.connect(**given) as line:
            line.execute("SELECT 1")
    except psycopg.Error as error:
        return first_line(error)
    return None


def broker_trouble() -> str | None:
    """Why the broker does not answer, in one line; None when it does."""
    options = {
        "socket_connect_timeout": BROKER_SECONDS,
        "socket_timeout": BROKER_SECONDS,
        "max_retries": 0,
    }
    try:
        with current_app.connection_for_read(
            connect_timeout=BROKER_SECONDS, transport_options=options
        ) as line:
            line.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
            line.default_channel  # noqa: B018 - to open it is to ask
    except (OperationalError, OSError) as error:
        return first_line(error)
    return None


def live_workers() -> tuple[str, ...]:
    """The names of the workers that answer within two seconds, also while they are busy."""
    try:
        answers = current_app.control.ping(timeout=WORKER_SECONDS)
    except (OperationalError, OSError):
        return ()
    return tuple(sorted(name for answer in answers or () for name in answer))


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
