"""Making webhooks, pausing and ending them, and sending something again."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

import replay
from audit.models import DeliveryState, PauseReason, SealedLeaf, Webhook, WebhookDelivery
from audit.selectors.access import Access, Act, Sources
from audit.selectors.webhooks import told_sources
from audit.services.texts import storable

SECRET_MARK = "whsec_"  # noqa: S105 - what a secret begins with
SECRET_BYTES = 32
NAME_MAX = 100
URL_MAX = 2_000
# What one account may have at a time. Nobody is told how many others have.
HOOKS_MAX = 50


class WebhookRefused(Exception):
    """A webhook that cannot be made or is not there; its text is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWebhook:
    """A webhook and its secret, which no page shows again."""

    pk: int
    secret: str


@transaction.atomic
def create_webhook(
    *,
    access: Access,
    name: str,
    url: str,
    sources: Collection[str] | None,
    codes: Collection[str] = (),
    only_errors: bool = True,
) -> NewWebhook:
    """Tell this address of the findings that are sealed from now on; the maker answers for it.

    Raises: WebhookRefused where it makes no sense, or reaches beyond the maker's own sources.
    """
    name = " ".join(name.split())
    if not name or storable(name, NAME_MAX) != name:
        raise WebhookRefused(
            replay.say("A webhook needs a name of up to {name_max} characters.", name_max=NAME_MAX)
        )
    check_url(url)
    if unknown := sorted(set(codes) - set(replay.CODES)):
        raise WebhookRefused(replay.say("{unknown} is no finding code.", unknown=unknown[0]))
    _check_scope(access, None if sources is None else frozenset(sources))
    if access.account_id is None:
        raise WebhookRefused("A webhook is somebody's: sign in to make one.")
    mine = Webhook.objects.filter(created_by_id=access.account_id, ended_at=None)
    if mine.count() >= HOOKS_MAX:
        raise WebhookRefused(
            replay.say("You have {hooks_max} webhooks already: end one first.", hooks_max=HOOKS_MAX)
        )
    secret = SECRET_MARK + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    try:
        with transaction.atomic():
            hook = Webhook.objects.create(
                name=name,
                url=url,
                secret=secret,
                sources=None if sources is None else sorted(set(sources)),
                codes=sorted(set(codes)),
                only_errors=only_errors,
                next_leaf=sealed_size(),
                created_by_id=access.account_id,
                owner_id=access.account_id,
            )
    except IntegrityError:
        raise WebhookRefused(
            replay.say("You have a webhook named {name} already: end it first.", name=name)
        ) from None
    return NewWebhook(pk=hook.pk, secret=secret)


def check_url(url: str) -> None:
    """Raises: WebhookRefused for what is no address that may be called."""
    if len(url) > URL_MAX or storable(url, URL_MAX) != url:
        raise WebhookRefused(
            replay.say("An address has up to {url_max} characters.", url_max=URL_MAX)
        )
    try:
        parts = urlsplit(url)
        port_is_good = parts.port is None or parts.port > 0
    except ValueError:
        raise WebhookRefused(replay.say("This is no address.")) from None
    schemes = ("https", "http") if settings.TILECOURT_WEBHOOK_PRIVATE else ("https",)
    if parts.scheme not in schemes or not parts.hostname or not port_is_good:
        raise WebhookRefused(replay.say("The address must begin with https:// and name a host."))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise WebhookRefused(
            replay.say("The address holds a name, a password or a #: leave them out.")
        )
    if not url.isascii() or any(character.isspace() for character in url):
        raise WebhookRefused(
            replay.say("The address holds characters that must be written as %XX.")
        )


def _check_scope(access: Access, sources: Sources) -> None:
    own = access.sources(Act.MANAGE_WEBHOOKS)
    if own is not None and (sources is None or not sources <= own):
        raise WebhookRefused(
            replay.say("A webhook can tell of sources that you may manage, and no others.")
        )
    if sources is not None and not sources:
        raise WebhookRefused(replay.say("Name the sources that the webhook tells of."))


def sealed_size() -> int:
    """How many leaves the log under the store has."""
    last: int | None = SealedLeaf.objects.aggregate(last=Max("index"))["last"]
    return 0 if last is None else last + 1


def _own(access: Access, pk: int) -> Webhook:
    hook = Webhook.objects.select_for_update().filter(pk=pk).first()
    if hook is None:
        raise WebhookRefused(replay.say("There is no such webhook."))
    try:
        _check_scope(access, None if hook.sources is None else frozenset(hook.sources))
    except WebhookRefused:
        raise WebhookRefused(replay.say("There is no such webhook.")) from None
    return hook


@transaction.atomic
def end_webhook(*, access: Access, pk: int) -> None:
    """Send nothing more, for good; what is on record stays. Again changes nothing.

    Raises: WebhookRefused.
    """
    hook = _own(access, pk)
    if hook.ended_at is None:
        hook.ended_at, hook.ended_by_id = timezone.now(), access.account_id
        hook.save(update_fields=["ended_at", "ended_by"])


@transaction.atomic
def pause_webhook(*, access: Access, pk: int, is_paused: bool) -> None:
    """Send nothing for a while, or go on; findings of the while are sent then. Whoever lets it go
    on answers for it from then on.

    Raises: WebhookRefused.
    """
    hook = _own(access, pk)
    if hook.ended_at is not None:
        raise WebhookRefused(replay.say("This webhook has ended."))
    if is_paused and hook.paused_at is None:
        _pause(hook, PauseReason.ASKED)
    elif not is_paused and hook.paused_at is not None:
        assert access.account_id is not None, "a webhook is somebody's"
        hook.paused_at, hook.paused_because = None, ""
        hook.owner_id, hook.rests_until = access.account_id, None
        hook.save(update_fields=["paused_at", "paused_because", "owner", "rests_until"])


def pause_webhooks_of(*, account_id: int, is_closed: bool) -> int:
    """Pause the webhooks that an account answers for, in the transaction in which it is closed or
    loses a role: all of them, or those that it may tell of nothing by. Gives how many."""
    hooks = Webhook.objects.select_for_update().filter(
        owner_id=account_id, ended_at=None, paused_at=None
    )
    if is_closed:
        return hooks.update(paused_at=timezone.now(), paused_because=PauseReason.CLOSED)
    return sum(pause_unseen(hook) for hook in hooks.order_by("pk"))


def pause_unseen(hook: Webhook) -> bool:
    """Pause a webhook, which the caller holds, where its account may tell of none of its sources;
    whether that is so."""
    sources = told_sources(hook)
    if sources is None or sources:
        return False
    _pause(hook, PauseReason.NOTHING if hook.owner.is_active else PauseReason.CLOSED)
    return True


def _pause(hook: Webhook, reason: PauseReason) -> None:
    hook.paused_at, hook.paused_because = timezone.now(), reason
    hook.save(update_fields=["paused_at", "paused_because"])


@transaction.atomic
def try_webhook(*, access: Access, pk: int) -> None:
    """Send a message without findings, to see whether it arrives. Raises: WebhookRefused."""
    hook = _own(access, pk)
    if hook.ended_at is not None:
        raise WebhookRefused(replay.say("This webhook has ended."))
    body = msgspec.json.encode(
        {"type": "trial", "webhook": hook.name, "made_at": timezone.now(), "findings": []}
    )
    WebhookDelivery.objects.create(webhook=hook, finding_count=0, body=body.decode())
    _wake(hook)


@transaction.atomic
def send_again(*, access: Access, pk: int, delivery: str) -> None:
    """Send a message again, with the same id and bytes. Raises: WebhookRefused."""
    hook = _own(access, pk)
    if hook.ended_at is not None:
        raise WebhookRefused(replay.say("This webhook has ended."))
    try:
        wanted = UUID(delivery)
    except ValueError:
        raise WebhookRefused("There is no such message.") from None
    changed = WebhookDelivery.objects.filter(webhook=hook, pk=wanted).update(
        state=DeliveryState.WAITING, next_at=timezone.now(), attempt_count=0
    )
    if not changed:
        raise WebhookRefused(replay.say("There is no such message."))
    _wake(hook)


def _wake(hook: Webhook) -> None:
    """Try at once, also where nobody answered before: somebody has asked for it."""
    hook.rests_until = None
    hook.save(update_fields=["rests_until"])
