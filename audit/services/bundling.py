"""Making bundles: all the evidence about a hand in one file, which anyone can check without us."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby

from django.contrib.auth.models import User

import replay
from audit.models import (
    CaseHand,
    Comparison,
    ComparisonFinding,
    DepartedVerdict,
    Duplicate,
    Finding,
    Hand,
    HandVersion,
    LeafKind,
    Restatement,
    Upload,
    Verdict,
)
from audit.selectors import current_rulesets
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.evidence import StoredTree, head_over, latest_head, leaves_of
from audit.selectors.seal_keys import SealKeys, read_keys
from audit.selectors.sealed_rows import SEALED, read_rows
from audit.selectors.veiled_rows import FORM, Veils, read_leaves, row_salts
from audit.services.sealing import seal
from audit.zstd import unpacked
from replay.evidence import (
    ArchiveError,
    Content,
    Entry,
    File,
    Proofs,
    Salts,
    entry,
    make_bundle,
    open_head,
)

# More would be no small file any more: such a hand wants a look first.
ENTRIES_MAX = 20_000
HANDS_MAX = 2_000
# For so long what waits is sealed for the sake of one bundle.
SEAL_SECONDS = 20
# Hears how many versions were gathered, and how many there are.
Progress = Callable[[int, int], None]


class BundleRefused(Exception):
    """No bundle can be made as things stand; the text is a sentence."""


class _NotSealed(Exception):
    """A row of the hand waits to be sealed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The bytes of a bundle and the name to keep them under."""

    name: str
    data: bytes


@dataclass(slots=True)
class _Rows:
    """Rows in the order of their entries."""

    verdicts: list[tuple[LeafKind, int]] = field(default_factory=list)
    custody: list[tuple[LeafKind, int]] = field(default_factory=list)


def bundle_hand(*, hand_id: int, sources: Sources) -> Bundle:
    """Make the bundle of a hand, by its key; what waits is sealed before.

    Raises: BundleRefused, Hand.DoesNotExist; SealRefused and SealKeyMissing as `seal` does.
    """
    hand = Hand.objects.get(in_sources(sources), pk=hand_id)
    subject = f"Hand {hand.hand_id} of {hand.source}"
    return Bundle(name=f"hand-{hand.pk}.zip", data=_make(subject, [hand.pk], None))


def bundle_table_day(
    *, source: str, table: str, day: date, on_progress: Progress | None = None
) -> Bundle:
    """Make the bundle of the hands of a table that were played on a day, by the log's own offset.

    Raises as `bundle_hand` does; BundleRefused where there is no such hand.
    """
    hands = Hand.objects.filter(source=source, table=table, played_on=day).order_by(
        "played_at", "pk"
    )
    subject = f"Table {table} of {source} on {day.isoformat()}"
    keys = list(hands.values_list("pk", flat=True)[: HANDS_MAX + 1])
    return Bundle(name=f"table-day-{day.isoformat()}.zip", data=_make(subject, keys, on_progress))


def bundle_case(*, case_id: int, on_progress: Progress | None = None) -> Bundle:
    """Make the bundle of the hands that stand in a case.

    Raises as `bundle_hand` does; BundleRefused where there is no such hand.
    """
    members = CaseHand.objects.filter(case_id=case_id, left_at=None).order_by("hand_id")
    keys = list(members.values_list("hand_id", flat=True)[: HANDS_MAX + 1])
    return Bundle(name=f"case-{case_id}.zip", data=_make(f"Case C-{case_id}", keys, on_progress))


def _make(subject: str, hands: Sequence[int], on_progress: Progress | None) -> bytes:
    if not hands:
        raise BundleRefused(replay.say("There is no such hand."))
    if len(hands) > HANDS_MAX:
        raise BundleRefused(
            replay.say(
                "There are more than {hands_max:,} hands: take fewer at a time.",
                hands_max=HANDS_MAX,
            )
        )
    try:
        content, keys = _content(subject, hands, on_progress)
    except _NotSealed:
        seal(seconds=SEAL_SECONDS)
        try:
            content, keys = _content(subject, hands, on_progress)
        except _NotSealed:
            raise BundleRefused(
                replay.say("The hands are not sealed yet: try again in a minute.")
            ) from None
    try:
        return make_bundle(content, keys.private, keys.public[1:])
    except ArchiveError as error:
        raise BundleRefused(
            replay.say("The bundle would be too large: {error}.", error=error)
        ) from None
    except LookupError as error:
        raise BundleRefused(
            replay.say("The bundle cannot be made: {error}.", error=error)
        ) from None


def _content(
    subject: str, hands: Sequence[int], on_progress: Progress | None
) -> tuple[Content, SealKeys]:
    """All about these hands, and the keys to sign with. Raises: BundleRefused, _NotSealed."""
    rows = _rows_of(hands, on_progress)
    if len(rows.verdicts) + len(rows.custody) > ENTRIES_MAX:
        raise BundleRefused(
            replay.say(
                "There are more than {entries_max:,} entries to put into the bundle.",
                entries_max=ENTRIES_MAX,
            )
        )
    veils = Veils()
    verdicts, custody = _entries(rows.verdicts, veils), _entries(rows.custody, veils)
    versions = [row for kind, row in rows.custody if kind == LeafKind.VERSION]
    veils.load(versions)
    raws = HandVersion.objects.filter(pk__in=versions).order_by("pk").values_list("raw", flat=True)
    names = {SEALED[LeafKind.UPLOAD].name_of(form) for form in range(1, FORM + 1)}
    uploads = [one for one in custody if one.leaf in names]
    if any(one["feed"] for one in uploads):
        raise BundleRefused(
            replay.say(
                "The records are of an operator's feed, which can only be judged with its importer:"
                " a bundle of them could not be checked by itself."
            )
        )
    proofs = _proofs([*verdicts, *custody])
    keys = read_keys()
    if keys is None:
        raise BundleRefused(
            replay.say("There is no seal key here: a bundle is signed as the heads are.")
        )
    content = Content(
        subject=subject,
        records=[unpacked(raw) for raw in raws],
        rulesets=_rulesets(versions),
        verdicts=verdicts,
        custody=custody,
        accounts=_accounts({one["account"] for one in uploads} - {None}),
        proofs=proofs,
        at=open_head(proofs.newest, *keys.public).head.time,
        salts=_salts([*verdicts, *custody], veils),
    )
    return content, keys


def _rows_of(hands: Sequence[int], on_progress: Progress | None) -> _Rows:
    rows = _Rows()
    versions = HandVersion.objects.filter(hand_id__in=hands).order_by("hand_id", "number")
    own = list(versions.values_list("pk", flat=True))
    earlier: set[int] = set()
    for number, version in enumerate(own, start=1):
        if on_progress is not None:
            on_progress(number, len(own))
        for verdict in Verdict.objects.filter(version_id=version).order_by("pk").values_list("pk"):
            earlier |= _add_verdict(rows, verdict[0])
    kept = [*own, *sorted(earlier - set(own))]
    rows.custody += [(LeafKind.VERSION, version) for version in kept]
    duplicates = Duplicate.objects.filter(version_id__in=own).order_by("upload_id", "line")
    restatements = Restatement.objects.filter(hand_id__in=hands).order_by("pk")
    for kind, found in (
        (LeafKind.DUPLICATE, duplicates.values_list("pk", "upload_id")),
        (LeafKind.RESTATEMENT, restatements.values_list("pk", "upload_id")),
    ):
        rows.custody += [(kind, pk) for pk, _ in found[: ENTRIES_MAX + 1]]
    uploads = set(HandVersion.objects.filter(pk__in=kept).values_list("upload_id", flat=True))
    uploads |= set(duplicates.values_list("upload_id", flat=True))
    uploads |= set(restatements.values_list("upload_id", flat=True))
    rows.custody += [(LeafKind.UPLOAD, upload) for upload in sorted(uploads)]
    return rows


def _add_verdict(rows: _Rows, verdict: int) -> set[int]:
    """A verdict with its findings and comparisons; gives the versions of the hands before."""
    rows.verdicts.append((LeafKind.VERDICT, verdict))
    findings = Finding.objects.filter(verdict_id=verdict).order_by("position")
    rows.verdicts += [(LeafKind.FINDING, pk) for pk in findings.values_list("pk", flat=True)]
    earlier: set[int] = set()
    # Where the hand before went under a retention run nobody could compare with it again.
    gone = DepartedVerdict.objects.values("verdict")
    comparisons = Comparison.objects.filter(verdict_id=verdict).exclude(earlier__in=gone)
    for pk, version in comparisons.order_by("pk").values_list("pk", "earlier__version_id"):
        rows.verdicts.append((LeafKind.COMPARISON, pk))
        between = ComparisonFinding.objects.filter(comparison_id=pk).order_by("position")
        rows.verdicts += [
            (LeafKind.COMPARISON_FINDING, one) for one in between.values_list("pk", flat=True)
        ]
        if version is not None:
            earlier.add(version)
    return earlier


def _entries(rows: Sequence[tuple[LeafKind, int]], veils: Veils) -> list[Entry]:
    """The entries of these rows, in their order. Raises: BundleRefused, _NotSealed."""
    entries: dict[tuple[LeafKind, int], Entry] = {}
    for kind, group in groupby(sorted(rows), key=lambda row: row[0]):
        keys = [key for _, key in group]
        places = leaves_of(kind, keys)
        if len(places) < len(keys) and any(key not in places for key, _ in read_rows(kind, keys)):
            raise _NotSealed
        for form in sorted({form for _, form in places.values()}):
            own = [key for key in keys if key in places and places[key][1] == form]
            for key, fields in read_leaves(kind, own, form=form, veils=veils):
                entries[kind, key] = entry(SEALED[kind].name_of(form), places[key][0], fields)
    for kind, key in rows:
        if (kind, key) not in entries:
            raise BundleRefused(
                replay.say(
                    "The {label} {key} is gone: run manage.py verify-store.",
                    label=kind.label,
                    key=key,
                )
            )
    return [entries[row] for row in rows]


def _salts(entries: Sequence[Entry], veils: Veils) -> Salts | None:
    """What opens the commitments of these leaves; None where they have none."""
    veiled = {one.name_of(FORM) for one in SEALED.values() if one.hides_in(FORM)}
    if not any(one.leaf in veiled for one in entries):
        return None
    names: dict[str, dict[str, str]] = {}
    for veil in veils.known.values():
        for name, salt in veil.salts.items():
            names.setdefault(veil.source, {})[name] = salt.hex()
    upload = SEALED[LeafKind.UPLOAD].name_of(FORM)
    keys = [one["upload"] for one in entries if one.leaf == upload]
    salts = row_salts(LeafKind.UPLOAD, keys, is_making=False)
    known = Upload.objects.filter(pk__in=salts).values_list("pk", "name", "restatement", "sha256")
    files = {
        str(pk): File(
            name=name,
            restatement=restatement,
            sha256=bytes(sha256 or b"").hex(),
            salt=salts[pk].hex(),
        )
        for pk, name, restatement, sha256 in known
    }
    return Salts(names=names, files=files)


def _proofs(entries: Iterable[Entry]) -> Proofs:
    indexes = [one.index for one in entries]
    head, newest = head_over(max(indexes)), latest_head()
    if head is None or newest is None:
        raise BundleRefused(
            replay.say("The log has leaves and no heads: run manage.py verify-store.")
        )
    tree = StoredTree()
    return Proofs(
        head=head.note,
        newest=newest.note,
        consistency=[found.hex() for found in tree.consistency(head.size, newest.size)],
        paths=[[found.hex() for found in tree.inclusion(one, head.size)] for one in indexes],
    )


def _rulesets(versions: Sequence[int]) -> list[replay.Ruleset]:
    """The rulesets by which these versions were judged, byte for byte. Raises: BundleRefused."""
    known = {ruleset.sha256: ruleset for ruleset in current_rulesets()}
    judged = Verdict.objects.filter(version_id__in=versions)
    wanted = {
        bytes(sha256).hex(): name
        for sha256, name in judged.values_list("ruleset_sha256", "ruleset").distinct()
    }
    for sha256, name in wanted.items():
        if sha256 not in known:
            raise BundleRefused(
                replay.say(
                    "The ruleset {name} with SHA-256 {sha256} is not at hand.",
                    name=name,
                    sha256=sha256,
                )
            )
    return [known[sha256] for sha256 in sorted(wanted)]


def _accounts(numbers: set[int]) -> dict[str, str]:
    found = User.objects.filter(pk__in=numbers).values_list("pk", "username")
    return {str(pk): name for pk, name in found}
