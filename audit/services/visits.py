"""Stays from signing in to signing out, and the log of attempts to come in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import F
from django.utils import timezone

from audit.models import SignIn, SignInOutcome, SignInWay, Visit, VisitEnd

NAME_MAX = 150
AGENT_MAX = 200
# How exactly it is kept when somebody was seen last: a write a request would cost more.
SEEN_EXACT_TO = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """From where a request came: address and port as the server has them, and the browser."""

    address: str | None
    port: int | None = None
    agent: str = ""


class Standing(Enum):
    """Whether a visit goes on."""

    OPEN = auto()
    IDLE = auto()
    OLD = auto()
    ENDED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """How a visit stands, and whether its account must choose another password first."""

    standing: Standing
    must_change: bool = False


def begin_visit(*, account_id: int, caller: Caller) -> int:
    """Write down that somebody came in; gives the visit's number."""
    return Visit.objects.create(
        account_id=account_id,
        address=caller.address,
        port=caller.port,
        agent=_kept(caller.agent, AGENT_MAX),
    ).pk


def continue_visit(
    *, visit_id: int, account_id: int, idle: timedelta, longest: timedelta
) -> Continued:
    """Say whether a visit still goes on, and write down that it does; one that is over ends here.

    A visit of another account, or none, has ended. One query where nothing is to be written.
    """
    visit = (
        Visit.objects.filter(pk=visit_id, account_id=account_id)
        .values_list("started_at", "seen_at", "ended_at", "account__staff__must_change")
        .first()
    )
    if visit is None or visit[2] is not None:
        return Continued(standing=Standing.ENDED)
    started_at, seen_at, _, must_change = visit
    now = timezone.now()
    if now - started_at >= longest:
        end_visit(visit_id=visit_id, how=VisitEnd.AGE, at=started_at + longest)
        return Continued(standing=Standing.OLD)
    if now - seen_at >= idle:
        end_visit(visit_id=visit_id, how=VisitEnd.IDLE, at=seen_at + idle)
        return Continued(standing=Standing.IDLE)
    if now - seen_at >= SEEN_EXACT_TO:
        Visit.objects.filter(pk=visit_id, ended_at=None, seen_at__lt=now).update(seen_at=now)
    return Continued(standing=Standing.OPEN, must_change=bool(must_change))


def end_visit(*, visit_id: int, how: VisitEnd, at: datetime | None = None) -> bool:
    """End a visit that has not ended; whether it was there to be ended."""
    ended = Visit.objects.filter(pk=visit_id, ended_at=None)
    return bool(ended.update(ended_at=at or timezone.now(), ended_how=how))


def end_idle_visits(*, idle: timedelta) -> int:
    """End the visits whose browsers never came back, as of when they were idle for too long; and
    forget sessions that no browser can show any more."""
    SessionStore.clear_expired()
    late = Visit.objects.filter(ended_at=None, seen_at__lte=timezone.now() - idle)
    return late.update(ended_at=F("seen_at") + idle, ended_how=VisitEnd.IDLE)


def end_visits_of(*, account_id: int, how: VisitEnd, but: int | None = None) -> int:
    """End all visits of an account, but for one; gives how many."""
    open_ones = Visit.objects.filter(account_id=account_id, ended_at=None)
    if but is not None:
        open_ones = open_ones.exclude(pk=but)
    return open_ones.update(ended_at=timezone.now(), ended_how=how)


def note_attempt(
    *,
    name: str,
    way: SignInWay,
    outcome: SignInOutcome,
    caller: Caller,
    visit_id: int | None = None,
) -> None:
    """Write an attempt to come in into the log, whether or not there is such an account."""
    kept = _kept(name, NAME_MAX)
    account = None
    if way != SignInWay.KEY and kept == name:
        account = User.objects.filter(username=name).values_list("pk", flat=True).first()
    SignIn.objects.create(
        name=kept,
        account_id=account,
        way=way,
        outcome=outcome,
        address=caller.address,
        port=caller.port,
        visit=visit_id,
    )


def _kept(text: str, most: int) -> str:
    return text[:most].replace("\x00", "�").encode("utf-8", "replace").decode()
