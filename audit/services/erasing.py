"""Erasing a person: the name goes out of every row that holds it, and its salt out of the vault.

The log still verifies, and so does each verdict: leaves hold commitments where the name was, and
what is left of a record is what they were made over. It goes batch by batch and may be stopped and
gone on with; the salt goes last, when nothing that was sealed holds the name any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from audit.models import (
    Erasure,
    ErasureState,
    Hand,
    HandVersion,
    NameSalt,
    Player,
    RetentionRun,
    RetentionState,
)
from audit.selectors.access import Access, Act
from audit.selectors.veiled_rows import name_salts, unpacked_or_none
from audit.services.erasing_free_texts import Mention, erase_free_texts, mentions
from audit.services.erasing_reports import erase_reports, reports_naming
from audit.services.erasing_rows import Erasing, at_work, counts_of, erase_hands, gather_places
from audit.services.erasing_texts import erase_files, erase_texts
from audit.services.erasing_words import Words
from audit.services.journal import record
from audit.services.sealing import LOCK, seal
from audit.services.texts import written
from replay.evidence import is_token, names_of, token_of

HANDS_AT_ONCE = 200
TEXT_MAX = 2_000
PASSES_MAX = 20

# How many were rewritten, and how many there are.
Progress = Callable[[int, int], None]


class ErasureRefused(Exception):
    """Something that cannot be as things stand; the text is a sentence."""


def erase_person(
    *,
    access: Access,
    source: str,
    name: str,
    reason: str,
    ground: str,
    on_progress: Progress | None = None,
    on_reports: Progress | None = None,
) -> int:
    """Erase the name of a person at a source; gives the number of the act.

    `ground` is by what right it is asked for. An act over the same name that was stopped is gone on
    with. `on_progress` hears how many hands were rewritten, and how many there are; `on_reports`
    the same of reports.
    Raises: ErasureRefused; as `seal` does.
    """
    by = _who(access, source)
    reason, ground = _text(reason, name), _text(ground, name)
    _check_runs(source, name)
    # Every row that stands there gets its leaf, and every name its salt.
    seal()
    token = _token(source, name)
    with transaction.atomic():
        act, is_new = Erasure.objects.get_or_create(
            source=source,
            token=token,
            defaults={"reason": reason, "ground": ground, "asked_by_id": by},
        )
        if is_new:
            record(
                access=access,
                act=Act.MANAGE_RETENTION,
                subject=f"erasure:{act.pk}",
                source=source,
                player=token,
            )
    work = Erasing(act=act.pk, source=source, name=name, token=token)
    _erase(work, on_progress, on_reports)
    return act.pk


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What an erasure would rewrite: how many hands, which reports, and which texts that somebody
    wrote. `elsewhere` are other sources in which somebody has the same name: what belongs to no
    source may be about that person, and has the token then, too."""

    hands: int
    reports: tuple[int, ...]
    texts: tuple[Mention, ...]
    elsewhere: tuple[str, ...]


def reach_of(*, access: Access, source: str, name: str) -> Reach:
    """What an erasure of this name would rewrite; nothing is. That it was asked is journalled.

    Raises: ErasureRefused where nobody of this name is known, or it is not for this account.
    """
    _who(access, source)
    work = Erasing(act=0, source=source, name=name, token=_trial_token(source, name))
    record(
        access=access,
        act=Act.MANAGE_RETENTION,
        subject="what names a person",
        source=source,
        player=name,
    )
    named = Player.objects.filter(name=name).exclude(source=source)
    return Reach(
        hands=len(_hands(work)),
        reports=tuple(reports_naming(work)),
        texts=tuple(mentions(work)),
        elsewhere=tuple(named.order_by("source").values_list("source", flat=True)),
    )


def _trial_token(source: str, name: str) -> str:
    known = NameSalt.objects.filter(source=source, name=name).exists()
    if is_token(name) or not (
        known or Hand.objects.filter(source=source, players__contains=[name]).exists()
    ):
        raise ErasureRefused("Nobody of this name is known at this source.")
    return token_of(b"", name)


def _token(source: str, name: str) -> str:
    """What will stand for a name. One that was sealed before there were salts gets one now."""
    named = Hand.objects.filter(source=source, players__contains=[name])
    salts = name_salts({(source, name)}, is_making=not is_token(name) and named.exists())
    if (source, name) not in salts:
        raise ErasureRefused("Nobody of this name is known at this source.")
    return token_of(salts[source, name], name)


def _erase(work: Erasing, on_progress: Progress | None, on_reports: Progress | None) -> None:
    for _ in range(PASSES_MAX):
        _rewrite_hands(work, on_progress)
        gather_places(work)
        work.left.clear()
        with at_work(work):
            erase_files(work)
            erase_texts(work)
            erase_free_texts(work)
        erase_reports(work, on_reports)
        seal()
        if _end(work):
            seal()
            return
    raise ErasureRefused("Hands with this name keep coming in: stop them, and go on then.")


def _rewrite_hands(work: Erasing, on_progress: Progress | None) -> None:
    keys = _hands(work)
    for start in range(0, len(keys), HANDS_AT_ONCE):
        batch = keys[start : start + HANDS_AT_ONCE]
        with at_work(work):
            erase_hands(work, batch)
        if on_progress is not None:
            on_progress(start + len(batch), len(keys))


def _hands(work: Erasing) -> list[int]:
    """The hands that name the person, now or in a version that no longer holds."""
    named = Hand.objects.filter(source=work.source, players__contains=[work.name])
    keys = set(named.values_list("pk", flat=True))
    keys |= set(_in_other_versions(work))
    return sorted(keys)


def _in_other_versions(work: Erasing) -> Iterator[int]:
    several = HandVersion.objects.filter(number__gte=2).values("hand_id")
    rows = HandVersion.objects.filter(hand_id__in=several, hand__source=work.source)
    for hand, raw in rows.values_list("hand_id", "raw").iterator():
        try:
            if work.name in names_of(unpacked_or_none(raw) or b""):
                yield hand
        except ValueError:
            continue


def _end(work: Erasing) -> bool:
    """Take the salt out of the vault where nothing sealed holds the name; tells whether it did."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Nothing is sealed meanwhile, so no leaf comes to rest on a salt that goes.
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        if _hands(work) or reports_naming(work):
            return False
        NameSalt.objects.filter(source=work.source, name=work.name).delete()
        Erasure.objects.filter(pk=work.act).update(
            state=ErasureState.DONE,
            finished_at=timezone.now(),
            counts=counts_of(work),
            left={name: count for name, count in sorted(work.left.items()) if count},
        )
    return True


def _who(access: Access, source: str) -> int:
    if access.account_id is None:
        raise ErasureRefused("Somebody must do this: name an account.")
    if not access.may_in(Act.MANAGE_RETENTION, source):
        raise ErasureRefused("This account may not erase anybody at this source.")
    return access.account_id


def _text(text: str, name: str) -> str:
    found = written(text)
    if not found or len(found) > TEXT_MAX or "\x00" in found:
        raise ErasureRefused(
            f"A reason and a ground are needed, of {TEXT_MAX:,} characters at most."
        )
    if Words(name, "").told(found) != found:
        raise ErasureRefused("A reason and a ground stay: say them without the name.")
    return found


def _check_runs(source: str, name: str) -> None:
    """A retention run that goes on says its reason again at its end: that has to be first."""
    words = Words(name, "")
    runs = RetentionRun.objects.exclude(state=RetentionState.DONE).order_by("pk")
    for pk, reason in runs.filter(Q(source=source) | Q(source=None)).values_list("pk", "reason"):
        if words.told(reason) != reason:
            raise ErasureRefused(
                f"Retention run {pk} is not done, and its reason names the person: go on with it"
                f" first (manage.py retention --resume {pk})."
            )
