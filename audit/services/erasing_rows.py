"""Rewriting the rows of hands from which a name is erased: records, verdicts, findings, digests.

Each row that is rewritten is put on record first (`ErasedRow`), with the commitments of its leaf;
the database lets no other row through.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.db import connection, transaction
from django.db.models import Count

import replay
from audit.models import (
    Comparison,
    ComparisonFinding,
    Duplicate,
    ErasedRow,
    Finding,
    Hand,
    HandVersion,
    LeafKind,
    ReauditResult,
    RowSalt,
    Verdict,
)
from audit.selectors.erasures import content_sha256
from audit.selectors.sealed_rows import SEALED, read_rows
from audit.selectors.veiled_rows import (
    Veil,
    commitment_of,
    kept_commitments,
    name_salts,
    row_salts,
    unpacked_or_none,
    veil_of,
)
from audit.services.erasing_words import Words
from audit.zstd import packed_line
from replay.evidence import (
    SALT_BYTES,
    erased,
    names_of,
    sealed,
    veiled_subject,
    veiled_value,
)

_DECODE = msgspec.json.decode


@dataclass(slots=True)
class Erasing:
    """One erasure at work. `names` has the one name with its token, `words` tells texts without it;
    `counts` has the rows by table, `left` those that hold its letters still, `uploads` the files
    that brought a record with the name, `places` the tables and days."""

    act: int
    source: str
    name: str
    token: str
    counts: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    uploads: set[int] = field(default_factory=set)
    places: set[tuple[str, Any]] = field(default_factory=set)

    @property
    def names(self) -> dict[str, str]:
        return {self.name: self.token}

    @property
    def words(self) -> Words:
        return Words(self.name, self.token)

    def put_on_record(self, kind: LeafKind, kept: dict[int, dict[str, str]]) -> None:
        """Say which rows are about to be rewritten. Their content is summed up afterwards."""
        ErasedRow.objects.bulk_create(
            [
                ErasedRow(erasure_id=self.act, kind=kind, row=row, kept=one, sha256=b"")
                for row, one in kept.items()
            ],
            ignore_conflicts=True,
        )


@contextmanager
def at_work(work: Erasing) -> Iterator[None]:
    """A transaction in which the guards let this act rewrite what it has put on record; at its end
    each rewritten row is summed up."""
    with transaction.atomic():
        _name_act(str(work.act))
        yield
        sum_up(work)
        _name_act("")


def _name_act(act: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('tilecourt.erasure', %s, true)", [act])


def open_rows(work: Erasing, kind: LeafKind, rows: Iterable[int]) -> dict[int, bytes]:
    """Put rows on record with the commitments of their leaves, and take their salts.

    Gives a key for each row that was not opened before: its salt; for a row that was sealed before
    there were salts, or not yet, one that nobody keeps.
    """
    keys = sorted(rows)
    salts = row_salts(kind, keys, is_making=False)
    hidden = SEALED[kind].hidden
    earlier = kept_commitments(kind, keys)
    kept: dict[int, dict[str, str]] = {}
    for key, values in read_rows(kind, keys):
        if key in salts:
            made = commitment_of(salts[key], [values[place] for place in hidden])
            kept[key] = {"sealed": made.hex()}
        else:
            kept[key] = earlier.get(key, {})
    work.put_on_record(kind, kept)
    RowSalt.objects.filter(kind=kind, row__in=list(salts)).delete()
    fresh = {key: os.urandom(SALT_BYTES) for key in keys if key not in earlier}
    return fresh | salts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    """A version whose record holds the name, before and after."""

    pk: int
    veil: Veil
    line: bytes
    sha256: bytes


def erase_hands(work: Erasing, hands: Sequence[int]) -> None:
    """Rewrite every version of these hands that names the person, and what was said of it."""
    versions = _versions(work, hands)
    if versions:
        _rewrite_versions(work, versions)
        _rewrite_duplicates(work, versions)
        _rewrite_verdicts(work, versions)
    own = Hand.objects.filter(pk__in=hands).values_list("pk", "players")
    for pk, players in own:
        if work.name in players:
            told = [work.token if one == work.name else one for one in players]
            Hand.objects.filter(pk=pk).update(players=told)
            work.counts["hand"] += 1


def _versions(work: Erasing, hands: Sequence[int]) -> dict[int, _Version]:
    rows = HandVersion.objects.filter(hand_id__in=hands).values_list("pk", "raw")
    lines = {pk: unpacked_or_none(raw) for pk, raw in rows}
    names = {pk: _names(line) for pk, line in lines.items()}
    named = {pk: found for pk, found in names.items() if work.name in found}
    people = {(work.source, name) for found in named.values() for name in found}
    salts = name_salts(people, is_making=True)
    versions = {}
    for pk, found in named.items():
        line = lines[pk]
        assert line is not None
        veil = veil_of(work.source, line, found, salts)
        after = erased(line, work.name, veil.tokens, veil.key)
        again = veil_of(work.source, after, names_of(after), _without(salts, work))
        if again.sha256 != veil.sha256:
            raise RuntimeError(f"version {pk} would not be veiled as before")
        sha256 = hashlib.sha256(after).digest()
        versions[pk] = _Version(pk=pk, veil=veil, line=after, sha256=sha256)
    return versions


def _without(salts: dict[tuple[str, str], bytes], work: Erasing) -> dict[tuple[str, str], bytes]:
    return {key: salt for key, salt in salts.items() if key != (work.source, work.name)}


def _names(line: bytes | None) -> tuple[str, ...]:
    try:
        return names_of(line or b"")
    except ValueError:
        return ()


def _kept(kind: LeafKind, rows: Iterable[tuple[int, Veil, Any]]) -> dict[int, dict[str, str]]:
    """The commitments of the leaves of rows, to what stood there before: row, veil, hash."""
    found = list(rows)
    earlier = kept_commitments(kind, [row for row, veil, _ in found if veil.key is None])
    kept: dict[int, dict[str, str]] = {}
    for row, veil, value in found:
        if veil.key is None:
            kept[row] = earlier.get(row, {})
        else:
            kept[row] = {} if value is None else {"sealed": sealed(veil.key, bytes(value)).hex()}
    return kept


def _rewrite_versions(work: Erasing, versions: dict[int, _Version]) -> None:
    rows = HandVersion.objects.filter(pk__in=versions).values_list("pk", "sha256")
    kept = _kept(LeafKind.VERSION, ((pk, versions[pk].veil, sha256) for pk, sha256 in rows))
    work.put_on_record(LeafKind.VERSION, kept)
    _update(
        "audit_handversion",
        ("raw", "bytea"),
        ("sha256", "bytea"),
        [(one.pk, packed_line(one.line), one.sha256) for one in versions.values()],
    )


def _rewrite_duplicates(work: Erasing, versions: dict[int, _Version]) -> None:
    rows = list(
        Duplicate.objects.filter(version_id__in=versions).values_list(
            "pk", "version_id", "raw", "sha256"
        )
    )
    own = [row for row in rows if row[2] is not None]
    kept = _kept(LeafKind.DUPLICATE, ((pk, versions[of].veil, sha256) for pk, of, _, sha256 in own))
    work.put_on_record(LeafKind.DUPLICATE, kept)
    values = []
    for pk, of, raw, _ in own:
        veil = versions[of].veil
        line = erased(unpacked_or_none(raw) or b"", work.name, veil.tokens, veil.key)
        values.append((pk, packed_line(line), hashlib.sha256(line).digest()))
    _update("audit_duplicate", ("raw", "bytea"), ("sha256", "bytea"), values)


def _rewrite_verdicts(work: Erasing, versions: dict[int, _Version]) -> None:
    rows = list(
        Verdict.objects.filter(version_id__in=versions).values_list(
            "pk", "version_id", "ruleset_sha256", "kind", "settlement", "digest"
        )
    )
    work.put_on_record(
        LeafKind.VERDICT,
        _kept(LeafKind.VERDICT, ((row[0], versions[row[1]].veil, row[5]) for row in rows)),
    )
    findings = _rewrite_findings(work, Finding, LeafKind.FINDING, "verdict", [r[0] for r in rows])
    values = []
    told: dict[int, tuple[Any, ...]] = {}
    for pk, of, ruleset, kind, settlement, _ in rows:
        settled = veiled_value(settlement, work.names)
        own = tuple(findings.get(pk, ()))
        told[pk] = (versions[of], bytes(ruleset), settled, own)
        values.append(
            (pk, None if settled is None else msgspec.json.encode(settled).decode(),
             _digest(versions[of], ruleset, kind, own, settled))
        )  # fmt: skip
    _update("audit_verdict", ("settlement", "jsonb"), ("digest", "bytea"), values)
    _rewrite_comparisons(work, told)
    _rewrite_rehearsals(work, versions)


def _rewrite_comparisons(work: Erasing, told: dict[int, tuple[Any, ...]]) -> None:
    rows = list(
        Comparison.objects.filter(verdict_id__in=told).values_list(
            "pk", "verdict_id", "kind", "digest"
        )
    )
    kept = _kept(
        LeafKind.COMPARISON, ((pk, told[of][0].veil, digest) for pk, of, _, digest in rows)
    )
    work.put_on_record(LeafKind.COMPARISON, kept)
    findings = _rewrite_findings(
        work, ComparisonFinding, LeafKind.COMPARISON_FINDING, "comparison", [row[0] for row in rows]
    )
    values = []
    for pk, of, kind, _ in rows:
        version, ruleset, settled, own = told[of]
        whole = own + tuple(findings.get(pk, ()))
        values.append((pk, _digest(version, ruleset, kind, whole, settled)))
    _update("audit_comparison", ("digest", "bytea"), None, values)


def _rewrite_findings(
    work: Erasing, model: Any, kind: LeafKind, parent: str, parents: list[int]
) -> dict[int, list[replay.Finding]]:
    """Put the token where a finding names the person; gives the findings by their parents."""
    fields = (
        "code", "severity", "event", "seat", "subject", "logged", "expected", "rule", "confidence",
        "follows", "explained_by", "message",
    )  # fmt: skip
    rows = model.objects.filter(**{f"{parent}_id__in": parents}).order_by("position")
    found: dict[int, list[replay.Finding]] = {}
    values = []
    for pk, of, *facts in rows.values_list("pk", f"{parent}_id", *fields):
        told = dict(zip(fields, facts, strict=True))
        subject = veiled_subject(told["code"], told["subject"], work.names)
        if subject != told["subject"]:
            values.append((pk, subject))
        told |= {"subject": subject, "explained_by": tuple(told["explained_by"])}
        found.setdefault(of, []).append(replay.Finding(**told))
    work.put_on_record(kind, {pk: {} for pk, _ in values})
    _update(model._meta.db_table, ("subject", "text"), None, values)  # noqa: SLF001
    return found


def _digest(
    version: _Version, ruleset: Any, kind: Any, findings: Sequence[Any], settled: Any
) -> bytes:
    """The digest of what is left: what judging the redacted record gives."""
    digest = replay.digest_of(
        record_sha256=version.sha256.hex(),
        ruleset_sha256=bytes(ruleset).hex(),
        kind=kind,
        findings=tuple(findings),
        settlement=settled,
    )
    return bytes.fromhex(digest)


def _rewrite_rehearsals(work: Erasing, versions: dict[int, _Version]) -> None:
    """What rehearsals and re-audits keep: their digests go, nobody can make them again."""
    rows = ReauditResult.objects.filter(version_id__in=versions)
    values = []
    for pk, of, settlement, digest in rows.values_list("pk", "version_id", "settlement", "digest"):
        settled = veiled_value(settlement, work.names)
        text = None if settled is None else msgspec.json.encode(settled).decode()
        key = versions[of].veil.key
        values.append((pk, text, bytes(digest) if key is None else sealed(key, bytes(digest))))
    _update("audit_reauditresult", ("settlement", "jsonb"), ("digest", "bytea"), values)
    work.counts["result of a re-audit"] += len(values)


def _update(
    table: str, first: tuple[str, str], second: tuple[str, str] | None, values: list[Any]
) -> None:
    """Set one or two columns of rows, by their keys."""
    if not values:
        return
    columns = [first] if second is None else [first, second]
    sets = ", ".join(f"{name} = n.v{place}" for place, (name, _) in enumerate(columns))
    names = ", ".join(f"v{place}" for place in range(len(columns)))
    casts = ", ".join(f"%s::{kind}[]" for _, kind in columns)
    lists = [list(one) for one in zip(*values, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} t SET {sets}"  # noqa: S608 - from constants
            f" FROM unnest(%s::int8[], {casts}) AS n (id, {names}) WHERE t.id = n.id",
            lists,
        )
        if cursor.rowcount != len(values):
            raise RuntimeError(f"{cursor.rowcount} of {len(values)} rows of {table} were rewritten")


def sum_up(work: Erasing) -> None:
    """Sum up each rewritten row as it was left, before the log hears of it."""
    fresh = ErasedRow.objects.filter(erasure_id=work.act, sha256=b"")
    for kind in fresh.order_by().values_list("kind", flat=True).distinct():
        rows = dict(fresh.filter(kind=kind).values_list("row", "pk"))
        for pk, found in content_sha256(LeafKind(kind), rows):
            ErasedRow.objects.filter(pk=pk).update(sha256=found)


def gather_places(work: Erasing) -> None:
    """The files that brought the name, and the tables and days of its hands, by what was rewritten:
    also before the act was stopped."""
    versions = ErasedRow.objects.filter(erasure_id=work.act, kind=LeafKind.VERSION).values("row")
    own = HandVersion.objects.filter(pk__in=versions)
    work.uploads = set(own.values_list("upload_id", flat=True))
    again = Duplicate.objects.filter(version_id__in=versions)
    work.uploads |= set(again.values_list("upload_id", flat=True))
    work.places = set(own.values_list("hand__table", "hand__played_on"))


def counts_of(work: Erasing) -> dict[str, int]:
    """How many rows were rewritten, by what they are."""
    rows = ErasedRow.objects.filter(erasure_id=work.act).order_by().values_list("kind")
    found = {LeafKind(kind).label: count for kind, count in rows.annotate(count=Count("pk"))}
    return {**found, **{name: count for name, count in work.counts.items() if count}}
