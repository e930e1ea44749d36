"""Deleting one batch of a retention run, with everything that hangs on its items.

The one place that deletes records of evidence. Where months lie in partitions of their own, a
month that is due as a whole may be dropped here instead, after the same batch was put on record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction
from django.db.models import F
from django.utils import timezone

from audit.models import (
    Case,
    Comparison,
    ComparisonFinding,
    DepartedVerdict,
    Docket,
    Finding,
    Hand,
    HandVersion,
    JournalEntry,
    LeafKind,
    LegalHold,
    NameSalt,
    Player,
    RecordClass,
    Refusal,
    Remedy,
    RemedyExport,
    RetentionBatch,
    RetentionDeletion,
    RetentionRun,
    RowSalt,
    Verdict,
)
from audit.selectors.sealed_rows import SEALED
from audit.services.retention_messages import forget_messages
from audit.zstd import unpacked
from replay.evidence import names_of

Model = type[models.Model]

# What names a row without hanging on it: the hand before another, the case that another goes on
# from, the hold on what is no longer held.
_LOOSE = {
    (Comparison, "earlier"),
    (Docket, "member"),
    (LegalHold, "hand"),
    (LegalHold, "case"),
}
_KIND_OF = {sealed.table: kind for kind, sealed in SEALED.items()}


class NotSealed(Exception):
    """A row of the batch has no leaf yet; nothing was deleted."""


def delete_batch(*, run_id: int, items: Sequence[int]) -> None:
    """Delete these hands, refused lines, cases or acts of the journal under a run.

    Raises: NotSealed; DatabaseError where the database finds that one of them is to be kept.
    """
    with transaction.atomic():
        run = RetentionRun.objects.select_for_update().get(pk=run_id)
        batch = RetentionBatch.objects.create(run=run, items=list(items))
        _release(str(batch.pk))
        rows = _rows_of(_root_of(run), list(items))
        _put_on_record(batch, rows)
        players = _players(rows.get(Hand, []))
        if Refusal in rows:
            _forget_places(rows[Refusal])
        if Case in rows:
            # The hands were looked at; they stand nowhere any more.
            Docket.objects.filter(member__case__in=rows[Case]).update(member=None)
        _keep_what_is_named(rows.get(Verdict, []))
        forget_messages(findings=rows.get(Finding, []), between=rows.get(ComparisonFinding, []))
        for model in reversed(rows):
            _delete(model, rows[model])
        _forget_players(run.source, players)
        _release("")
        counts = dict(run.counts)
        for model, keys in rows.items():
            if keys:
                table = _table(model)
                counts[table] = counts.get(table, 0) + len(keys)
        RetentionRun.objects.filter(pk=run_id).update(
            item_count=F("item_count") + len(items), counts=counts, touched_at=timezone.now()
        )


def _release(batch: str) -> None:
    """Name the batch to the triggers that guard evidence, for this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('tilecourt.retention_batch', %s, true)", [batch])


def _root_of(run: RetentionRun) -> Model:
    if run.record_class == RecordClass.HANDS:
        return Refusal if run.source is None else Hand
    return Case if run.record_class == RecordClass.CASES else JournalEntry


def _rows_of(root: Model, items: list[int]) -> dict[Model, list[Any]]:
    """The keys of all rows that hang on these items, by table; a table stands behind the one that
    it hangs on."""
    rows: dict[Model, list[Any]] = {root: items}
    waiting = [root]
    while waiting:
        parent = waiting.pop(0)
        for model, field in _hanging_on(parent):
            if model in rows:
                continue
            found = model._default_manager.filter(**{f"{field.name}__in": rows[parent]})  # noqa: SLF001
            rows[model] = list(found.order_by("pk").values_list("pk", flat=True))
            waiting.append(model)
    if Remedy in rows:
        exported = Remedy.objects.filter(pk__in=rows[Remedy], export__isnull=False)
        rows[RemedyExport] = list(exported.order_by("export").values_list("export", flat=True))
    return rows


def _hanging_on(parent: Model) -> Iterator[tuple[Model, models.ForeignKey[Any, Any]]]:
    """The tables whose rows belong to rows of this one, each with the field that says so."""
    for model in apps.get_app_config("audit").get_models():
        if model in (parent, Hand, RetentionRun):
            continue
        fields = [
            field
            for field in model._meta.local_fields  # noqa: SLF001 - it is public
            if isinstance(field, models.ForeignKey)
            and field.remote_field.model is parent
            and (model, field.name) not in _LOOSE
        ]
        if fields:
            # Several fields name rows of one hand: whichever an index is for.
            yield model, min(fields, key=lambda field: not _is_indexed(model, field))


def _is_indexed(model: Model, field: models.ForeignKey[Any, Any]) -> bool:
    if field.unique or field.db_index:  # type: ignore[attr-defined]
        return True
    meta = model._meta  # noqa: SLF001
    lists = [index.fields for index in meta.indexes]
    lists += [
        constraint.fields
        for constraint in meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
    ]
    return any(names and names[0] == field.name for names in lists)


def _table(model: Model) -> str:
    return model._meta.db_table  # noqa: SLF001


def _put_on_record(batch: RetentionBatch, rows: dict[Model, list[Any]]) -> None:
    """Write down which leaves lose their rows. Raises: NotSealed."""
    gone = []
    for model, keys in rows.items():
        kind = _KIND_OF.get(_table(model))
        if kind is None or not keys:
            continue
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM audit_sealedleaf WHERE kind = %s AND row = ANY(%s)",
                [kind.value, keys],
            )
            if cursor.fetchone()[0] != len(keys):
                raise NotSealed(f"Some rows of {_table(model)} have no leaf yet: seal first.")
        gone.append(RetentionDeletion(batch=batch, kind=LeafKind(kind), rows=keys))
        # There is nothing left that these would open.
        RowSalt.objects.filter(kind=kind, row__in=keys).delete()
    RetentionDeletion.objects.bulk_create(gone)


def _keep_what_is_named(verdicts: list[int]) -> None:
    """Keep what the leaves of comparisons that stay say of these verdicts."""
    stay = Comparison.objects.filter(earlier__in=verdicts).exclude(verdict__in=verdicts)
    named = Verdict.objects.filter(pk__in=stay.values("earlier")).values_list(
        "pk", "version__hand__source", "version__hand__hand_id", "version__number",
        "ruleset_sha256", "engine", "digest",
    )  # fmt: skip
    DepartedVerdict.objects.bulk_create(
        [
            DepartedVerdict(
                verdict=pk,
                source=source,
                hand_id=name,
                number=number,
                ruleset_sha256=ruleset,
                engine=engine,
                digest=digest,
            )
            for pk, source, name, number, ruleset, engine, digest in named
        ]
    )


def _delete(model: Model, keys: list[Any]) -> None:
    if not keys:
        return
    key = model._meta.pk  # noqa: SLF001
    assert key is not None
    with connection.cursor() as cursor:
        cursor.execute(
            f'DELETE FROM "{_table(model)}" WHERE "{key.column}" = ANY(%s)',  # noqa: S608
            [keys],
        )
        if cursor.rowcount != len(keys):
            raise RuntimeError(f"{cursor.rowcount} of {len(keys)} rows of {_table(model)} went")


def _players(hands: list[int]) -> set[str]:
    """The names in every version of these hands."""
    names: set[str] = set()
    for raw in HandVersion.objects.filter(hand_id__in=hands).values_list("raw", flat=True):
        with suppress(ValueError):
            names |= set(names_of(unpacked(raw)))
    for players in Hand.objects.filter(pk__in=hands).values_list("players", flat=True):
        names |= set(players)
    return names


def _forget_places(refusals: list[int]) -> None:
    """Forget which table and hand refused lines named."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM audit_sortedrefusal s USING audit_refusal r"
            " WHERE r.id = ANY(%s) AND s.upload_id = r.upload_id AND s.line = r.line",
            [refusals],
        )


def _forget_players(source: str | None, names: set[str]) -> None:
    """Forget names that no hand of the source bears any more, and their salts."""
    if source is None or not names:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.name FROM unnest(%s::text[]) AS p (name) WHERE NOT EXISTS ("
            " SELECT FROM audit_hand h"
            ' WHERE h.source = %s COLLATE "C" AND h.players @> ARRAY[p.name]::varchar[])',
            [sorted(names), source],
        )
        gone = {name for (name,) in cursor.fetchall()}
    several = HandVersion.objects.filter(number__gte=2).values("hand_id")
    others = HandVersion.objects.filter(hand_id__in=several, hand__source=source)
    for raw in others.values_list("raw", flat=True).iterator():
        with suppress(ValueError):
            gone -= set(names_of(unpacked(raw)))
    Player.objects.filter(source=source, name__in=gone).delete()
    NameSalt.objects.filter(source=source, name__in=gone).delete()
