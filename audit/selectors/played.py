"""What a step of a hand is drawn from, and little else: for stepping, for those who do not see what
is stored about a hand, and for the page of a hand that came once and alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.selectors.access import Sources
from audit.selectors.belonging import narrowed, uploads_seen
from audit.selectors.comparisons import ComparisonRow, comparisons_of
from audit.selectors.hands import HandRow
from audit.selectors.kinds import KIND
from audit.selectors.pages import KEY_MAX, HandNotFound
from audit.selectors.prepared import prepared_row
from audit.selectors.twins import TwinRow, twins_of
from audit.zstd import unpacked

# A step is asked for more often than anything else, and making this statement anew out of models
# would take longer than all that the database does for it. Versions lie in the month of their hand:
# where its key stands, no other month is opened.
_PLAYED = f"""
SELECT h.id, h.source, h.hand_id, h.game, h.ruleset, h."table", h.players, h.played_at,
    h.played_on, h.started_at, h.currency, h.minor_digits, {KIND}, h.error_code,
    h.finding_codes, h.finding_count, h.is_conflict, h.is_replaced, h.verdict_id, h.comparison_id,
    v.raw, v.sha256, v.line, v.upload_id, u.name, u.feed, {{more}}
FROM (SELECT * FROM audit_hand WHERE id = %(hand)s LIMIT 1) h
JOIN LATERAL (
    SELECT * FROM audit_handversion WHERE hand_id = %(hand)s AND id = h.version_id LIMIT 1
) v ON true
JOIN audit_upload u ON u.id = v.upload_id
WHERE true{{narrowed}}
"""  # noqa: S608 - from constants
_FOR_A_STEP = "false, false, false"
# Whether there is more to be told than one hand's steps: other versions or lines that brought it
# again; an earlier hand of its table and instant; something said of the rulesets of its source.
_FOR_A_PAGE = """
    EXISTS (SELECT 1 FROM audit_handversion o
            WHERE o.hand_id = %(hand)s AND o.id <> h.version_id)
    OR EXISTS (SELECT 1 FROM audit_duplicate d JOIN audit_handversion o ON o.id = d.version_id
               WHERE o.hand_id = %(hand)s),
    EXISTS (SELECT 1 FROM audit_hand t WHERE t.source = h.source AND t."table" = h."table"
            AND t.played_at = h.played_at AND t.id < %(hand)s AND NOT t.is_replaced),
    EXISTS (SELECT 1 FROM audit_rulesetswitch s WHERE s.source = h.source)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """The line that brought the current version first; `feed` is empty for one of a hand log.

    An upload that may not be seen has no number and no name.
    """

    sha256: str
    upload_id: int | None
    upload_name: str
    line: int
    feed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHand:
    """The current version of a hand as it is replayed.

    `raw` is the exact line; `comparison` what was found against the hand before. The others are
    told where the page is asked for: `twins`; `has_history`, that there are other versions, or the
    hand came again, which `hand_detail` has; `has_force`, that something was said of which
    rulesets are in force at its source.
    """

    hand: HandRow
    version: Brought
    raw: bytes
    comparison: ComparisonRow | None
    twins: tuple[TwinRow, ...] = ()
    has_history: bool = False
    has_force: bool = False


def played_hand(hand_pk: int, *, sources: Sources, is_page: bool = False) -> PlayedHand:
    """One query, and two more where something was found against the hand before.

    For a page one more where an earlier hand may be its twin, and one where its upload may be one
    that is not to be named. Raises: HandNotFound.
    """
    row = _row(hand_pk, sources, is_page=is_page)
    if row is None:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    *of_hand, packed, sha256, line, upload_id, name, feed, has_history, has_twin, has_force = row
    hand = HandRow(**dict(zip(_HAND, of_hand, strict=True)))
    comparison = None
    if hand.comparison_pk is not None:
        compared = comparisons_of([hand.verdict_pk], current=hand.comparison_pk)
        comparison = next((one for one in compared if one.is_current), None)
    raw = unpacked(packed)
    is_named = is_page and bool(uploads_seen([upload_id], sources=sources))
    return PlayedHand(
        hand=hand,
        version=Brought(
            sha256=bytes(sha256).hex(),
            upload_id=upload_id if is_named else None,
            upload_name=name if is_named else "",
            line=line,
            feed=feed,
        ),
        raw=raw,
        comparison=comparison,
        twins=twins_of(hand, raw) if has_twin else (),
        has_history=has_history,
        has_force=has_force,
    )


# The fields of a hand in the order of the statement.
_HAND = (
    "pk", "source", "hand_id", "game", "ruleset", "table", "players", "played_at", "played_on",
    "started_at", "currency", "minor_digits", "verdict", "error_code", "finding_codes",
    "finding_count", "is_conflict", "is_replaced", "verdict_pk", "comparison_pk",
)  # fmt: skip


def _row(hand_pk: int, sources: Sources, *, is_page: bool) -> tuple[Any, ...] | None:
    if not 1 <= hand_pk <= KEY_MAX:
        return None
    parameters: dict[str, Any] = {"hand": hand_pk}
    statement = _PLAYED.format(
        more=_FOR_A_PAGE if is_page else _FOR_A_STEP,
        narrowed=narrowed(sources, "h.source", parameters),
    )
    row = prepared_row(statement, parameters)
    if row is None:
        return None
    # Lists of the database become what a row that does not change has.
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)
