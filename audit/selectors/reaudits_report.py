"""What a re-audit found: verdicts that flipped, hands judged otherwise, money before and after.

Everything is summed up in the database; nothing here holds all hands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection, transaction
from django.db.models import Count

import replay
from audit.models import Finding, HandVersion, Reaudit, ReauditResult, Verdict
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources, within
from audit.selectors.comparisons import finding_of
from audit.selectors.pages import BadQuery, Page, check_limit, make_page, read_cursor
from audit.selectors.reaudits import ReauditNotFound
from audit.selectors.rulesets import ruleset_of_bytes
from audit.zstd import unpacked

AMOUNTS_SHOWN = 100
CHANGES_OF_HAND_SHOWN = 100
ROWS_AT_ONCE = 2_000
By = Literal["currency", "table", "player"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """From one kind and primary finding to another; a code is "" where there is none."""

    kind_before: str
    code_before: str
    kind: str
    code: str

    @classmethod
    def parse(cls, text: str) -> Flip:
        """Read what `write` wrote. Raises: BadQuery."""
        parts = text.split("~")
        kinds = ("clean", "consistent", "discrepant", "void")
        codes = ("", *replay.CODES)
        if len(parts) != 4 or parts[0] not in kinds or parts[2] not in kinds:
            raise BadQuery(replay.say("The kind of change in the address is damaged."))
        if parts[1] not in codes or parts[3] not in codes:
            raise BadQuery(replay.say("The kind of change in the address is damaged."))
        return cls(kind_before=parts[0], code_before=parts[1], kind=parts[2], code=parts[3])

    def write(self) -> str:
        return f"{self.kind_before}~{self.code_before}~{self.kind}~{self.code}"

    @property
    def is_flipped(self) -> bool:
        """Whether kind or primary finding are others, and not figures or further findings alone."""
        return (self.kind_before, self.code_before) != (self.kind, self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipCount:
    """How many hands changed in one way."""

    flip: Flip
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """A hand that was judged otherwise. `is_current`: by the version in force, not by another."""

    pk: int
    hand_pk: int
    version_pk: int
    version: int
    source: str
    hand_id: str
    game: str
    ruleset: str
    table: str
    started_at: str
    flip: Flip
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountRow:
    """Recomputed amounts before and after in minor units of one currency.

    `source`, `table` and `player` are "" where the row is not of one. A rake is None where the
    games have none.
    """

    source: str
    table: str
    player: str
    currency: str
    minor_digits: int
    hands: int
    net_before: int
    net_after: int
    rake_before: int | None
    rake_after: int | None
    valid_bet_before: int
    valid_bet_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One side of a comparison; `findings` is None where they cannot be made again here."""

    kind: str
    code: str
    ruleset: str
    ruleset_sha256: str
    engine: str
    digest: str
    settlement: dict[str, Any] | None
    findings: tuple[replay.Finding, ...] | None
    finding_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDetail:
    """One version of a hand as it was judged before, and by the re-audit."""

    row: ChangeRow
    currency: str
    minor_digits: int
    before: Judgement
    after: Judgement


def list_flips(reaudit_id: int) -> tuple[FlipCount, ...]:
    """In which ways the current versions changed, the most frequent first."""
    names = ("kind_before", "code_before", "kind", "code")
    found = (
        ReauditResult.objects.filter(reaudit_id=reaudit_id, is_changed=True, is_current=True)
        .values_list(*names)
        .annotate(hands=Count("pk"))
        .order_by("-hands", *names)
    )
    return tuple(
        FlipCount(
            flip=Flip(kind_before=kind_before, code_before=code_before, kind=kind, code=code),
            count=count,
        )
        for kind_before, code_before, kind, code, count in found
    )


_CHANGE = (
    "pk", "hand_id", "version_id", "version__number", "hand__source", "hand__hand_id",
    "hand__game", "hand__ruleset", "hand__table", "hand__started_at",
    "kind_before", "code_before", "kind", "code", "is_current",
)  # fmt: skip


def list_changes(
    reaudit_id: int, *, flip: Flip | None = None, cursor: str | None = None, limit: int = 50
) -> Page[ChangeRow]:
    """Versions that were judged otherwise, those that changed in one way or all. Raises: BadQuery.

    With `flip` of the current versions alone, as `list_flips` counts them.
    """
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    found = ReauditResult.objects.filter(reaudit_id=reaudit_id, is_changed=True)
    if flip is not None:
        found = found.filter(
            is_current=True,
            kind_before=flip.kind_before,
            code_before=flip.code_before,
            kind=flip.kind,
            code=flip.code,
        )
    found = found.order_by("pk")
    if at is not None and at.is_back:
        found = found.filter(pk__lt=at.key[0]).order_by("-pk")
    elif at is not None:
        found = found.filter(pk__gt=at.key[0])
    rows = [_change_row(row) for row in found.values_list(*_CHANGE)[: limit + 1]]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.pk,))


def changes_of_hand(hand_pk: int, *, sources: Sources) -> tuple[tuple[int, str, ChangeRow], ...]:
    """What re-audits and rehearsals made of a hand, the newest first: number, reason and change.

    Those that found it as it was are not there.
    """
    found = ReauditResult.objects.filter(
        in_sources(sources, "hand__source"),
        within(sources, "reaudit__limited_to"),
        hand_id=hand_pk,
        is_changed=True,
    ).order_by("-pk")
    rows = found.values_list("reaudit_id", "reaudit__reason", *_CHANGE)[:CHANGES_OF_HAND_SHOWN]
    return tuple((number, reason, _change_row(tuple(row))) for number, reason, *row in rows)


def every_change(reaudit_id: int) -> Iterator[ChangeRow]:
    """All of them one after the other, for a file."""
    cursor: str | None = None
    while True:
        page = list_changes(reaudit_id, cursor=cursor, limit=500)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return


def _change_row(row: tuple[Any, ...]) -> ChangeRow:
    (pk, hand_pk, version_pk, version, source, hand_id, game, ruleset, table, started_at,
     kind_before, code_before, kind, code, is_current) = row  # fmt: skip
    return ChangeRow(
        pk=pk,
        hand_pk=hand_pk,
        version_pk=version_pk,
        version=version,
        source=source,
        hand_id=hand_id,
        game=game,
        ruleset=ruleset,
        table=table,
        started_at=started_at,
        flip=Flip(kind_before=kind_before, code_before=code_before, kind=kind, code=code),
        is_current=is_current,
    )


_KEYS: dict[By, tuple[str, str]] = {
    "currency": ("''::text, ''::text, ''::text", "a.player IS NULL"),
    "table": ("a.source, a.\"table\", ''::text", "a.player IS NULL"),
    "player": ("a.source, ''::text, a.player", "a.player IS NOT NULL"),
}
_AMOUNTS = """
SELECT
    {names}, a.currency, a.minor_digits, sum(a.hand_count)::bigint,
    coalesce(sum(a.net_before), 0), coalesce(sum(a.net_after), 0),
    sum(a.rake_before), sum(a.rake_after),
    coalesce(sum(a.valid_bet_before), 0), coalesce(sum(a.valid_bet_after), 0)
FROM audit_reauditamount a
WHERE a.reaudit_id = %s AND {condition}
GROUP BY 1, 2, 3, 4, 5
ORDER BY
    4, 5, abs(coalesce(sum(a.net_after), 0) - coalesce(sum(a.net_before), 0)) DESC,
    abs(coalesce(sum(a.rake_after), 0) - coalesce(sum(a.rake_before), 0)) DESC, 1, 2, 3
"""


def list_amounts(
    reaudit_id: int, by: By, *, limit: int = AMOUNTS_SHOWN
) -> tuple[tuple[AmountRow, ...], bool]:
    """Amounts by currency, table or player, within a currency those that differ most first; and
    whether there are more than `limit`."""
    names, condition = _KEYS[by]
    statement = _AMOUNTS.format(names=names, condition=condition) + "LIMIT %s"
    with connection.cursor() as cursor:
        cursor.execute(statement, [reaudit_id, limit + 1])
        rows = [_amount_row(row) for row in cursor.fetchall()]
    return tuple(rows[:limit]), len(rows) > limit


def every_amount(reaudit_id: int, by: By) -> Iterator[AmountRow]:
    """All of them one after the other, for a file; the database holds them meanwhile."""
    names, condition = _KEYS[by]
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(_AMOUNTS.format(names=names, condition=condition), [reaudit_id])
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            yield from map(_amount_row, rows)


def _amount_row(row: tuple[Any, ...]) -> AmountRow:
    source, table, player, currency, digits, hands, *sums = row
    net_before, net_after, rake_before, rake_after, valid_before, valid_after = sums
    return AmountRow(
        source=source,
        table=table,
        player=player,
        currency=currency,
        minor_digits=digits,
        hands=hands,
        net_before=int(net_before),
        net_after=int(net_after),
        rake_before=None if rake_before is None else int(rake_before),
        rake_after=None if rake_after is None else int(rake_after),
        valid_bet_before=int(valid_before),
        valid_bet_after=int(valid_after),
    )


def get_change(reaudit_id: int, version_pk: int) -> ChangeDetail:
    """A version with both judgements. Raises: ReauditNotFound."""
    found = ReauditResult.objects.select_related("before", "after", "reaudit", "hand")
    result = found.filter(reaudit_id=reaudit_id, version_id=version_pk).first()
    if result is None:
        raise ReauditNotFound(f"Re-audit {reaudit_id} found no change in this hand.")
    row = ReauditResult.objects.filter(pk=result.pk).values_list(*_CHANGE).get()
    if result.after is not None:
        after = _stored(result.after, result.code)
    else:
        after = _rehearsed(result, result.reaudit)
    return ChangeDetail(
        row=_change_row(row),
        currency=result.hand.currency,
        minor_digits=result.hand.minor_digits,
        before=_stored(result.before, result.code_before),
        after=after,
    )


def _stored(verdict: Verdict, code: str) -> Judgement:
    stored = Finding.objects.filter(verdict_id=verdict.pk).order_by("position")
    findings = tuple(finding_of(finding) for finding in stored)
    return Judgement(
        kind=verdict.kind,
        code=code,
        ruleset=verdict.ruleset,
        ruleset_sha256=bytes(verdict.ruleset_sha256).hex(),
        engine=verdict.engine,
        digest=bytes(verdict.digest).hex(),
        settlement=verdict.settlement,
        findings=findings,
        finding_count=len(findings),
    )


def _rehearsed(result: ReauditResult, reaudit: Reaudit) -> Judgement:
    """A rehearsed judgement; its findings are made again from the bytes, and are the same ones if
    their digest is that of the result."""
    assert reaudit.ruleset_sha256 is not None
    return Judgement(
        kind=result.kind,
        code=result.code,
        ruleset=reaudit.ruleset,
        ruleset_sha256=bytes(reaudit.ruleset_sha256).hex(),
        engine=reaudit.engine,
        digest=bytes(result.digest).hex(),
        settlement=result.settlement,
        findings=_made_again(result, reaudit),
        finding_count=result.finding_count,
    )


def _made_again(result: ReauditResult, reaudit: Reaudit) -> tuple[replay.Finding, ...] | None:
    assert reaudit.ruleset_sha256 is not None
    ruleset = ruleset_of_bytes(reaudit.ruleset, bytes(reaudit.ruleset_sha256).hex())
    if ruleset is None:
        return None
    raw = unpacked(HandVersion.objects.values_list("raw", flat=True).get(pk=result.version_id))
    verdict = replay.audit(raw, Instead(ruleset))
    is_same = verdict.replay_digest == bytes(result.digest).hex()
    return verdict.findings if is_same else None


class Instead(replay.Rulesets):
    """One ruleset in the place of whichever a hand names."""

    def __init__(self, ruleset: replay.Ruleset) -> None:
        super().__init__()
        self._ruleset = ruleset

    def get(self, name: str) -> replay.Ruleset:
        return self._ruleset
