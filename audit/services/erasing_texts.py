"""Rewriting what is no hand: files, refused lines, certificates, the desk, the journal, lists.

What stands under a commitment of its own loses its salt when it is rewritten.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from datetime import timedelta
from typing import Any

import msgspec
from django.db import connection
from django.db.models import Q

from audit.models import (
    Certificate,
    Chunk,
    Claim,
    FeedDrift,
    JournalEntry,
    LeafKind,
    NameDecision,
    Player,
    Refusal,
    RemedyEntry,
    RemedyExport,
    Rename,
    ReportRun,
    Upload,
    WebhookDelivery,
)
from audit.models.uploads import UploadSource
from audit.selectors.veiled_rows import unpacked_or_none
from audit.services.erasing_rows import Erasing, open_rows
from replay.evidence import sealed


def erase_files(work: Erasing) -> None:
    """Forget refused lines and hashes in certificates that could betray the name, and put
    commitments for the hashes of files that brought it."""
    work.uploads |= _erase_refusals(work)
    salts = open_rows(work, LeafKind.UPLOAD, work.uploads)
    for pk, name, reason, sha256 in Upload.objects.filter(pk__in=work.uploads).values_list(
        "pk", "name", "restatement", "sha256"
    ):
        if sha256 is None or pk not in salts:
            continue
        Upload.objects.filter(pk=pk).update(
            name=work.words.told(name)[:255],
            restatement=work.words.told(reason),
            sha256=sealed(salts[pk], bytes(sha256)),
        )
    _erase_certificates(work)


def _erase_refusals(work: Erasing) -> set[int]:
    """Forget refused lines that hold the name, in files that have to do with the source, and in
    those of which no line could be believed to be of any. Gives the files that had such lines."""
    uploads = set(UploadSource.objects.filter(source=work.source).values_list("upload", flat=True))
    uploads |= set(Upload.objects.filter(sources=None).values_list("pk", flat=True))
    named = {one.encode() for one in work.words.spellings}
    rows = Refusal.objects.filter(upload__in=uploads | work.uploads).values_list(
        "pk", "upload", "raw", "reason"
    )
    found, files = {}, set()
    for pk, upload, raw, reason in rows.iterator():
        line = b"" if raw is None else unpacked_or_none(raw) or b""
        told = work.words.told(reason)
        is_in_line = any(one in line for one in named)
        if told != reason or is_in_line:
            found[pk] = told
        if is_in_line:
            files.add(upload)
    open_rows(work, LeafKind.REFUSAL, found)
    for pk, told in found.items():
        Refusal.objects.filter(pk=pk).update(raw=None, sha256=None, reason=told)
    return files


def _erase_certificates(work: Erasing) -> None:
    """Put commitments for the hashes in certificates of the days on which the person played."""
    days = Q()
    for table, day in work.places:
        around = (day - timedelta(days=1), day + timedelta(days=1))
        days |= Q(table=table, day__range=around)
    if not work.places:
        return
    rows = list(
        Certificate.objects.filter(days, source=work.source).values_list("pk", "facts", "content")
    )
    salts = open_rows(work, LeafKind.CERTIFICATE, [pk for pk, _, _ in rows])
    for pk, facts, content in rows:
        if pk not in salts:
            continue
        told = work.words.told_json(_without_hashes(json.loads(content), salts[pk]))
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        Certificate.objects.filter(pk=pk).update(
            facts=sealed(salts[pk], bytes(facts)),
            content=text,
            sha256=hashlib.sha256(text.encode()).digest(),
        )


def _without_hashes(value: Any, salt: bytes) -> Any:
    if isinstance(value, dict):
        return {
            key: sealed(salt, part.encode()).hex()
            if key == "sha256" and isinstance(part, str)
            else _without_hashes(part, salt)
            for key, part in value.items()
        }
    return [_without_hashes(part, salt) for part in value] if isinstance(value, list) else value


def erase_texts(work: Erasing) -> None:
    """Rewrite the desk, the journal, the lists of names, and what was told elsewhere of them; count
    what is left."""
    _erase_desk(work)
    _erase_lists(work)
    _erase_journal(work)
    _erase_messages(work)
    _erase_report_runs(work)
    _count_left(work)


def _erase_desk(work: Erasing) -> None:
    token, name = work.token, work.name
    claims = Claim.objects.filter(source=work.source, player=name)
    keys = list(claims.values_list("pk", flat=True))
    open_rows(work, LeafKind.CLAIM, keys)
    Claim.objects.filter(pk__in=keys).update(player=token)
    entries = RemedyEntry.objects.filter(remedy__case__source=work.source, player=name)
    keys = list(entries.values_list("pk", flat=True))
    open_rows(work, LeafKind.REMEDY_ENTRY, keys)
    RemedyEntry.objects.filter(pk__in=keys).update(player=token)
    _erase_exports(work)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_caseamount t SET player = %(token)s FROM audit_casehand m"
            " JOIN audit_case c ON c.id = m.case_id"
            " WHERE t.member_id = m.id AND c.source = %(source)s AND t.player = %(name)s",
            {"token": token, "source": work.source, "name": name},
        )
        work.counts["amount of a case"] += cursor.rowcount
    decisions = NameDecision.objects.filter(Q(name=name) | Q(other=name), source=work.source)
    rows = list(decisions.values_list("pk", "name", "other"))
    open_rows(work, LeafKind.NAME_DECISION, [pk for pk, *_ in rows])
    for pk, first, other in rows:
        pair = sorted(token if one == name else one for one in (first, other))
        NameDecision.objects.filter(pk=pk).update(name=pair[0], other=pair[1])


def _erase_exports(work: Erasing) -> None:
    """Files of remedies: the same but for the name of the player and in the reason."""
    exports = RemedyExport.objects.filter(remedy__case__source=work.source)
    told = {}
    for pk, table, text in exports.values_list("pk", "csv", "json").iterator():
        files = bytes(table), bytes(text)
        found = _table_told(work, files[0]), _object_told(work, files[1])
        if found != files:
            told[pk] = found
    open_rows(work, LeafKind.REMEDY_EXPORT, told)
    for pk, (table, text) in told.items():
        RemedyExport.objects.filter(pk=pk).update(csv=table, json=text)


def _table_told(work: Erasing, data: bytes) -> bytes:
    """A CSV with the token where a player is named, whom an apostrophe may stand before."""
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    at = rows[0].index("player")
    if not any(row[at] in (work.name, f"'{work.name}") for row in rows[1:]):
        return data
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(
        [*row[:at], work.token, *row[at + 1 :]] if row[at] in (work.name, f"'{work.name}") else row
        for row in rows
    )
    return out.getvalue().encode()


def _object_told(work: Erasing, data: bytes) -> bytes:
    found = msgspec.json.decode(data)
    entries = [
        one | {"player": work.token} if one["player"] == work.name else one
        for one in found["entries"]
    ]
    told = found | {"reason": work.words.told(found["reason"]), "entries": entries}
    if told == found:
        return data
    return msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"


def _erase_lists(work: Erasing) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_reauditamount SET player = %s WHERE source = %s AND player = %s",
            [work.token, work.source, work.name],
        )
        work.counts["amount of a re-audit"] += cursor.rowcount
    names = Q(old_name=work.name) | Q(new_name=work.name)
    Rename.objects.filter(names, source=work.source).delete()
    Player.objects.filter(source=work.source, name=work.name).delete()
    shown = Q()
    for spelt in work.words.spellings:
        shown |= Q(example__contains=spelt)
    FeedDrift.objects.filter(shown, source=work.source).update(example="")


_JOURNALLED = """
SELECT id, player, subject, detail FROM audit_journal
WHERE (source = %(source)s OR source IS NULL) AND EXISTS (
    SELECT FROM unnest(%(spellings)s::text[]) s (spelt)
    WHERE position(spelt in subject) > 0 OR position(spelt in detail::text) > 0
        OR position(spelt in player) > 0
)
ORDER BY id
"""


def _erase_journal(work: Erasing) -> None:
    """Who looked at what of the person, in the source or where none is named."""
    with connection.cursor() as cursor:
        cursor.execute(
            _JOURNALLED, {"source": work.source, "spellings": list(work.words.spellings)}
        )
        rows = cursor.fetchall()
    told = {}
    for pk, player, subject, detail in rows:
        before = json.loads(detail)
        after = work.words.told_json(before)
        now = work.token if player == work.name else player
        found = work.words.told(subject)
        if (now, found, after) != (player, subject, before):
            told[pk] = (now, found, after)
        work.left["row of the journal"] += work.words.stand_in(found) or work.words.stand_in(
            json.dumps(after, ensure_ascii=False)
        )
    open_rows(work, LeafKind.JOURNAL, told)
    for pk, (player, subject, detail) in told.items():
        JournalEntry.objects.filter(pk=pk).update(player=player, subject=subject, detail=detail)


def _erase_messages(work: Erasing) -> None:
    """Put the token into what webhooks were told of hands of the source, or will be told."""
    rows = WebhookDelivery.objects.filter(body__contains=_spelt(work))
    for pk, body in rows.values_list("pk", "body").iterator():
        message = json.loads(body)
        own = [
            one
            for one in message["findings"]
            if one["source"] == work.source and one["subject"] == work.name
        ]
        for one in own:
            one["subject"] = work.token
        if own:
            text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
            WebhookDelivery.objects.filter(pk=pk).update(body=text)
            work.counts["message to a webhook"] += 1


def _erase_report_runs(work: Erasing) -> None:
    """What runs of reports were asked for, and days that they have read: they read them again."""
    asked = ReportRun.objects.filter(
        parameters__source=work.source, parameters__player=work.name
    ).only("pk", "parameters")
    for run in asked:
        told = {**run.parameters, "player": work.token}
        ReportRun.objects.filter(pk=run.pk).update(parameters=told)
        work.counts["run of a report"] += 1
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM audit_reportpart WHERE position(%s::bytea in content) > 0",
            [_spelt(work).encode()],
        )


def _spelt(work: Erasing) -> str:
    """The name as it stands inside of JSON, which spells characters beyond ASCII as they are."""
    return json.dumps(work.name, ensure_ascii=False)[1:-1]


def _count_left(work: Erasing) -> None:
    """What is another source's, and lines that are not judged yet: they become hands, or refused
    lines, and the act is to be gone on with then."""
    work.left["act of the journal elsewhere"] = JournalEntry.objects.filter(
        player=work.name
    ).count()
    spelt = [one.encode() for one in work.words.spellings]
    uploads = UploadSource.objects.filter(source=work.source).values("upload")
    chunks = Chunk.objects.filter(upload__in=uploads).exclude(payload=b"")
    work.left["part of an upload that is not judged"] = sum(
        any(one in (unpacked_or_none(payload) or b"") for one in spelt)
        for payload in chunks.values_list("payload", flat=True).iterator()
    )
