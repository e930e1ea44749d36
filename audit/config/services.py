"""Where PostgreSQL and the broker are: the environment first, then a running `dev.py up`."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from kombu.transport import TRANSPORT_ALIASES

from audit.devstack.errors import StackError
from audit.devstack.state import read_services, state_folder


def state_of(checkout: Path) -> Path:
    try:
        return state_folder(checkout)
    except StackError as error:
        raise ImproperlyConfigured(str(error)) from error


def service_url(variable: str, state: Path) -> str:
    """Give the address in an environment variable, or the one a running `dev.py up` wrote down.

    Raises: ImproperlyConfigured when neither says it.
    """
    url = os.environ.get(variable) or read_services(state).get(variable)
    if not url:
        raise ImproperlyConfigured(
            f"{variable} is not set and no `python3 dev.py up` of this checkout is running:"
            " set the variable or start it."
        )
    return url


def database_from_url(url: str) -> dict[str, Any]:
    """Turn postgresql://user:password@host:port/name?option=value into Django's dictionary.

    A `host` among the options is the folder of a Unix socket and wins over the one before the path.
    """
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if parts.scheme not in ("postgresql", "postgres") or not name:
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgresql://user:password@host:5432/name."
        )
    try:
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured("The port in DATABASE_URL is not a number.") from error
    options = dict(parse_qsl(parts.query))
    host = options.pop("host", "") or unquote(parts.hostname or "")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(port or options.pop("port", "")),
        "OPTIONS": options,
    }


def broker_from_url(url: str) -> str:
    """The address of the broker, or of several with semicolons, as it came.

    Raises: ImproperlyConfigured for one of no kind.
    """
    for one in url.split(";"):
        parts = urlsplit(one)
        if parts.scheme.partition("+")[0] not in TRANSPORT_ALIASES:
            raise ImproperlyConfigured(
                "BROKER_URL must look like redis://host:6379/0 or amqp://user:password@host:5672//."
            )
        try:
            _ = parts.port
        except ValueError as error:
            raise ImproperlyConfigured("The port in BROKER_URL is not a number.") from error
    return url


def cache_url(broker: str) -> str:
    """The address of the broker as a cache's client writes it, in the same numbered database."""
    parts = urlsplit(broker)
    if parts.scheme not in ("redis+socket", "valkey+socket"):
        return broker
    database = dict(parse_qsl(parts.query)).get("virtual_host", "0")
    return f"unix://{parts.path}?db={database}"
