"""Who asks: what the one who sent a request may do, and what the journal keeps of the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from audit.selectors.access import Access, Act, Sources, access_of
from audit.selectors.players import is_name
from audit.services.journal import LIES_IN, lies_outside, record, record_refused
from audit.services.visits import Caller

ACCESS = "_tilecourt_access"
USE = "_tilecourt_use"
REFUSED = "_tilecourt_refused"
SHOWN = "_tilecourt_shown"
# Where the session of a browser has the number of its visit.
VISIT = "visit"
# Written down under these names in an address, or in its query; and under TEXT_KEY, where a list of
# hands takes a name, an id or how either begins, if it is the name of somebody.
PLAYER_KEYS = ("player", "met")
TEXT_KEY = "q"
# What says nothing about a hand or a person, and is asked for again and again.
NOT_JOURNALLED = frozenset({Act.OWN_ACCOUNT, Act.SEE_RULES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What a request was let in for."""

    access: Access
    act: Act
    is_journalled: bool


def access_of_request(request: HttpRequest) -> Access:
    """What the sender may do, asked of the store once a request.

    A key of the API narrows it: `audit.api.authentication` puts that here itself. What a browser's
    session may do does not stand for the account that a program's key names.
    """
    known = getattr(request, ACCESS, None)
    if isinstance(known, Access) and known.account_id == request.user.pk:
        return known
    visit = request.session.get(VISIT) if hasattr(request, "session") else None
    access = replace(access_of(request.user), address=address_of(request), visit_id=visit)
    set_access(request, access)
    return access


def sources_of_request(request: HttpRequest) -> Sources:
    """In which sources that may be done which `needs` let the request in for."""
    use = getattr(request, USE, None)
    assert isinstance(use, Use), "`needs` stands on every view"
    return use.access.sources(use.act)


def caller_of(request: HttpRequest) -> Caller:
    """From where a request came, as the server or the proxy before it has it."""
    port = str(request.META.get("REMOTE_PORT") or "")
    return Caller(
        address=address_of(request),
        port=int(port) if port.isascii() and port.isdecimal() and len(port) < 6 else None,
        agent=request.headers.get("User-Agent", ""),
    )


def address_of(request: HttpRequest) -> str | None:
    """The caller's address; behind a proxy of ours the one that it put last, for the others are
    the caller's own words. None where there is none, as on a Unix socket."""
    told = str(request.META.get("REMOTE_ADDR") or "")
    if settings.TILECOURT_BEHIND_PROXY:
        told = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or told
    try:
        return str(ip_address(told))
    except ValueError:
        return None


def set_access(request: HttpRequest, access: Access) -> None:
    """Let this be what the sender may do."""
    setattr(request, ACCESS, access)


def note_use(request: HttpRequest, act: Act, *, is_journalled: bool) -> None:
    """Say for what a request was let in; the journal is written when it has been answered."""
    setattr(request, USE, _use(request, act, is_journalled))


def note_refused(request: HttpRequest, act: Act, *, is_journalled: bool) -> None:
    """Say what the sender, who is signed in, was not let in for."""
    setattr(request, REFUSED, _use(request, act, is_journalled))


def _use(request: HttpRequest, act: Act, is_journalled: bool) -> Use:
    is_journalled = is_journalled and act not in NOT_JOURNALLED
    return Use(access=access_of_request(request), act=act, is_journalled=is_journalled)


def note_shown(
    request: HttpRequest,
    *,
    source: str | None = None,
    player: str | None = None,
    other: str | None = None,
    hand: int | None = None,
    rows: int | None = None,
) -> None:
    """Say what the answer is about, where the address does not: the source, the player, another
    one, and the hand of what is shown, and how many rows a search gave. The journal keeps it."""
    known: dict[str, Any] = getattr(request, SHOWN, {})
    told = {"source": source, "player": player, "other": other, "hand": hand, "rows": rows}
    setattr(request, SHOWN, known | {name: one for name, one in told.items() if one is not None})


class Journalled:
    """Writes each answered request on hands and people into the journal.

    It stands around every page and the API alike, so that no view can forget it: what was let in by
    `needs` and answered with 2xx is written down before the answer leaves. An answer that cannot be
    written down is not given. So is what somebody with an account was refused: an act that they may
    not do at all (403), and what lies in a source that they may not see (404).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        use = getattr(request, USE, None)
        if isinstance(use, Use) and use.is_journalled and 200 <= response.status_code < 400:
            _write(request, use, response.status_code)
        elif (refused := _refused(request, response.status_code)) is not None:
            _write_refused(request, refused, response.status_code)
        return response


def _refused(request: HttpRequest, status: int) -> Use | None:
    """For what a request was refused, where that is written down."""
    refused, use = getattr(request, REFUSED, None), getattr(request, USE, None)
    if isinstance(refused, Use) and status == 403:
        return refused if refused.is_journalled else None
    if status != 404 or not isinstance(use, Use) or not use.is_journalled:
        return None
    match = request.resolver_match
    assert match is not None, "a request that was let in has a view"
    return use if lies_outside(match.kwargs, use.access.sources(use.act)) else None


def _write_refused(request: HttpRequest, use: Use, status: int) -> None:
    match = request.resolver_match
    assert match is not None, "a request that was refused has a view"
    hand = match.kwargs.get("hand")
    for player in _people(request, use) or (None,):
        record_refused(
            access=use.access,
            act=use.act,
            subject=_subject(request, match.kwargs),
            status=status,
            hand=hand if isinstance(hand, int) else None,
            player=player,
        )


def _people(request: HttpRequest, use: Use) -> tuple[str, ...]:
    """The players that a request is about: those of what it shows, and those it asks for."""
    shown: Mapping[str, Any] = getattr(request, SHOWN, {})
    told = [shown.get("player"), shown.get("other")]
    asked = [] if told[0] is not None else [request.GET.get(key) for key in PLAYER_KEYS]
    text = request.GET.get(TEXT_KEY)
    if text and told[0] is None and is_name(text, sources=use.access.sources(use.act)):
        asked.append(text)
    return tuple(dict.fromkeys(one for one in (*told, *asked) if one))


def _write(request: HttpRequest, use: Use, status: int) -> None:
    match = request.resolver_match
    assert match is not None, "a request that was let in has a view"
    # All of it, which the length of an address bounds: else some words that mean nothing, put in
    # front, would hide what was asked for.
    query = {key: request.GET.getlist(key) for key in request.GET}
    named: Mapping[str, Any] = match.kwargs
    shown: Mapping[str, Any] = getattr(request, SHOWN, {})
    hand = shown.get("hand", named.get("hand"))
    source = shown.get("source") or named.get("source")
    if source is None and not any(isinstance(named.get(name), int) for name in LIES_IN):
        # Of what lies in a source that is looked up: who names another one hides nothing. One that
        # the sender may not see is named to nobody who watches over it: he is none of its people.
        asked = request.GET.get("source")
        source = asked if asked and use.access.may_in(use.act, asked) else None
    counted = {"shown": shown["rows"]} if "rows" in shown else {}
    # One row for each person, so that whoever looks one up finds it.
    for player in _people(request, use) or (None,):
        record(
            access=use.access,
            act=use.act,
            subject=_subject(request, named),
            source=source or None,
            hand=hand if isinstance(hand, int) else None,
            player=player,
            detail={"status": status} | counted | ({"asked": query} if query else {}),
            numbers=named,
        )


def _subject(request: HttpRequest, named: Mapping[str, Any]) -> str:
    """Such as `GET step hand:12 number:7`."""
    assert request.resolver_match is not None
    name = request.resolver_match.url_name or request.resolver_match.view_name
    return " ".join(
        [f"{request.method} {name}", *(f"{key}:{value}" for key, value in named.items())]
    )
