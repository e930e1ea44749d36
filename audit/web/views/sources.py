"""Sources: the list, the page of one, and the page of a hand that a feed tells in part."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

import replay
from audit import importers, selectors
from audit.selectors.access import Act
from audit.selectors.rulesets_force import (
    COUNTED_MAX,
    Force,
    count_out_of_force,
    force_of_hand,
    list_periods,
)
from audit.selectors.sources import FeedRecord, feed_record, list_sources, source_detail
from audit.web.access import access_of_request, needs, sources_of_request
from audit.web.presenters.hands import present_head
from audit.web.presenters.sources import present_partial, present_source, present_sources


@needs(Act.SEE_SOURCES)
@never_cache
@require_safe
def source_list(request: HttpRequest) -> HttpResponse:
    """Every source with what it sends."""
    context = present_sources(list_sources(sources=sources_of_request(request))) | {
        "section": "sources"
    }
    return render(request, "sources/list.html", context)


@needs(Act.SEE_SOURCES)
@never_cache
@require_safe
def source_page(request: HttpRequest, source: str) -> HttpResponse:
    """One source: its hands, what its records lack, which fields nobody knows."""
    try:
        detail = source_detail(
            source,
            sources=sources_of_request(request),
            raw_sources=access_of_request(request).sources(Act.SEE_RAW),
        )
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    context = present_source(detail) | {
        "section": "sources",
        "periods": list_periods(sources=sources_of_request(request), source=source),
        "out_of_force": count_out_of_force(source),
        "out_of_force_most": COUNTED_MAX,
    }
    return render(request, "sources/source.html", context)


def force_of(hand: selectors.HandRow) -> Force:
    """What was in force when a hand was played, beside the ruleset that it is judged by."""
    return force_of_hand(
        source=hand.source, game=hand.game, ruleset=hand.ruleset, played_at=hand.played_at
    )


def feed_record_of(detail: selectors.HandDetail) -> FeedRecord | None:
    """The record of a hand, where it came from a feed; None for a hand log."""
    if not detail.version.feed:
        return None
    return feed_record(upload_id=detail.brought_by, raw=detail.raw, ruleset=detail.verdict.ruleset)


def feed_hand_page(
    request: HttpRequest, detail: selectors.HandDetail, record: FeedRecord
) -> HttpResponse:
    """A hand as far as its record tells it; it has no steps, for no feed tells their order."""
    context: dict[str, Any] = {"section": "hands", **present_head(detail)}
    context["force"] = force_of(detail.hand)
    # The mark for a zone that nobody knows is said in words here.
    context["played"] = context["played"].removesuffix(" -00:00")
    rulesets = selectors.current_rulesets()
    try:
        choose = importers.named(record.ruleset)
        readable, _ = importers.read(record.feed, record.raw, record.facts, choose=choose)
        audited = replay.judge_partial(readable, rulesets, record_sha256=detail.version.sha256)
    except replay.Refusal as refusal:
        return render(request, "sources/hand.html", context | {"problem": str(refusal)})
    ruleset = rulesets.get(readable.hand.ruleset)
    options = ruleset.options if ruleset is not None else {}
    context |= present_partial(readable, audited, record, options, detail.findings)
    return render(request, "sources/hand.html", context)


def feed_verdict(detail: selectors.HandDetail, record: FeedRecord) -> bytes:
    """The verdict as a line of verdict/1-partial, told again from the exact bytes.

    Raises: Http404 where they cannot be read now.
    """
    audited, _ = importers.judge(
        record.feed,
        record.raw,
        record.facts,
        selectors.current_rulesets(),
        file=detail.version.upload_name,
        number=detail.version.line,
        choose=importers.named(record.ruleset),
    )
    if audited.refusal is not None:
        raise Http404("This record cannot be read now.")
    return replay.format_verdict(audited.verdict) + b"\n"
