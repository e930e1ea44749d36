"""So many requests a minute from one key and from one account, counted for all web processes.

The count stands in the shared cache (settings.CACHES, the broker's Valkey). Where that is away
nobody is held up: what the API protects stands in the store, not here.
"""

from __future__ import annotations

import hashlib
import logging
import time
from typing import Any

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 60
KEY_MARK_LENGTH = 24


class PerMinute(BaseThrottle):
    """Counts whole minutes: the count begins anew with each, which `Retry-After` tells."""

    def allow_request(self, request: Request, view: Any) -> bool:
        window = int(time.time() // WINDOW_SECONDS)
        counts = [(_count(f"api:{who}:{window}"), most) for who, most in _counted(request)]
        return all(count <= most for count, most in counts)

    def wait(self) -> float:
        return WINDOW_SECONDS - time.time() % WINDOW_SECONDS


def _counted(request: Request) -> list[tuple[str, int]]:
    """By what a request is counted, with how many of a minute are let through."""
    if not request.user or not request.user.is_authenticated:
        return []
    counted = [(f"account:{request.user.pk}", settings.TILECOURT_API_ACCOUNT_PER_MINUTE)]
    shown = request.headers.get("Authorization", "")
    if shown:
        mark = hashlib.sha256(shown.encode("utf-8", "surrogateescape")).hexdigest()
        counted.append((f"key:{mark[:KEY_MARK_LENGTH]}", settings.TILECOURT_API_KEY_PER_MINUTE))
    return counted


def _count(name: str) -> int:
    """One more of this name; 0 where nobody counts."""
    try:
        cache.add(name, 0, 2 * WINDOW_SECONDS)
        return int(cache.incr(name))
    except (RedisError, OSError, ValueError) as error:
        # A ValueError: the cache let the name go between the two.
        logger.warning("api_not_counted", extra={"reason": type(error).__name__})
        return 0
