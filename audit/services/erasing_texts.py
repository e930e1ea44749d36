"""Rewriting what is no hand: files, refused lines, certificates, the desk, the journal, lists.

What stands under a commitment of its own loses its salt when it is rewritten. What only a person
can judge (a report that was given out, a filter that was saved) is counted and said.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import quote, quote_plus

from django.db import connection
from django.db.models import Q

from audit.models import (
    BulkAct,
    Certificate,
    Claim,
    FeedDrift,
    HoldEnd,
    JournalEntry,
    LeafKind,
    LegalHold,
    NameDecision,
    Player,
    Reaudit,
    Refusal,
    RemedyEntry,
    RemedyExport,
    Rename,
    ReportRun,
    RowSalt,
    SavedFilter,
    ShareLink,
    Upload,
    WebhookAttempt,
    WebhookDelivery,
)
from audit.models.uploads import UploadSource
from audit.selectors.sealed_rows import SEALED, read_rows
from audit.selectors.veiled_rows import commitment_of, kept_commitments, row_salts, unpacked_or_none
from audit.services.erasing_rows import Erasing
from replay.evidence import SALT_BYTES, sealed


def erase_files(work: Erasing) -> None:
    """Put commitments for the hashes of files that brought the name, and forget refused lines and
    certificates that could betray it."""
    salts = _open(work, LeafKind.UPLOAD, work.uploads)
    for pk, name, reason, sha256 in Upload.objects.filter(pk__in=work.uploads).values_list(
        "pk", "name", "restatement", "sha256"
    ):
        if sha256 is None or pk not in salts:
            continue
        Upload.objects.filter(pk=pk).update(
            name=name.replace(work.name, work.token)[:255],
            restatement=reason.replace(work.name, work.token),
            sha256=sealed(salts[pk], bytes(sha256)),
        )
    _erase_refusals(work)
    _erase_certificates(work)


def _open(work: Erasing, kind: LeafKind, rows: Iterable[int]) -> dict[int, bytes]:
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


def _erase_refusals(work: Erasing) -> None:
    """Forget refused lines that hold the name, in files that have to do with the source."""
    uploads = set(UploadSource.objects.filter(source=work.source).values_list("upload", flat=True))
    named = {work.name.encode(), json.dumps(work.name)[1:-1].encode()}
    rows = Refusal.objects.filter(upload__in=uploads | work.uploads).values_list(
        "pk", "raw", "reason"
    )
    found = {}
    for pk, raw, reason in rows.iterator():
        line = b"" if raw is None else unpacked_or_none(raw) or b""
        if work.name in reason or any(one in line for one in named):
            found[pk] = reason
    _open(work, LeafKind.REFUSAL, found)
    for pk, reason in found.items():
        told = reason.replace(work.name, work.token)
        Refusal.objects.filter(pk=pk).update(raw=None, sha256=None, reason=told)


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
    salts = _open(work, LeafKind.CERTIFICATE, [pk for pk, _, _ in rows])
    for pk, facts, content in rows:
        if pk not in salts:
            continue
        told = _without_hashes(json.loads(content), salts[pk])
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        text = text.replace(work.name, work.token) if work.name in text else text
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


def erase_texts(work: Erasing) -> dict[str, int]:
    """Rewrite the desk, the journal and the lists of names; gives what is left, in words."""
    _erase_desk(work)
    _erase_lists(work)
    _erase_messages(work)
    _erase_report_runs(work)
    return _left(work)


def _erase_desk(work: Erasing) -> None:
    token, name = work.token, work.name
    claims = Claim.objects.filter(source=work.source).filter(
        Q(player=name) | Q(text__contains=name)
    )
    _open(work, LeafKind.CLAIM, claims.values_list("pk", flat=True))
    for claim in claims.only("pk", "player", "text"):
        Claim.objects.filter(pk=claim.pk).update(
            player=token if claim.player == name else claim.player,
            text=claim.text.replace(name, token),
        )
    entries = RemedyEntry.objects.filter(remedy__case__source=work.source, player=name)
    keys = list(entries.values_list("pk", flat=True))
    _open(work, LeafKind.REMEDY_ENTRY, keys)
    RemedyEntry.objects.filter(pk__in=keys).update(player=token)
    _erase_exports(work)
    _replace(work, LeafKind.CASE_ACT, "audit_caseact", "text",
             "t.case_id IN (SELECT id FROM audit_case WHERE source = %(source)s)")  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_caseamount t SET player = %(token)s FROM audit_casehand m"
            " JOIN audit_case c ON c.id = m.case_id"
            " WHERE t.member_id = m.id AND c.source = %(source)s AND t.player = %(name)s",
            {"token": token, "source": work.source, "name": name},
        )
        work.counts["amount of a case"] += cursor.rowcount
    decisions = NameDecision.objects.filter(source=work.source).filter(
        Q(name=name) | Q(other=name) | Q(reason__contains=name)
    )
    rows = list(decisions.values_list("pk", "name", "other", "reason"))
    _open(work, LeafKind.NAME_DECISION, [pk for pk, *_ in rows])
    for pk, first, other, reason in rows:
        pair = sorted(token if one == name else one for one in (first, other))
        NameDecision.objects.filter(pk=pk).update(
            name=pair[0], other=pair[1], reason=reason.replace(name, token)
        )


def _erase_exports(work: Erasing) -> None:
    """Files of remedies, byte for byte but for the name."""
    exports = RemedyExport.objects.filter(remedy__case__source=work.source)
    spelt = {work.name.encode(), json.dumps(work.name)[1:-1].encode()}
    rows = [
        (pk, bytes(csv), bytes(text))
        for pk, csv, text in exports.values_list("pk", "csv", "json")
        if any(one in bytes(csv) or one in bytes(text) for one in spelt)
    ]
    _open(work, LeafKind.REMEDY_EXPORT, [pk for pk, _, _ in rows])
    for pk, csv, text in rows:
        told = _told(csv, spelt, work), _told(text, spelt, work)
        RemedyExport.objects.filter(pk=pk).update(csv=told[0], json=told[1])


def _told(data: bytes, spelt: set[bytes], work: Erasing) -> bytes:
    for one in spelt:
        data = data.replace(one, work.token.encode())
    return data


def _replace(work: Erasing, kind: LeafKind, table: str, column: str, condition: str) -> None:
    """Put the token for the name in a text, wherever it stands in it."""
    values = {"source": work.source, "name": work.name, "token": work.token}
    where = f"{condition} AND position(%(name)s in t.{column}) > 0"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT t.id FROM {table} t WHERE {where}", values)  # noqa: S608
        keys = [key for (key,) in cursor.fetchall()]
        _open(work, kind, keys)
        cursor.execute(
            f"UPDATE {table} t SET {column} = replace(t.{column}, %(name)s, %(token)s)"  # noqa: S608
            " WHERE t.id = ANY(%(keys)s)",
            {**values, "keys": keys},
        )


_LISTS = (
    ("audit_reauditamount", "player = %(token)s", "source = %(source)s AND player = %(name)s"),
    (
        "audit_journal",
        """
        player = CASE WHEN player = %(name)s THEN %(token)s ELSE player END,
        subject = replace(subject, %(name)s, %(token)s),
        detail = replace(detail::text, %(spelt)s, %(token)s)::jsonb
        """,
        """
        (player = %(name)s OR position(%(name)s in subject) > 0
            OR position(%(spelt)s in detail::text) > 0)
        AND (source = %(source)s OR source IS NULL)
        """,
    ),
)


def _erase_lists(work: Erasing) -> None:
    spelt = _spelt(work)
    values = {"source": work.source, "name": work.name, "token": work.token, "spelt": spelt}
    with connection.cursor() as cursor:
        for table, sets, where in _LISTS:
            if table == "audit_journal":
                cursor.execute(f"SELECT id FROM {table} WHERE {where}", values)  # noqa: S608
                _open(work, LeafKind.JOURNAL, [key for (key,) in cursor.fetchall()])
            cursor.execute(f"UPDATE {table} SET {sets} WHERE {where}", values)  # noqa: S608
            work.counts[table.removeprefix("audit_")] += cursor.rowcount
    names = Q(old_name=work.name) | Q(new_name=work.name)
    Rename.objects.filter(names, source=work.source).delete()
    Player.objects.filter(source=work.source, name=work.name).delete()
    FeedDrift.objects.filter(source=work.source, example__contains=work.name).update(example="")


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


def _left(work: Erasing) -> dict[str, int]:
    """What may hold the name still, and only a person can judge."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM audit_report WHERE position(%s::bytea in json) > 0",
            [_spelt(work).encode()],
        )
        (reports,) = cursor.fetchone()
    named = Q(reason__contains=work.name)
    return {
        "reports that were given out": reports,
        "bulk acts": BulkAct.objects.filter(named).count(),
        "saved filters": SavedFilter.objects.filter(_asked(work.name)).count(),
        "re-audits": Reaudit.objects.filter(filter__icontains=_spelt(work)).count(),
        "acts of the journal elsewhere": JournalEntry.objects.filter(player=work.name).count(),
        "reasons of links": ShareLink.objects.filter(named).count(),
        "reasons of holds": LegalHold.objects.filter(named).count()
        + HoldEnd.objects.filter(named).count(),
        "answers of webhooks": WebhookAttempt.objects.filter(answer__contains=work.name).count(),
    }


def _asked(name: str) -> Q:
    """A name in a query, as it is and in both ways in which an address spells it."""
    return Q(query__contains=name) | Q(query__contains=quote(name)) | Q(
        query__contains=quote_plus(name)
    )  # fmt: skip
