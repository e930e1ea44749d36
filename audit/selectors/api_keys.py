"""An account's own keys, those that have ended included."""

from __future__ import annotations

from typing import Any

from audit.models import ApiToken
from audit.selectors.pages import KEY_MAX, NotFound

KEYS_SHOWN = 500
COLUMNS = (
    "id", "name", "prefix", "acts", "sources", "created_at", "expires_at", "revoked_at",
    "last_used_at",
)  # fmt: skip


def own_keys(account_id: int) -> list[dict[str, Any]]:
    """The newest first."""
    found = ApiToken.objects.filter(account_id=account_id).order_by("-id")
    return list(found.values(*COLUMNS)[:KEYS_SHOWN])


def own_key(account_id: int, key: int) -> dict[str, Any]:
    """Raises: NotFound, also for somebody else's."""
    row: dict[str, Any] | None = None
    if 1 <= key <= KEY_MAX:
        row = ApiToken.objects.filter(account_id=account_id, pk=key).values(*COLUMNS).first()
    if row is None:
        raise NotFound(f"There is no key {key}.")
    return row
