"""Telling webhooks of new findings: gathered out of the log in its order, sent until they arrive.

The log under the store has each finding once, in the order in which it became visible; a webhook
remembers how far it was told. So no finding is left out or told in two messages, whatever was
killed in between. A message itself may arrive more than once: its id stays the same.
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
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import msgspec
import urllib3
import urllib3.connection
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from audit.models import (
    DeliveryState,
    LeafKind,
    SealedLeaf,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from audit.services.webhooks import SECRET_MARK, sealed_size
from replay import say

FINDINGS_AT_ONCE = 100
LEAVES_AT_ONCE = 2_000
CONNECT_SECONDS, READ_SECONDS = 5.0, 10.0
LEASE = timedelta(seconds=60)
ANSWER_MAX = 1_000
# After how many seconds the next attempt is made; after the last one it is given up.
RETRIES = (30, 120, 600, 3_600, 6 * 3_600, 24 * 3_600)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_SIX_TO_FOUR = ipaddress.ip_network("2002::/16")
_BROKEN = (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError)
_KINDS = (LeafKind.FINDING, LeafKind.COMPARISON_FINDING)

_TOLD = """
SELECT l.index, f.code, f.severity, f.event, f.seat, f.subject, f.logged, f.expected, f.rule,
    f.confidence, f.follows, f.explained_by, w.ruleset, w.engine,
    {kind} AS kind, {digest} AS digest, v.number, h.id, h.source, h.hand_id, h.game, h."table",
    h.currency, h.minor_digits,
    h.started_at, v.id = h.version_id AS is_current
FROM audit_sealedleaf l
JOIN {findings} f ON f.id = l.row
{joins}
JOIN audit_handversion v ON v.id = w.version_id
JOIN audit_hand h ON h.id = v.hand_id
WHERE l.index = ANY(%(leaves)s) AND l.kind = %(kind)s AND NOT l.is_lost
"""
_OF_VERDICT = _TOLD.format(
    findings="audit_finding",
    joins="JOIN audit_verdict w ON w.id = f.verdict_id",
    kind="w.kind",
    digest="w.digest",
)
_OF_COMPARISON = _TOLD.format(
    findings="audit_comparisonfinding",
    joins="JOIN audit_comparison c ON c.id = f.comparison_id"
    " JOIN audit_verdict w ON w.id = c.verdict_id",
    kind="c.kind",
    digest="c.digest",
)


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


def gather_messages() -> int:
    """Make messages of the findings that were sealed since the last time; returns how many."""
    made = 0
    hooks = Webhook.objects.filter(ended_at=None, paused_at=None).order_by("pk")
    for pk in list(hooks.values_list("pk", flat=True)):
        while True:
            with transaction.atomic():
                more, count = _gather(pk)
            made += count
            if not more:
                break
    return made


def _gather(pk: int) -> tuple[bool, int]:
    hook = Webhook.objects.select_for_update().filter(pk=pk, ended_at=None, paused_at=None).first()
    if hook is None:
        return False, 0
    size = sealed_size()
    leaves = list(
        SealedLeaf.objects.filter(index__gte=hook.next_leaf, index__lt=size, kind__in=_KINDS)
        .order_by("index")
        .values_list("index", "kind")[:LEAVES_AT_ONCE]
    )
    is_more = len(leaves) == LEAVES_AT_ONCE
    found = [told for told in _told(leaves) if _is_wanted(hook, told)]
    parts = [
        found[start : start + FINDINGS_AT_ONCE] for start in range(0, len(found), FINDINGS_AT_ONCE)
    ]
    for part in parts:
        WebhookDelivery.objects.create(
            webhook=hook,
            first_leaf=part[0]["leaf"],
            finding_count=len(part),
            body=_body(hook, part),
        )
    # Leaves come into sight in their order: what lies before the last one is all there.
    hook.next_leaf = leaves[-1][0] + 1 if is_more else size
    hook.save(update_fields=["next_leaf"])
    return is_more, len(parts)


def _told(leaves: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """The findings of some leaves, by the order of the log."""
    found: list[dict[str, Any]] = []
    for kind, query in ((LeafKind.FINDING, _OF_VERDICT),
                        (LeafKind.COMPARISON_FINDING, _OF_COMPARISON)):  # fmt: skip
        indices = [index for index, one in leaves if one == kind]
        if not indices:
            continue
        with connection.cursor() as cursor:
            cursor.execute(query, {"leaves": indices, "kind": kind})
            names = [column.name for column in cursor.description]
            found += [_entry(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]
    return sorted(found, key=lambda told: told["leaf"])


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    """A finding as it is told: that of verdict/1, and where it was found."""
    return {
        "leaf": row["index"],
        "hand": str(row["id"]),
        "source": row["source"],
        "hand_id": row["hand_id"],
        "version": row["number"],
        "is_current": row["is_current"],
        "game": row["game"],
        "table": row["table"],
        "started_at": row["started_at"],
        "currency": row["currency"],
        "minor_digits": row["minor_digits"],
        "ruleset": row["ruleset"],
        "engine": row["engine"],
        "verdict": row["kind"],
        "digest": bytes(row["digest"]).hex(),
        **{
            name: row[name]
            for name in ("code", "severity", "event", "seat", "subject", "logged", "expected",
                         "rule", "confidence", "follows", "explained_by")
        },
    }  # fmt: skip


def _is_wanted(hook: Webhook, told: dict[str, Any]) -> bool:
    return (
        (hook.sources is None or told["source"] in hook.sources)
        and (not hook.codes or told["code"] in hook.codes)
        and (not hook.only_errors or told["severity"] == "error")
    )


def _body(hook: Webhook, findings: list[dict[str, Any]]) -> str:
    message = {
        "type": "findings",
        "webhook": hook.name,
        "made_at": timezone.now(),
        "findings": findings,
    }
    return msgspec.json.encode(message).decode()


def send_messages(*, seconds: float) -> bool:
    """Send what is due. Returns: whether some is left after so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        delivery = _claim()
        if delivery is None:
            return False
        _attempt(delivery)
    return bool(_due(timezone.now()).exists())


def _due(now: datetime) -> Any:
    return WebhookDelivery.objects.filter(
        Q(leased_until=None) | Q(leased_until__lte=now),
        state=DeliveryState.WAITING,
        next_at__lte=now,
        webhook__ended_at=None,
        webhook__paused_at=None,
    ).order_by("next_at", "pk")


@transaction.atomic
def _claim() -> WebhookDelivery | None:
    """Take a message for a while, so that a killed worker costs time and no message."""
    now = timezone.now()
    delivery: WebhookDelivery | None = (
        _due(now)
        .select_for_update(skip_locked=True, of=("self",))
        .select_related("webhook")
        .first()
    )
    if delivery is not None:
        delivery.leased_until = now + LEASE
        delivery.save(update_fields=["leased_until"])
    return delivery


def _attempt(delivery: WebhookDelivery) -> None:
    started = time.monotonic()
    status, error, text = None, "", ""
    try:
        answer = post(delivery)
    except Unreachable as reason:
        error = str(reason)
    else:
        status, text = answer.status, answer.text
        error = "" if answer.is_good else f"The answer was {answer.status}."
    took_ms = round(1_000 * (time.monotonic() - started))
    with transaction.atomic():
        row = WebhookDelivery.objects.select_for_update().get(pk=delivery.pk)
        number = row.attempts.aggregate(last=Max("number"))["last"] or 0
        WebhookAttempt.objects.create(
            delivery=row,
            number=number + 1,
            status=status,
            error=error,
            answer=text,
            took_ms=took_ms,
        )
        now = timezone.now()
        if not error:
            row.state, row.delivered_at = DeliveryState.DELIVERED, now
        elif row.attempt_count < len(RETRIES):
            row.next_at = now + timedelta(seconds=RETRIES[row.attempt_count])
        else:
            row.state = DeliveryState.GIVEN_UP
        row.attempt_count = F("attempt_count") + 1
        row.leased_until = None
        row.save()


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
    host = parts.hostname or ""
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": "Tilecourt-Webhook/1",
        **signed_headers(hook.secret, str(delivery.pk), int(time.time()), body),
    }
    connection = _connected(parts.scheme, host, parts.port)
    line = connection.sock
    cut = threading.Timer(READ_SECONDS, _cut, (line,))
    cut.start()
    try:
        connection.request("POST", target, body=body, headers=headers, preload_content=False)
        answer = connection.getresponse()
        text = answer.read(ANSWER_MAX).decode("utf-8", "replace").replace("\x00", "�")
    except _BROKEN as error:
        raise Unreachable(f"{type(error).__name__}: {error}"[:ANSWER_MAX]) from None
    finally:
        cut.cancel()
        cut.join()
        connection.close()
    return Answer(status=answer.status, text=text)


def _cut(line: socket.socket) -> None:
    """End a talk: a timeout is for one read alone, and somebody who answers letter by letter would
    hold the worker, and all other messages, for as long as they like."""
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _connected(scheme: str, host: str, port: int | None) -> urllib3.connection.HTTPConnection:
    """A connection to the very address that was looked at: a name that answers otherwise the second
    time leads nowhere else. Raises: Unreachable."""
    port = port or (443 if scheme == "https" else 80)
    address = _address_of(host, port)
    if scheme == "https":
        connection: urllib3.connection.HTTPConnection = urllib3.connection.HTTPSConnection(
            address, port, timeout=CONNECT_SECONDS, server_hostname=host, assert_hostname=host
        )
    else:
        connection = urllib3.connection.HTTPConnection(address, port, timeout=CONNECT_SECONDS)
    try:
        connection.connect()
    except _BROKEN as error:
        connection.close()
        raise Unreachable(f"{type(error).__name__}: {error}"[:ANSWER_MAX]) from None
    connection.sock.settimeout(READ_SECONDS)
    return connection


def _address_of(host: str, port: int) -> str:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Unreachable(say("{host} has no address: {error}", host=host, error=error)) from None
    addresses = [str(entry[4][0]) for entry in found]
    if not settings.TILECOURT_WEBHOOK_PRIVATE:
        for address in addresses:
            if not _is_outside(address):
                raise Unreachable(
                    say("{host} leads to {address}, which lies inside.", host=host, address=address)
                )
    return addresses[0]


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
