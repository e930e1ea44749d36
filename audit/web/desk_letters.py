"""Letters to players and case files: what was logged, what the rules give, what was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.http import require_safe

import replay
from audit import pdf
from audit.models import CaseState
from audit.selectors.access import Act
from audit.selectors.desk_books import RemedyRow, claimed_in_case, get_claim, remedies_of
from audit.selectors.desk_cases import ClaimRow, case_detail, get_case, list_acts
from audit.selectors.desk_exposure import exposure_of_case
from audit.selectors.desk_letters import (
    HANDS_MAX,
    Booked,
    booked_for,
    decision_of,
    letter_hands,
    members_of,
)
from audit.selectors.desk_queue import CaseRow
from audit.web import desk_words as words
from audit.web.access import needs, note_shown, sources_of_request
from audit.web.desk_figures import Notes, ToldHand, file_hand, tell_hand
from audit.web.desk_pages import SECTION
from audit.web.desk_pdf import file_pdf, letter_pdf
from audit.web.desk_present import act_line, player_lines, present_case
from audit.web.desk_requests import desk_view, user_of
from audit.web.desk_texts import LANGUAGES, TEXTS, Texts

NAME_MAX = 128
LETTER_HANDS = 20
FILED_PLAYERS = 1_000
FILED_ACTS = 500


def _texts(request: HttpRequest) -> Texts:
    texts = TEXTS.get(request.GET.get("lang", "en"))
    if texts is None:
        raise Http404("There is no such language.")
    return texts


@needs(Act.SEE_LETTERS, asks=("player", "lang"))
@desk_view
@require_safe
def case_letter(request: HttpRequest, case: int, form: str = "") -> HttpResponse:
    """A letter to one player about his hands in a case: `?player=Ann&lang=zh-hant`.

    `form` is "pdf" for a file, else it is a page.
    """
    player = request.GET.get("player", "")
    if not player or len(player) > NAME_MAX or "\0" in player:
        raise Http404("A letter is to a player.")
    row = get_case(case, sources=sources_of_request(request))
    ids, count = members_of(case, player=player, limit=LETTER_HANDS)
    if not ids:
        raise Http404("This player has no hand in this case.")
    return _letter(request, row, player, ids, count=count, form=form)


@needs(Act.SEE_LETTERS, asks=("lang",))
@desk_view
@require_safe
def claim_letter(request: HttpRequest, claim: int, form: str = "") -> HttpResponse:
    """The answer to a claim, about the hands that it names."""
    sources = sources_of_request(request)
    detail = get_claim(claim, sources=sources)
    ids = [one.pk for one in detail.hands][:HANDS_MAX]
    row = get_case(detail.row.case_pk, sources=sources)
    return _letter(
        request,
        row,
        detail.row.player,
        ids,
        count=len(detail.hands),
        form=form,
        claim=detail.row,
    )


def _letter(
    request: HttpRequest,
    row: CaseRow,
    player: str,
    ids: Sequence[int],
    *,
    count: int,
    form: str,
    claim: ClaimRow | None = None,
) -> HttpResponse:
    texts = _texts(request)
    note_shown(request, source=row.source, player=player)
    # A letter is in the language of whom it is to, whatever that of the page around it.
    with translation.override(texts.code):
        context = _told(row, player, texts, ids, count=count, claim=claim)
        if form:
            return letter_pdf(context)
    context |= {"languages": _languages(request), **_pdf_of(request)}
    return render(request, "desk/letter.html", SECTION | context)


def _told(
    row: CaseRow,
    player: str,
    texts: Texts,
    ids: Sequence[int],
    *,
    count: int,
    claim: ClaimRow | None,
) -> dict[str, Any]:
    """All that a letter says."""
    notes = Notes()
    hands = [tell_hand(hand, player, texts, notes) for hand in letter_hands(ids)]
    decided = decision_of(row.pk) if row.state == CaseState.DECIDED else None
    reference = f"K-{claim.pk}" if claim is not None else f"C-{row.pk}"
    return {
        "case": row,
        "claim": claim,
        "player": player,
        "texts": texts,
        "hands": hands,
        "notes": notes.all(),
        "reference": reference,
        "outcome": _outcome(hands, texts),
        "more": texts.filled("more_hands", shown=len(hands), count=count)
        if count > len(hands)
        else None,
        "you_said": texts.filled("you_said", day=f"{claim.claimed_at:%Y-%m-%d %H:%M} UTC")
        if claim is not None
        else None,
        "dear": texts.filled("dear", player=player),
        "decision": _decision(row, texts),
        "reason": texts.filled("reason", reason=decided.reason) if decided is not None else None,
        "signed": texts.filled("signed_by", name=decided.by) if decided is not None else None,
        "bookings": [_booking(one, texts) for one in booked_for(row.pk, player)],
        "answer": texts.filled("answer", reference=reference),
        "footer": texts.filled("footer", engine=replay.ENGINE),
        "day": timezone.now(),
    }


def _pdf_of(request: HttpRequest) -> dict[str, str | None]:
    """The way to the same as a file, where files can be set here."""
    path = request.path.removesuffix("/") + ".pdf"
    query = request.META.get("QUERY_STRING", "")
    return {"pdf_url": (f"{path}?{query}" if query else path) if pdf.is_installed() else None}


def _languages(request: HttpRequest) -> list[dict[str, Any]]:
    """The ways to the same letter in other languages."""
    links = []
    for code, (name, lang) in LANGUAGES.items():
        query = request.GET.copy()
        query["lang"] = code
        is_current = request.GET.get("lang", "en") == code
        links.append(
            {"name": name, "lang": lang, "url": f"?{query.urlencode()}", "is_current": is_current}
        )
    return links


def _outcome(hands: Sequence[ToldHand], texts: Texts) -> list[str]:
    """What is owed by these hands, a sentence a currency; nothing is set off between two."""
    sums: dict[tuple[str, int], int] = defaultdict(int)
    unknown = 0
    for one in hands:
        if one.owed is None:
            unknown += 1
        else:
            sums[one.hand.currency, one.hand.minor_digits] += one.owed
    told = [
        texts.filled(
            "owed" if owed > 0 else "too_much",
            amount=f"{currency} {replay.format_minor(abs(owed), digits)}",
        )
        for (currency, digits), owed in sorted(sums.items())
        if owed
    ]
    if sums and not told:
        told.append(texts["even"])
    if unknown:
        told.append(texts.filled("unknown", count=unknown))
    return told


def _decision(row: CaseRow, texts: Texts) -> str:
    if row.state == CaseState.DECIDED:
        return texts[row.decision]
    return texts["withdrawn"] if row.state == CaseState.WITHDRAWN else texts["open"]


def _booking(booked: Booked, texts: Texts) -> str:
    money = booked.money
    key = "credit" if money.minor > 0 else "debit"
    if booked.state == "proposed":
        key += "_waits"
    amount = f"{money.currency} {replay.format_minor(abs(money.minor), money.digits)}"
    return texts.filled(key, amount=amount, remedy=f"R-{booked.remedy_pk}")


@needs(Act.SEE_DESK)
@desk_view
@require_safe
def case_file(request: HttpRequest, case: int, form: str = "") -> HttpResponse:
    """All that a case holds, to be printed: exposure, hands with each figure, acts, remedies."""
    sources = sources_of_request(request)
    detail = case_detail(case, sources=sources)
    note_shown(request, source=detail.row.source)
    ids, count = members_of(case)
    every = list(dict.fromkeys([*claimed_in_case(case), *ids]))
    hands = [file_hand(one) for one in letter_hands(every)]
    exposure = exposure_of_case(case, limit=FILED_PLAYERS)
    context = present_case(detail, user_id=user_of(request).pk, left=False)
    context |= {
        "players": player_lines(exposure),
        "hands": hands,
        "hand_total": count,
        "acts": [
            act_line(one) for one in reversed(list_acts(case, sources=sources, limit=FILED_ACTS))
        ],
        "books": [_book(one) for one in remedies_of(case)],
        "day": timezone.now(),
        "address": request.build_absolute_uri(reverse("case", args=(case,))),
    }
    if form:
        return file_pdf(context)
    return render(request, "desk/file.html", SECTION | context | _pdf_of(request))


def _book(remedy: RemedyRow) -> dict[str, Any]:
    return {
        "remedy": remedy,
        "entries": [
            (one, words.signed(one.money.minor, one.money.digits)) for one in remedy.entries
        ],
    }
