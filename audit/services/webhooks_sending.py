"""Telling webhooks of new findings: gathered out of the log in its order, sent until they arrive.

The log under the store has each finding once, in the order in which it became visible; a webhook
remembers how far it was told. So no finding is left out or told in two messages, whatever was
killed in between. A message itself may arrive more than once: its id stays the same.

Nothing is told that the account which answers for the webhook may not tell of: that is asked when a
message is made, and again each time before it is sent. A message is of one source, so that it is
sent whole or not at all. One worker at a time sends to a webhook, by a lease as elsewhere, and
somebody who does not answer is left alone for a while: others are not held up.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import connection, transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils import timezone

from audit.models import (
    DeliveryState,
    LeafKind,
    SealedLeaf,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from audit.selectors.access import Sources
from audit.selectors.belonging import holds
from audit.selectors.webhooks import told_sources
from audit.services.webhooks import pause_unseen, sealed_size
from audit.services.webhooks_posting import Unreachable, post

FINDINGS_AT_ONCE = 100
LEAVES_AT_ONCE = 2_000
# For so long a webhook is one worker's, from its last attempt on.
LEASE = timedelta(seconds=60)
# After how many seconds the next attempt is made; after the last one it is given up.
RETRIES = (30, 120, 600, 3_600, 6 * 3_600, 24 * 3_600)
# For how many seconds nothing is sent to somebody who did not answer once, twice, … in a row.
RESTS = (30, 60, 120, 300, 600)
_KINDS = (LeafKind.FINDING, LeafKind.COMPARISON_FINDING)

_TOLD = """
SELECT l.index, f.code, f.severity, f.event, f.seat, f.subject, f.logged, f.expected, f.rule,
    f.confidence, f.follows, f.explained_by, w.ruleset, w.engine,
    {kind} AS kind, {digest} AS digest, v.number, h.id, h.source, h.hand_id, h.game, h."table",
    h.currency, h.minor_digits,
    h.started_at, v.id = ANY(coalesce(h.contending, ARRAY[h.version_id])) AS is_current
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
    hook = _held(pk)
    if hook is None:
        return False, 0
    sources = told_sources(hook)
    size = sealed_size()
    leaves = list(
        SealedLeaf.objects.filter(index__gte=hook.next_leaf, index__lt=size, kind__in=_KINDS)
        .order_by("index")
        .values_list("index", "kind")[:LEAVES_AT_ONCE]
    )
    is_more = len(leaves) == LEAVES_AT_ONCE
    found = [told for told in _told(leaves) if _is_wanted(hook, sources, told)]
    parts = _parts(found)
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


def _held(pk: int) -> Webhook | None:
    """A webhook that is told of something now, held until the transaction ends; None for one that
    is paused or ended, and for one whose account may tell of nothing, which is paused by that."""
    hook = Webhook.objects.select_for_update().filter(pk=pk, ended_at=None, paused_at=None).first()
    if hook is None or pause_unseen(hook):
        return None
    return hook


def _parts(found: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Findings as messages tell them: each of one source, in the order of the log."""
    by_source: dict[str, list[dict[str, Any]]] = {}
    for told in found:
        by_source.setdefault(told["source"], []).append(told)
    parts = [
        of_one[start : start + FINDINGS_AT_ONCE]
        for of_one in by_source.values()
        for start in range(0, len(of_one), FINDINGS_AT_ONCE)
    ]
    return sorted(parts, key=lambda part: int(part[0]["leaf"]))


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


def _is_wanted(hook: Webhook, sources: Sources, told: dict[str, Any]) -> bool:
    return (
        holds(sources, told["source"])
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


def due_webhooks() -> list[int]:
    """The webhooks to which something is to be sent now, and nobody is at it."""
    now = timezone.now()
    waits = Exists(_due(now).filter(webhook=OuterRef("pk")))
    return list(_free(now).filter(waits).order_by("pk").values_list("pk", flat=True))


def send_waiting(pk: int, *, seconds: float) -> bool:
    """Send what is due of one webhook, until nobody answers. Returns: whether some is left after so
    many seconds. Does nothing where another worker is at it."""
    end = time.monotonic() + seconds
    if not _take(pk):
        return False
    try:
        while (delivery := _next(pk)) is not None:
            if time.monotonic() >= end:
                return True
            if not _attempt(delivery):
                return False
    finally:
        Webhook.objects.filter(pk=pk).update(leased_until=None)
    return False


def _free(now: datetime) -> Any:
    return Webhook.objects.filter(
        Q(leased_until=None) | Q(leased_until__lte=now),
        Q(rests_until=None) | Q(rests_until__lte=now),
        ended_at=None,
        paused_at=None,
    )


def _due(now: datetime) -> Any:
    return WebhookDelivery.objects.filter(state=DeliveryState.WAITING, next_at__lte=now).order_by(
        "next_at", "first_leaf", "pk"
    )


def _take(pk: int) -> bool:
    """Take a webhook for a while, so that a killed worker costs time and no message."""
    now = timezone.now()
    return bool(_free(now).filter(pk=pk).update(leased_until=now + LEASE))


def _next(pk: int) -> WebhookDelivery | None:
    """The next message that may be sent; what may not be told any more is withheld."""
    while True:
        with transaction.atomic():
            hook = _held(pk)
            if hook is None:
                return None
            delivery: WebhookDelivery | None = (
                _due(timezone.now()).filter(webhook=hook).select_for_update().first()
            )
            if delivery is None:
                return None
            if _may_be_told(delivery, told_sources(hook)):
                hook.leased_until = timezone.now() + LEASE
                hook.save(update_fields=["leased_until"])
                delivery.webhook = hook
                return delivery
            delivery.state = DeliveryState.WITHHELD
            delivery.save(update_fields=["state"])


def _may_be_told(delivery: WebhookDelivery, sources: Sources) -> bool:
    found = msgspec.json.decode(delivery.body)["findings"]
    return all(holds(sources, told["source"]) for told in found)


def _attempt(delivery: WebhookDelivery) -> bool:
    """Send a message once and write down how that ended; whether somebody answered."""
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
        _note_answer(delivery.webhook_id, is_silent=status is None)
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
        row.save()
    return status is not None


def _note_answer(pk: int, *, is_silent: bool) -> None:
    """Let somebody who did not answer rest, the longer the oftener that happened in a row."""
    hook = Webhook.objects.select_for_update().get(pk=pk)
    hook.silent_count = hook.silent_count + 1 if is_silent else 0
    hook.rests_until = None
    if is_silent:
        seconds = RESTS[min(hook.silent_count, len(RESTS)) - 1]
        hook.rests_until = timezone.now() + timedelta(seconds=seconds)
    hook.save(update_fields=["silent_count", "rests_until"])
