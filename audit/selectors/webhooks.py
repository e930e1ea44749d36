"""Webhooks and what was sent to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.db.models import Count, Q

from audit.models import DeliveryState, Webhook, WebhookDelivery
from audit.selectors.access import Access, Act, Sources, access_of, accesses_of
from audit.selectors.belonging import within
from audit.selectors.pages import NotFound

DELIVERIES_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """A webhook without its secret. `state` is `on`, `paused` or `ended`.

    `owner` answers for it, `tells` are the sources of which it may tell now, None for every one.
    `paused_because` is a PauseReason. After `silent_count` attempts without an answer it is left
    alone until `rests_until`.
    """

    pk: int
    name: str
    url: str
    host: str
    sources: tuple[str, ...] | None
    codes: tuple[str, ...]
    only_errors: bool
    created_by: str
    created_at: datetime
    owner: str
    tells: Sources
    state: str
    paused_because: str
    silent_count: int
    rests_until: datetime | None
    waiting: int
    given_up: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One try to deliver a message."""

    number: int
    at: datetime
    status: int | None
    error: str
    answer: str
    took_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """A message, and each attempt to deliver it, the first first."""

    id: str
    finding_count: int
    created_at: datetime
    state: str
    next_at: datetime
    delivered_at: datetime | None
    attempts: tuple[AttemptRow, ...]


def told_sources(hook: Webhook) -> Sources:
    """Of which sources a webhook may tell now: of its own, as far as the account that answers for
    it may; None for every one."""
    return _meeting(hook, access_of(hook.owner))


def _meeting(hook: Webhook, access: Access) -> Sources:
    own = access.sources(Act.MANAGE_WEBHOOKS)
    if hook.sources is None:
        return own
    named = frozenset(hook.sources)
    return named if own is None else named & own


def webhooks(*, sources: Sources) -> tuple[WebhookRow, ...]:
    """The webhooks that tell of these sources alone, by name; those that ended come last."""
    rows = Webhook.objects.filter(within(sources, "sources")).select_related("created_by", "owner")
    counted = rows.annotate(
        waiting=Count("deliveries", filter=Q(deliveries__state=DeliveryState.WAITING)),
        given_up=Count("deliveries", filter=Q(deliveries__state=DeliveryState.GIVEN_UP)),
    )
    hooks = list(counted)
    accesses = accesses_of([hook.owner for hook in hooks])
    found = [_row(hook, accesses[hook.owner_id]) for hook in hooks]
    return tuple(sorted(found, key=lambda row: (row.state == "ended", row.name, row.pk)))


def webhook(pk: int, *, sources: Sources) -> WebhookRow:
    """One of them. Raises: NotFound."""
    found = [row for row in webhooks(sources=sources) if row.pk == pk]
    if not found:
        raise NotFound("There is no such webhook.")
    return found[0]


def deliveries(pk: int) -> tuple[DeliveryRow, ...]:
    """The newest DELIVERIES_SHOWN messages of a webhook that one may see."""
    rows = WebhookDelivery.objects.filter(webhook_id=pk).prefetch_related("attempts")
    return tuple(_delivery(row) for row in rows.order_by("-created_at", "pk")[:DELIVERIES_SHOWN])


def _row(hook: Webhook, access: Access) -> WebhookRow:
    state = "on" if hook.paused_at is None else "paused"
    return WebhookRow(
        pk=hook.pk,
        name=hook.name,
        url=hook.url,
        host=urlsplit(hook.url).netloc,
        sources=None if hook.sources is None else tuple(hook.sources),
        codes=tuple(hook.codes),
        only_errors=hook.only_errors,
        created_by=hook.created_by.get_username(),
        created_at=hook.created_at,
        owner=hook.owner.get_username(),
        tells=_meeting(hook, access),
        paused_because=hook.paused_because,
        silent_count=hook.silent_count,
        rests_until=hook.rests_until,
        state="ended" if hook.ended_at is not None else state,
        waiting=hook.waiting,  # type: ignore[attr-defined]
        given_up=hook.given_up,  # type: ignore[attr-defined]
    )


def _delivery(row: WebhookDelivery) -> DeliveryRow:
    attempts = sorted(row.attempts.all(), key=lambda attempt: attempt.number)
    return DeliveryRow(
        id=str(row.pk),
        finding_count=row.finding_count,
        created_at=row.created_at,
        state=row.state,
        next_at=row.next_at,
        delivered_at=row.delivered_at,
        attempts=tuple(
            AttemptRow(
                number=one.number,
                at=one.at,
                status=one.status,
                error=one.error,
                answer=one.answer,
                took_ms=one.took_ms,
            )
            for one in attempts
        ),
    )
