"""Links to hands for people without an account: made once, shown once, taken back at any time."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

import replay
from audit import selectors
from audit.models import ShareLink
from audit.selectors.access import Access, Act
from audit.selectors.sharing import secret_hash
from audit.services.texts import storable, written

SECRET_BYTES = 32
PREFIX_LENGTH = 6
REASON_MAX = 500
HOURS_MAX = 24 * 90


class ShareRefused(Exception):
    """A link that cannot be made or taken back; its text is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewShareLink:
    """A link and its secret, which is kept nowhere else."""

    pk: int
    secret: str
    expires_at: datetime


@transaction.atomic
def create_share_link(
    *, access: Access, hand: int, viewpoint: str, hours: int, reason: str
) -> NewShareLink:
    """Make a link to a hand for a viewer, good for so many hours from now.

    Raises: ShareRefused where it is not one's to give or makes no sense.
    """
    if not 1 <= hours <= HOURS_MAX:
        raise ShareRefused(
            replay.say("A link is good for 1 to {hours_max} hours.", hours_max=HOURS_MAX)
        )
    reason = written(reason)
    if not reason or len(reason) > REASON_MAX or storable(reason, REASON_MAX) != reason:
        raise ShareRefused(
            replay.say(
                "Say for whom the link is and why, in up to {reason_max} characters.",
                reason_max=REASON_MAX,
            )
        )
    try:
        asked = replay.parse_viewpoint(viewpoint)
    except replay.UnknownViewpoint:
        raise ShareRefused(replay.say("There is no such viewer.")) from None
    if asked == replay.AUDITOR:
        raise ShareRefused(
            replay.say("Every tile is shown to those who have an account, and in a bundle.")
        )
    _check_seen(_own_hand(access, hand), asked)
    if access.account_id is None:
        raise ShareRefused("A link is somebody's: sign in to make one.")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    link = ShareLink.objects.create(
        hand_id=hand,
        viewpoint=str(asked),
        reason=reason,
        prefix=secret[:PREFIX_LENGTH],
        sha256=secret_hash(secret),
        created_by_id=access.account_id,
        expires_at=timezone.now() + timedelta(hours=hours),
    )
    return NewShareLink(pk=link.pk, secret=secret, expires_at=link.expires_at)


@transaction.atomic
def revoke_share_link(*, access: Access, link: int) -> datetime:
    """Take a link back: from now on it opens nothing. Again changes nothing.

    Returns when it was taken back. Raises: ShareRefused where it is not there.
    """
    found = ShareLink.objects.select_for_update().filter(pk=link).first()
    if found is None:
        raise ShareRefused(replay.say("There is no such link."))
    _own_hand(access, found.hand_id)
    if found.revoked_at is None:
        found.revoked_at, found.revoked_by_id = timezone.now(), access.account_id
        found.save(update_fields=["revoked_at", "revoked_by"])
    return found.revoked_at


def revoke_links_of(*, access: Access, account_id: int) -> int:
    """Take all open links of an account back, in the transaction that closes it; gives how many."""
    links = ShareLink.objects.filter(created_by_id=account_id, revoked_at=None)
    return links.update(revoked_at=timezone.now(), revoked_by_id=access.account_id)


def _own_hand(access: Access, hand: int) -> selectors.PlayedHand:
    try:
        return selectors.played_hand(hand, sources=access.sources(Act.SHARE))
    except selectors.NotFound:
        raise ShareRefused(replay.say("There is no such hand.")) from None


def _check_seen(played: selectors.PlayedHand, viewpoint: replay.Viewpoint) -> None:
    """A link to nothing would be found out by the one it was given to."""
    if played.version.feed:
        raise ShareRefused(replay.say("What a feed tells of a hand has no steps to show."))
    try:
        sight = replay.seen(played.raw, selectors.current_rulesets(), viewpoint, 0)
    except replay.Refusal as refusal:
        raise ShareRefused(
            replay.say("This record cannot be replayed now: {refusal}.", refusal=refusal)
        ) from None
    if viewpoint.seat is not None and not sight.walk.steps[0].board.seats:
        raise ShareRefused(
            replay.say("This game has no seats: the link can show what the public saw.")
        )
