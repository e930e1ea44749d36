"""An account's own keys. One that was ended is there no more; its row stays as evidence."""

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
    found = ApiToken.objects.filter(account_id=account_id, revoked_at=None).order_by("-id")
    return list(found.values(*COLUMNS)[:KEYS_SHOWN])


def own_key(account_id: int, key: int, *, also_ended: bool = False) -> dict[str, Any]:
    """Raises: NotFound, also for somebody else's."""
    row: dict[str, Any] | None = None
    if 1 <= key <= KEY_MAX:
        found = ApiToken.objects.filter(account_id=account_id, pk=key)
        if not also_ended:
            found = found.filter(revoked_at=None)
        row = found.values(*COLUMNS).first()
    if row is None:
        raise NotFound(f"There is no key {key}.")
    return row
