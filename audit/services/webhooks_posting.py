"""One attempt to deliver a message: signed, sent to an address outside, and cut off in time.

Each part has a limit of its own, and none is for one read alone: who is looked up for long, shakes
hands letter by letter or answers so is cut off, because a worker waits meanwhile.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import urllib3
import urllib3.connection
from django.conf import settings

from audit.models import WebhookDelivery
from audit.services.webhooks import SECRET_MARK
from replay import say

LOOK_UP_SECONDS, CONNECT_SECONDS, READ_SECONDS = 5.0, 5.0, 10.0
ANSWER_MAX = 1_000
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_SIX_TO_FOUR = ipaddress.ip_network("2002::/16")
_BROKEN = (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError)


class _Twin:
    """Keeps a second hold on a connection's socket: the first one goes to TLS when hands are shaken
    and to the answer when it is read, and this one can end the talk all the while."""

    twin: socket.socket | None = None

    def _new_conn(self) -> socket.socket:
        made: socket.socket = super()._new_conn()  # type: ignore[misc]
        self.twin = made.dup()
        return made

    def cut(self) -> None:
        """End the talk now, whoever waits for whom."""
        if self.twin is not None:
            with suppress(OSError):
                self.twin.shutdown(socket.SHUT_RDWR)

    def let_go(self) -> None:
        """Close both holds. `close` alone is called, too, while an answer is still read."""
        self.close()  # type: ignore[attr-defined]
        if self.twin is not None:
            self.twin.close()


class _Plain(_Twin, urllib3.connection.HTTPConnection):
    """A connection without TLS, to try things out."""


class _Safe(_Twin, urllib3.connection.HTTPSConnection):
    """A connection with TLS."""


class Unreachable(Exception):
    """Nobody was reached, or somebody who must not be; its text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: an HTTP status and the beginning of the body."""

    status: int
    text: str

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


def signed_headers(secret: str, delivery_id: str, at: int, body: bytes) -> dict[str, str]:
    """The headers of Standard Webhooks: HMAC-SHA256 over id, second and body, by the secret."""
    key = base64.b64decode(secret.removeprefix(SECRET_MARK))
    signed = hmac.new(key, f"{delivery_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


def post(delivery: WebhookDelivery) -> Answer:
    """Send a message once. No redirect is followed. Raises: Unreachable."""
    hook, body = delivery.webhook, delivery.body.encode()
    parts = urlsplit(hook.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": "Tilecourt-Webhook/1",
        **signed_headers(hook.secret, str(delivery.pk), int(time.time()), body),
    }
    line = _line(parts.scheme, parts.hostname or "", parts.port)
    try:
        with _cut_after(CONNECT_SECONDS, line):
            line.connect()
        # One read may take as long as all of them: `getresponse` would else have the timeout of
        # connecting.
        line.timeout = READ_SECONDS
        with _cut_after(READ_SECONDS, line):
            line.request("POST", target, body=body, headers=headers, preload_content=False)
            answer = line.getresponse()
            text = answer.read(ANSWER_MAX).decode("utf-8", "replace").replace("\x00", "�")
    except _BROKEN as error:
        raise Unreachable(f"{type(error).__name__}: {error}"[:ANSWER_MAX]) from None
    finally:
        line.let_go()
    return Answer(status=answer.status, text=text)


@contextmanager
def _cut_after(seconds: float, line: _Plain | _Safe) -> Iterator[None]:
    """End a talk that is not over after so long: a timeout is for one read alone, and somebody who
    answers letter by letter would hold the worker for as long as they like."""
    cut = threading.Timer(seconds, line.cut)
    cut.start()
    try:
        yield
    finally:
        cut.cancel()
        cut.join()


def _line(scheme: str, host: str, port: int | None) -> _Plain | _Safe:
    """A connection, not yet open, to the very address that was looked at: a name that answers
    otherwise the second time leads nowhere else. Raises: Unreachable."""
    port = port or (443 if scheme == "https" else 80)
    address = _address_of(host, port)
    if scheme == "https":
        return _Safe(
            address, port, timeout=CONNECT_SECONDS, server_hostname=host, assert_hostname=host
        )
    return _Plain(address, port, timeout=CONNECT_SECONDS)


def _address_of(host: str, port: int) -> str:
    addresses = [str(entry[4][0]) for entry in _looked_up(host, port)]
    if not settings.TILECOURT_WEBHOOK_PRIVATE:
        for address in addresses:
            if not _is_outside(address):
                raise Unreachable(
                    say("{host} leads to {address}, which lies inside.", host=host, address=address)
                )
    return addresses[0]


def _looked_up(host: str, port: int) -> list[Any]:
    """What the name servers say. Nothing stops a look-up, so it is left behind when it takes too
    long. Raises: Unreachable."""
    found: list[Any] = []
    failed: list[OSError] = []

    def look_up() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            failed.append(error)

    asked = threading.Thread(target=look_up, daemon=True)
    asked.start()
    asked.join(LOOK_UP_SECONDS)
    if failed:
        raise Unreachable(say("{host} has no address: {error}", host=host, error=failed[0]))
    if not found:
        raise Unreachable(say("Nobody says in time where {host} is.", host=host))
    return found


def _is_outside(text: str) -> bool:
    """Whether an address is one machine's on the public network.

    An address of IPv6 that carries one of IPv4 (mapped, compatible, translated by a gateway, 6to4)
    may lead to any machine inside, so that only global unicast is let through, without 6to4.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and (
        address not in _GLOBAL_UNICAST or address in _SIX_TO_FOUR
    ):
        return False
    return address.is_global and not address.is_multicast
