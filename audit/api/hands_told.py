"""Rows of hands, verdicts and findings in the shapes of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django.urls import reverse

from audit.api import shapes
from audit.selectors.api_hands import Row
from audit.selectors.hands import HandDetail
from audit.selectors.kinds import kind_of
from audit.selectors.replacements import ReplacedBy
from audit.selectors.rulesets_force import Force
from audit.selectors.twins import TwinRow


def _head(row: Row) -> dict[str, Any]:
    key = row["id"]
    return {
        "id": str(key),
        "url": reverse("api-hand", args=(key,)),
        "page": reverse("hand", args=(key,)),
        "source": row["source"],
        "hand_id": row["hand_id"],
        "game": row["game"],
        "ruleset": row["ruleset"],
        "table": row["table"],
        "players": list(row["players"]),
        "started_at": row["started_at"],
        "played_at": row["played_at"],
        "day": row["played_on"],
        "currency": row["currency"],
        "minor_digits": row["minor_digits"],
        "verdict": _kind(row),
        "primary_code": row["error_code"] or None,
        "codes": list(row["finding_codes"]),
        "findings": row["finding_count"],
        "is_conflict": row["is_conflict"],
    }


def _kind(row: Row) -> shapes.HandKind:
    kind = kind_of(row["verdict_kind"], is_conflict=row["is_conflict"])
    return cast("shapes.HandKind", kind)


def hand_short(row: Row) -> shapes.HandShort:
    return shapes.HandShort(**_head(row))


def hand_one(
    row: Row,
    *,
    version: shapes.Version,
    verdict: shapes.VerdictOne,
    comparison: Row | None,
    force: Force,
    twins: Iterable[TwinRow],
    replaced: ReplacedBy | None,
) -> shapes.HandOne:
    key = row["id"]
    return shapes.HandOne(
        **_head(row),
        possible_duplicate_of=[
            shapes.Named(id=str(one.pk), url=_address(one.pk), hand_id=one.hand_id) for one in twins
        ],
        replaced_by=None if replaced is None else _replaced(replaced),
        version=version,
        judged=verdict,
        comparison=None if comparison is None else _comparison(comparison),
        in_force=shapes.InForce(
            rulesets=[one.ruleset for one in force.periods], is_out=force.is_out
        ),
        versions=reverse("api-hand-versions", args=(key,)),
        verdicts=reverse("api-hand-verdicts", args=(key,)),
        found=reverse("api-hand-findings", args=(key,)),
        events=reverse("api-hand-events", args=(key,)),
    )


def _address(hand: int) -> str:
    return reverse("api-hand", args=(hand,))


def _replaced(by: ReplacedBy) -> shapes.ReplacedBy:
    return shapes.ReplacedBy(
        id=None if by.pk is None else str(by.pk),
        url=None if by.pk is None else _address(by.pk),
        source=by.source,
        hand_id=by.hand_id,
        engine=by.engine,
    )


def _comparison(row: Row) -> shapes.Comparison:
    earlier = row["earlier__version__hand_id"]
    return shapes.Comparison(
        id=str(row["id"]),
        earlier=None if earlier is None else str(earlier),
        kind=row["kind"],
        digest=bytes(row["digest"]).hex(),
        engine=row["engine"],
        made_at=row["created_at"],
    )


def version(hand: int, row: Row) -> shapes.Version:
    return shapes.Version(
        number=row["number"],
        url=reverse("api-hand-version", args=(hand, row["number"])),
        record=reverse("api-hand-record", args=(hand, row["number"])),
        sha256=bytes(row["sha256"]).hex(),
        upload=row["upload_id"],
        line=row["line"],
        feed=row["upload__feed"] or None,
        received_at=row["created_at"],
        is_current=row["is_current"],
    )


def versions(hand: int, rows: Iterable[Row], detail: HandDetail) -> shapes.VersionList:
    """All records by `rows`, and what `detail` says of how they stand to each other."""
    return shapes.VersionList(
        hand=str(hand),
        versions=[version(hand, row) for row in rows],
        compared=list(detail.compared),
        differences=[
            shapes.Difference(path=one.path, values=list(one.values)) for one in detail.differences
        ],
        came_again=[
            shapes.CameAgain(
                version=one.version,
                upload=one.upload_id,
                line=one.line,
                is_respelt=one.is_respelt,
            )
            for one in detail.duplicates
        ],
        restatements=[
            shapes.Restated(
                version=one.version,
                replaced=one.replaced,
                reason=one.reason,
                announced_by=one.announced_by or None,
                announced_at=one.created_at,
                upload=one.upload_id,
                line=one.line,
            )
            for one in detail.restatements
        ],
    )


def _verdict(row: Row) -> dict[str, Any]:
    return {
        "id": str(row["id"]),
        "url": reverse("api-verdict", args=(row["id"],)),
        "hand": str(row["version__hand_id"]),
        "version": row["version__number"],
        "is_in_force": row["is_in_force"],
        "kind": row["kind"],
        "ruleset": row["ruleset"],
        "ruleset_sha256": bytes(row["ruleset_sha256"]).hex(),
        "engine": row["engine"],
        "digest": bytes(row["digest"]).hex(),
        "made_at": row["created_at"],
    }


def verdict_one(row: Row, hand: Row, findings: Iterable[Row]) -> shapes.VerdictOne:
    """`findings` are the verdict's own."""
    return shapes.VerdictOne(
        **_verdict(row),
        currency=hand["currency"],
        minor_digits=hand["minor_digits"],
        settlement=row["settlement"],
        findings=[finding(one) for one in findings],
    )


def hand_verdicts(hand: Row, verdicts: Iterable[Row]) -> shapes.HandVerdicts:
    return shapes.HandVerdicts(
        hand=str(hand["id"]),
        source=hand["source"],
        hand_id=hand["hand_id"],
        verdicts=[shapes.VerdictShort(**_verdict(one)) for one in verdicts],
    )


def finding(row: Row) -> shapes.FindingRow:
    """`row` has `verdict_id` where the hand was judged by itself, else `comparison_id`."""
    return shapes.FindingRow(
        position=row["position"],
        against="itself" if "verdict_id" in row else "hand-before",
        code=row["code"],
        severity=row["severity"],
        event=row["event"],
        seat=row["seat"],
        subject=row["subject"],
        logged=row["logged"],
        expected=row["expected"],
        rule=row["rule"],
        confidence=row["confidence"],
        follows=row["follows"],
        explained_by=list(row["explained_by"]),
        message=row["message"],
    )


def hand_findings(hand: Row, findings: Iterable[Row]) -> shapes.HandFindings:
    return shapes.HandFindings(
        hand=str(hand["id"]),
        source=hand["source"],
        hand_id=hand["hand_id"],
        game=hand["game"],
        ruleset=hand["ruleset"],
        currency=hand["currency"],
        minor_digits=hand["minor_digits"],
        verdict=_kind(hand),
        findings=[finding(one) for one in findings],
    )
