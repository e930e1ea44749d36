"""Links to hands for people without an account: which there are, and what one opens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from audit.models import ShareLink
from audit.selectors.access import Act, Sources, access_of
from audit.selectors.belonging import in_sources
from audit.selectors.pages import NotFound

LINKS_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLinkRow:
    """A link as those with an account see it. `state` is `open`, `ended` or `revoked`."""

    pk: int
    hand: int
    hand_id: str
    source: str
    viewpoint: str
    reason: str
    prefix: str
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_by: str
    revoked_at: datetime | None
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLink:
    """What a secret opens: one hand, for one viewer."""

    pk: int
    prefix: str
    hand: int
    source: str
    viewpoint: str
    expires_at: datetime


def share_links(*, sources: Sources, hand: int | None = None) -> tuple[ShareLinkRow, ...]:
    """The newest LINKS_SHOWN links, or those of a hand, in the sources that one may see."""
    rows = ShareLink.objects.filter(in_sources(sources, "hand__source")).order_by("-pk")
    if hand is not None:
        rows = rows.filter(hand_id=hand)
    now = timezone.now()
    return tuple(_row(link, now) for link in _whole(rows)[:LINKS_SHOWN])


def share_link(link: int, *, sources: Sources) -> ShareLinkRow:
    """One link. Raises: NotFound where there is none, or it lies in another source."""
    rows = ShareLink.objects.filter(in_sources(sources, "hand__source"), pk=link)
    found = _whole(rows).first()
    if found is None:
        raise NotFound("There is no such link.")
    return _row(found, timezone.now())


def open_link(secret: str) -> OpenLink:
    """What a secret opens now. Raises: NotFound where it is unknown, has ended or was revoked, or
    whoever made it may not share the hand any more: one answer for all of them."""
    link = (
        ShareLink.objects.filter(
            sha256=secret_hash(secret), revoked_at=None, expires_at__gt=timezone.now()
        )
        .select_related("created_by", "hand")
        .only("prefix", "viewpoint", "expires_at", "hand__source", "created_by__username",
              "created_by__is_active")
        .first()
    )  # fmt: skip
    if link is None or not access_of(link.created_by).may_in(Act.SHARE, link.hand.source):
        raise NotFound("This link opens nothing: it may have ended, or been taken back.")
    return OpenLink(
        pk=link.pk,
        prefix=link.prefix,
        hand=link.hand_id,
        source=link.hand.source,
        viewpoint=link.viewpoint,
        expires_at=link.expires_at,
    )


def secret_hash(secret: str) -> bytes:
    """The SHA-256 of a secret's text, which is all that is kept of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def _whole(rows: QuerySet[ShareLink]) -> QuerySet[ShareLink]:
    return rows.select_related("hand", "created_by", "revoked_by").only(
        *("viewpoint", "reason", "prefix", "created_at", "expires_at", "revoked_at"),
        *("hand__hand_id", "hand__source", "created_by__username", "revoked_by__username"),
    )


def _row(link: ShareLink, now: datetime) -> ShareLinkRow:
    state = "open" if link.expires_at > now else "ended"
    return ShareLinkRow(
        pk=link.pk,
        hand=link.hand_id,
        hand_id=link.hand.hand_id,
        source=link.hand.source,
        viewpoint=link.viewpoint,
        reason=link.reason,
        prefix=link.prefix,
        created_by=link.created_by.get_username(),
        created_at=link.created_at,
        expires_at=link.expires_at,
        revoked_by=link.revoked_by.get_username() if link.revoked_by else "",
        revoked_at=link.revoked_at,
        state="revoked" if link.revoked_at is not None else state,
    )
