"""The journal: who looked at what. A row without an actor is refused, not left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from django.db import connection, transaction

from audit.models import Case, Certificate, Claim, Hand, Remedy
from audit.models.journal import JournalEntry
from audit.selectors.access import Access, Act, Sources
from audit.selectors.belonging import holds
from audit.selectors.prepared import prepared_row

SUBJECT_MAX = 500
NAME_MAX = 128
DETAIL_MAX = 2_000
# What lies in one source, by the word for its number in an address, and where the source stands.
LIES_IN: Mapping[str, tuple[Any, str]] = {
    "hand": (Hand, "source"),
    "case": (Case, "source"),
    "claim": (Claim, "source"),
    "remedy": (Remedy, "case__source"),
    "certificate": (Certificate, "source"),
}
# So many refusals of an account are rows, each minute; who tries on fills a counter and no log.
REFUSED_MAX = 20
_WRITE = """\
INSERT INTO "audit_journal" (
    account_id, actor, act, subject, source, hand, player, detail, address, visit, key
) VALUES (
    %(account)s, %(actor)s, %(act)s, %(subject)s, %(source)s, %(hand)s, %(player)s, %(detail)s,
    %(address)s, %(visit)s, %(key)s
)
"""
_COUNT = """
INSERT INTO audit_refusedminute AS m (account_id, minute, count, act)
VALUES (%(account)s, date_trunc('minute', now()), 1, %(act)s)
ON CONFLICT (account_id, minute) DO UPDATE SET count = m.count + 1, act = excluded.act
RETURNING count
"""
_OVER = """
DELETE FROM audit_refusedminute m USING auth_user u
WHERE u.id = m.account_id AND m.minute < date_trunc('minute', now())
RETURNING m.account_id, u.username, m.minute, m.count, m.act
"""


class JournalRefused(Exception):
    """Something that nobody did, or that is about nothing."""


def record(
    *,
    access: Access,
    act: Act,
    subject: str,
    source: str | None = None,
    hand: int | None = None,
    player: str | None = None,
    detail: Mapping[str, Any] | None = None,
    numbers: Mapping[str, Any] | None = None,
) -> None:
    """Write down that somebody did an act on a subject, such as `hand:12`.

    `hand` and `player` are what the journal is searched by. Where no source is given it is found by
    the hand, or by what else of LIES_IN is among `numbers`. Texts that came from outside are cut to
    what the journal keeps; a NUL, which the store cannot hold, is shown as �.
    Raises: JournalRefused without an actor or a subject.
    """
    if not access.name or not subject:
        raise JournalRefused("The journal keeps nothing without an actor and a subject.")
    if source is None:
        source = _source_of({**(numbers or {}), "hand": hand})
    prepared_row(
        _WRITE,
        {
            "account": access.account_id,
            "actor": access.name,
            "act": act.value,
            "subject": _kept(subject, SUBJECT_MAX),
            "source": None if source is None else _kept(source, NAME_MAX),
            "hand": hand,
            "player": None if player is None else _kept(player, NAME_MAX),
            "detail": json.dumps(_value(detail or {})),
            "address": access.address,
            "visit": access.visit_id,
            "key": access.key_id,
        },
    )


def lies_outside(numbers: Mapping[str, Any], sources: Sources) -> bool:
    """Whether what an address names by its number is there, in a source that is none of these."""
    for name, (model, column) in LIES_IN.items():
        if isinstance(key := numbers.get(name), int):
            source = model.objects.filter(pk=key).values_list(column, flat=True).first()
            return source is not None and not holds(sources, source)
    return False


@transaction.atomic
def record_refused(
    *,
    access: Access,
    act: Act,
    subject: str,
    status: int,
    hand: int | None = None,
    player: str | None = None,
) -> None:
    """Write down that somebody was refused an act, REFUSED_MAX times a minute; the rest is counted.

    No source is named, whatever the subject lies in: who watches over that source would learn names
    of the people of another, and who watches over those that the other source is there. So these
    rows are for auditors of every source.
    Raises: JournalRefused without an actor.
    """
    if access.account_id is None:
        raise JournalRefused("Refusals are of those who have an account.")
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"account": access.account_id, "act": act.value})
        (count,) = cursor.fetchone()
    if count > REFUSED_MAX:
        return
    JournalEntry.objects.create(
        account_id=access.account_id,
        actor=access.name,
        act=act.value,
        subject=_kept(subject, SUBJECT_MAX),
        hand=hand,
        player=None if player is None else _kept(player, NAME_MAX),
        detail={"status": status, "refused": True},
        address=access.address,
        visit=access.visit_id,
        key=access.key_id,
    )


@transaction.atomic
def record_counted_refusals() -> int:
    """Tell of each minute that is over how many refusals it had beyond those that are rows, and
    forget its counter; gives how many rows that made."""
    with connection.cursor() as cursor:
        cursor.execute(_OVER)
        over = cursor.fetchall()
    told = [
        JournalEntry(
            account_id=account,
            actor=name,
            act=act,
            subject="refused attempts",
            detail={
                "refused": True,
                "more": count - REFUSED_MAX,
                "minute": minute.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ"),
            },
        )
        for account, name, minute, count, act in over
        if count > REFUSED_MAX
    ]
    JournalEntry.objects.bulk_create(told)
    return len(told)


def _source_of(numbers: Mapping[str, Any]) -> str | None:
    """The source in which something lies; None for nothing."""
    for name, (model, column) in LIES_IN.items():
        if isinstance(key := numbers.get(name), int):
            source: str | None = model.objects.filter(pk=key).values_list(column, flat=True).first()
            return source
    return None


def _kept(text: str, most: int) -> str:
    return text[:most].replace("\x00", "�").encode("utf-8", "replace").decode()


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return _kept(value, DETAIL_MAX)
    if isinstance(value, Mapping):
        return {_kept(key, NAME_MAX): _value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_value(one) for one in value]
    return value
