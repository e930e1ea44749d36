"""Keeping a worker from its end: what it needs is held by somebody else for as long as one likes.

So a test that wants a job half done need not be quicker than the worker.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection

HELD_HAND = "SELECT 1 FROM audit_hand WHERE id = %s FOR UPDATE"
# Of the hand that this transaction seems to be about to store.
HELD_NAME = "INSERT INTO audit_identity (source, hand_id, key) VALUES (%s, %s, 0)"


@contextmanager
def held(statement: str, *values: object) -> Iterator[None]:
    """Hold what a statement takes, on a connection of its own, and let go of it without a trace."""
    name = connection.settings_dict["NAME"]
    with psycopg.connect(os.environ["DATABASE_URL"], dbname=name) as other:
        other.execute(statement, values)
        try:
            yield
        finally:
            other.rollback()
