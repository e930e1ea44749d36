"""Hands: the list and one hand with its bytes, versions and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThan

import replay
from audit.models import Duplicate, Finding, Hand, HandVersion, Verdict
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources, uploads_seen
from audit.selectors.comparisons import ComparisonRow, comparisons_of, finding_of
from audit.selectors.filters import HandFilters
from audit.selectors.kinds import kind_of
from audit.selectors.pages import (
    KEY_MAX,
    HandNotFound,
    Page,
    check_limit,
    make_page,
    moment_of,
    number_of,
    read_cursor,
)
from audit.selectors.twins import TwinRow, twins_of
from audit.selectors.versions import (
    VERSIONS_SHOWN,
    RestatementRow,
    VersionRow,
    compared_of,
    differences_of,
    restatement_row,
    restatements_of,
    version_rows,
    versions_of,
)
from audit.zstd import unpacked

DUPLICATES_SHOWN = 100
VERDICTS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRow:
    """One hand as a list shows it.

    `played_at` is the instant in UTC, `started_at` the time as logged. `error_code` is the primary
    finding, empty where there is none; `verdict` is one of HandKind. `is_conflict`: records of
    other meaning came under the same source and id; then the findings and players are those of all
    of them, and none is primary.
    """

    pk: int
    source: str
    hand_id: str
    game: str
    ruleset: str
    table: str
    players: tuple[str, ...]
    played_at: datetime
    played_on: date
    started_at: str
    currency: str
    minor_digits: int
    verdict: str
    error_code: str
    finding_codes: tuple[str, ...]
    finding_count: int
    is_conflict: bool
    is_replaced: bool
    verdict_pk: int
    comparison_pk: int | None

    @property
    def leading_code(self) -> str | None:
        """The code to name the hand by: the primary finding's, else that of its first warning."""
        return self.error_code or (self.finding_codes[0] if self.finding_codes else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateRow:
    """A line that brought a known version again; `is_respelt`: in other bytes.

    An upload that may not be seen has no number and no name.
    """

    version: int
    upload_id: int | None
    upload_name: str
    line: int
    is_respelt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow:
    """One verdict of a version; `digest` and hashes are in hexadecimal."""

    kind: str
    ruleset: str
    ruleset_sha256: str
    engine: str
    settlement: dict[str, Any] | None
    digest: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDetail:
    """One version of a hand with all that is stored about it.

    `raw` is the exact line, for `replay.walk`; `findings` are those of `verdict`, and behind them
    those of the current comparison with the hand before. `verdicts` has every verdict of this
    version and `comparisons` every comparison, the newest first; `versions` all of the hand, and
    `differences` where those numbered `compared` differ: one value a version, in their order. There
    are `version_count` versions, of which `versions` has the first, and those that are wanted.
    `restatements` said which version holds, the newest first. `twins` are earlier hands that say
    the same under another id. `brought_by` is the upload that brought the version, to read its
    record with; it is not to be shown, for it may lie outside of what may be seen.
    """

    hand: HandRow
    version: VersionRow
    brought_by: int
    raw: bytes
    verdict: VerdictRow
    findings: tuple[replay.Finding, ...]
    verdicts: tuple[VerdictRow, ...]
    comparisons: tuple[ComparisonRow, ...]
    versions: tuple[VersionRow, ...]
    version_count: int
    compared: tuple[int, ...]
    differences: tuple[replay.Difference, ...]
    restatements: tuple[RestatementRow, ...]
    twins: tuple[TwinRow, ...]
    duplicates: tuple[DuplicateRow, ...]

    @property
    def comparison(self) -> ComparisonRow | None:
        """The current comparison; None where nothing was ever found, or of another version."""
        return next((one for one in self.comparisons if one.is_current), None)

    @property
    def kind(self) -> str:
        """The kind of the verdict and the current comparison together."""
        return self.verdict.kind if self.comparison is None else self.comparison.kind

    @property
    def digest(self) -> str:
        """The digest of the verdict and the current comparison together."""
        return self.verdict.digest if self.comparison is None else self.comparison.digest


def list_hands(
    filters: HandFilters | None = None,
    *,
    sources: Sources,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[HandRow]:
    """Hands by the time of play, the latest first. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 2)
    is_back = at is not None and at.is_back
    found = Hand.objects.filter((filters or HandFilters()).condition(sources=sources))
    if at is not None:
        compare = TupleGreaterThan if is_back else TupleLessThan
        found = found.filter(compare(("played_at", "id"), (moment_of(at.key[0]), at.key[1])))
    found = found.order_by(*(("played_at", "id") if is_back else ("-played_at", "-id")))
    rows = [hand_row(hand) for hand in found[: limit + 1]]
    return make_page(
        rows,
        cursor=at,
        limit=limit,
        key=lambda row: (number_of(row.played_at), row.pk),
    )


def hand_detail(hand_pk: int, *, sources: Sources, version: int | None = None) -> HandDetail:
    """A hand with its current version, or the one of that number. Raises: HandNotFound."""
    if not 1 <= hand_pk <= KEY_MAX:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    hand = Hand.objects.filter(in_sources(sources), pk=hand_pk).first()
    if hand is None:
        raise HandNotFound(f"There is no hand {hand_pk}.")
    stored = versions_of(hand, asked=version)
    for one in stored:
        if one.number == version or (version is None and one.pk == hand.version_id):
            return _detail(hand, one, stored, sources)
    raise HandNotFound(f"This hand has no version {version}.")


def _detail(
    hand: Hand, shown: HandVersion, stored: list[HandVersion], sources: Sources
) -> HandDetail:
    line = unpacked(HandVersion.objects.values_list("raw", flat=True).get(pk=shown.pk))
    verdicts = list(Verdict.objects.filter(version_id=shown.pk).order_by("-id")[:VERDICTS_SHOWN])
    is_current = shown.pk == hand.version_id
    verdict = next(
        (one for one in verdicts if is_current and one.pk == hand.verdict_id), verdicts[0]
    )
    findings = [
        finding_of(finding)
        for finding in Finding.objects.filter(verdict_id=verdict.pk).order_by("position")
    ]
    comparisons = comparisons_of(
        [one.pk for one in verdicts], current=hand.comparison_id if is_current else None
    )
    for comparison in comparisons:
        if comparison.is_current:
            findings += comparison.findings
    duplicates = list(
        Duplicate.objects.filter(version__hand_id=hand.pk)
        .select_related("upload", "version")
        .defer("raw", "version__raw")
        .order_by("upload_id", "line")[:DUPLICATES_SHOWN]
    )
    restatements = restatements_of(stored)
    compared = compared_of(stored, shown.pk, hand.version_id)
    named = {one.upload_id for one in stored} | {one.upload_id for one in duplicates}
    seen = uploads_seen(named | {one.upload_id for one in restatements}, sources=sources)
    versions = version_rows(hand, stored, verdict, seen=seen)
    return HandDetail(
        hand=hand_row(hand),
        version=next(one for one in versions if one.number == shown.number),
        brought_by=shown.upload_id,
        raw=line,
        verdict=_verdict_row(verdict),
        findings=tuple(findings),
        verdicts=tuple(_verdict_row(one) for one in verdicts),
        comparisons=comparisons,
        versions=versions,
        version_count=_count(hand, stored),
        compared=tuple(one.number for one in compared),
        differences=differences_of(compared),
        restatements=tuple(restatement_row(one, seen=seen) for one in restatements),
        twins=twins_of(hand, line),
        duplicates=tuple(
            DuplicateRow(
                version=one.version.number,
                upload_id=one.upload_id if one.upload_id in seen else None,
                upload_name=one.upload.name if one.upload_id in seen else "",
                line=one.line,
                is_respelt=one.sha256 is not None,
            )
            for one in duplicates
        ),
    )


def _count(hand: Hand, stored: list[HandVersion]) -> int:
    """How many versions a hand has, of which these are shown."""
    if len(stored) < VERSIONS_SHOWN:
        return len(stored)
    return HandVersion.objects.filter(hand_id=hand.pk).count()


def hand_row(hand: Hand) -> HandRow:
    """A stored hand as a list shows it."""
    return HandRow(
        pk=hand.pk,
        source=hand.source,
        hand_id=hand.hand_id,
        game=hand.game,
        ruleset=hand.ruleset,
        table=hand.table,
        players=tuple(hand.players),
        played_at=hand.played_at,
        played_on=hand.played_on,
        started_at=hand.started_at,
        currency=hand.currency,
        minor_digits=hand.minor_digits,
        verdict=kind_of(hand.verdict_kind, is_conflict=hand.is_conflict),
        error_code=hand.error_code,
        finding_codes=tuple(hand.finding_codes),
        finding_count=hand.finding_count,
        is_conflict=hand.is_conflict,
        is_replaced=hand.is_replaced,
        verdict_pk=hand.verdict_id,
        comparison_pk=hand.comparison_id,
    )


def _verdict_row(verdict: Verdict) -> VerdictRow:
    return VerdictRow(
        kind=verdict.kind,
        ruleset=verdict.ruleset,
        ruleset_sha256=verdict.ruleset_sha256.hex(),
        engine=verdict.engine,
        settlement=verdict.settlement,
        digest=verdict.digest.hex(),
        created_at=verdict.created_at,
    )
