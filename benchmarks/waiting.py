"""What connections wait for while workers judge: for each other's locks, for the disk.

PostgreSQL tells that whoever looks.
"""

from __future__ import annotations

from collections import Counter
from time import sleep

import psycopg

POLL_SECONDS = 0.02
# `Lock`: rows, tables, the end of another's transaction. `LWLock`: what several processes write to
# in turn, above all the log. `IO`: files.
KINDS = ("Lock", "LWLock", "IO")

_LOOK = """
SELECT coalesce(wait_event_type, '') FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'
"""


def waits_until(ended: str, url: str) -> dict[str, float]:
    """Look on until the query `ended` gives zero.

    Returns: which part of its time in use a connection waited, by the kind of wait.
    """
    met: Counter[str] = Counter()
    seen = 0
    with psycopg.connect(url, autocommit=True) as connection:
        while True:
            for (kind,) in connection.execute(_LOOK).fetchall():
                seen += 1
                met[kind] += 1
            found = connection.execute(ended.encode()).fetchone()
            assert found is not None
            if not found[0]:
                return {kind: met[kind] / max(1, seen) for kind in KINDS}
            sleep(POLL_SECONDS)
