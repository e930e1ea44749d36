"""Taking stock: what stands in the store, compared with what must stand there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from drills.log import COUNTERS, Identity, Log, Stands

_HANDS = """
SELECT h.source, h.hand_id, encode(v.sha256, 'hex'), t.kind, h.verdict_kind,
    encode(coalesce(c.digest, t.digest), 'hex'), h.finding_codes
FROM audit_hand h
JOIN audit_handversion v ON v.id = h.version_id
JOIN audit_verdict t ON t.id = h.verdict_id
LEFT JOIN audit_comparison c ON c.id = h.comparison_id
WHERE h.source = %s
"""

_UPLOADS = """
SELECT id, line_count, clean_count, discrepant_count, void_count, rejected_count, failed_count,
    turned_count, new_count, duplicate_count, conflict_count, state
FROM audit_upload WHERE id = ANY(%s) ORDER BY id
"""

# Everything that must be one is counted where it is more, whatever a constraint promises.
_DOUBLED = {
    "hands doubled": """
        SELECT count(*) FROM (
            SELECT 1 FROM audit_hand h JOIN audit_handversion v ON v.hand_id = h.id
            WHERE h.source = %s GROUP BY h.source, h.hand_id HAVING count(*) > 1) more
    """,
    "verdicts doubled": """
        SELECT count(*) FROM (
            SELECT 1 FROM audit_hand h JOIN audit_handversion v ON v.hand_id = h.id
            JOIN audit_verdict t ON t.version_id = v.id
            WHERE h.source = %s GROUP BY v.id HAVING count(*) > 1) more
    """,
    "findings not of their verdict": """
        SELECT count(*) FROM audit_verdict t JOIN audit_handversion v ON v.id = t.version_id
        JOIN audit_hand h ON h.id = v.hand_id
        WHERE h.source = %s AND (t.kind = 'discrepant') <> EXISTS (
            SELECT 1 FROM audit_finding f WHERE f.verdict_id = t.id AND f.severity = 'error')
    """,
}

_WAITING = """
SELECT (SELECT count(*) FROM audit_chunk WHERE state IN ('queued', 'running')),
    (SELECT count(*) FROM audit_upload WHERE state IN ('receiving', 'queued', 'running')),
    (SELECT count(*) FROM audit_tabletouch),
    (SELECT count(*) FROM audit_chunk WHERE state = 'done'),
    (SELECT count(*) FROM audit_comparison)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What is still to be done, and two numbers that tell whether anything gets done."""

    chunks: int
    uploads: int
    touches: int
    chunks_done: int
    comparisons: int

    @property
    def is_nothing(self) -> bool:
        return not (self.chunks or self.uploads or self.touches)


def waiting(database: str) -> Waiting:
    """Raises: psycopg.OperationalError while the database is away."""
    with psycopg.connect(database) as connection:
        found = connection.execute(_WAITING).fetchone()
    assert found is not None
    chunks, uploads, touches, done, comparisons = found
    return Waiting(
        chunks=chunks, uploads=uploads, touches=touches, chunks_done=done, comparisons=comparisons
    )


def ended_badly(database: str) -> str:
    """Uploads and chunks that failed, each with its reason; empty where there are none."""
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT format('upload %s %s: %s', id, state, error) FROM audit_upload"
            " WHERE state IN ('failed', 'partly') AND sha256 IS NOT NULL"
            " UNION ALL SELECT format('chunk %s of upload %s after %s attempts: %s', id, upload_id,"
            " attempts, error) FROM audit_chunk WHERE state = 'failed'"
        ).fetchall()
    return "; ".join(text for (text,) in rows)


def differences(database: str, source: str, log: Log, uploads: Sequence[int]) -> dict[str, int]:
    """How much of each kind is not as it must be; 0 everywhere is the only good answer."""
    with psycopg.connect(database) as connection:
        stored: dict[Identity, Stands] = {}
        for row in connection.execute(_HANDS, [source]):
            stored[row[0], row[1]] = Stands(
                record=row[2], alone=row[3], kind=row[4], digest=row[5], codes=tuple(row[6])
            )
        doubled = {}
        for name, query in _DOUBLED.items():
            found = connection.execute(query, [source]).fetchone()
            assert found is not None
            doubled[name] = int(found[0])
        counted = connection.execute(_UPLOADS, [list(uploads)]).fetchall()
        refused = connection.execute(
            "SELECT count(*), count(DISTINCT (upload_id, line)) FROM audit_refusal"
            " WHERE upload_id = ANY(%s)",
            [list(uploads)],
        ).fetchone()
        repeated = connection.execute(
            "SELECT count(*) FROM audit_duplicate WHERE upload_id = ANY(%s)", [list(uploads)]
        ).fetchone()
    assert refused is not None
    assert repeated is not None
    known = log.hands
    common = known.keys() & stored.keys()
    return {
        "hands lost": len(known.keys() - stored.keys()),
        "hands from nowhere": len(stored.keys() - known.keys()),
        **doubled,
        "records not as sent": sum(known[one].record != stored[one].record for one in common),
        "verdicts wrong": sum(known[one].alone != stored[one].alone for one in common),
        "comparisons wrong": sum(known[one] != stored[one] for one in common),
        "refusals wrong": abs(refused[0] - log.refused) + abs(refused[0] - refused[1]),
        "repeats wrong": abs(repeated[0] - log.repeats),
        "counters wrong": _counters_wrong(counted, log),
    }


def _counters_wrong(counted: list[tuple[object, ...]], log: Log) -> int:
    """Which line of a hand came first may differ with the workers' turns: new and repeated lines
    are compared as sums, all else upload by upload."""
    wrong = abs(len(counted) - len(log.counters))
    total: Counter[str] = Counter()
    for row, expected in zip(counted, log.counters, strict=False):
        shown, (new, repeated, conflicts, state) = row[1:8], row[8:]
        assert len(shown) == len(COUNTERS)
        wrong += sum(one != other for one, other in zip(shown, expected, strict=True))
        wrong += state != "done"
        assert isinstance(new, int)
        assert isinstance(repeated, int)
        assert isinstance(conflicts, int)
        total.update(new=new, repeated=repeated, conflicts=conflicts)
    wanted = {"new": len(log.hands), "repeated": log.repeats, "conflicts": 0}
    return wrong + sum(total[name] != number for name, number in wanted.items())
