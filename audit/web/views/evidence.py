"""The log of evidence: its heads, its key, the software check; and the bundle of a hand."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from audit.models import Hand
from audit.selectors.access import Act
from audit.selectors.diagnosis_evidence import seal_trouble, software_trouble
from audit.selectors.evidence import HeadRow, LogDamaged, latest_heads, seal_figures
from audit.selectors.seal_keys import SealKeyMissing, read_keys
from audit.selectors.software import latest_accepted, latest_checks
from audit.services.bundling import BundleRefused, bundle_hand
from audit.services.sealing import SealRefused
from audit.web.access import needs, sources_of_request
from audit.web.views.viewer import refuse_others

HEADS_SHOWN = 20


@needs(Act.SEE_EVIDENCE)
@never_cache
@require_safe
def evidence_page(request: HttpRequest) -> HttpResponse:
    """What was sealed last, by which key, and what the software check found."""
    context: dict[str, Any] = {
        "section": "evidence",
        "figures": seal_figures(),
        "heads": latest_heads(HEADS_SHOWN),
        "keys": _keys(),
        "seal_trouble": seal_trouble(),
        "software_trouble": software_trouble(),
        "accepted": latest_accepted(),
        "checks": latest_checks(),
    }
    return render(request, "evidence/log.html", context)


def _keys() -> list[str]:
    """The public keys; none where this process has no key."""
    try:
        keys = read_keys()
    except SealKeyMissing:
        return []
    return [] if keys is None else [str(key) for key in keys.public]


@needs(Act.SEE_EVIDENCE)
@never_cache
@require_safe
def heads_text(request: HttpRequest) -> HttpResponse:
    """The newest signed heads, the smallest first, as `verify-store --head` reads them."""
    notes = "".join(head.note for head in reversed(latest_heads()))
    response = HttpResponse(notes, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="heads.txt"'
    return response


@needs(Act.SEE_EVIDENCE)
@never_cache
@require_safe
def heads_json(request: HttpRequest) -> HttpResponse:
    """The newest signed heads, the newest first, and the keys by which they may be signed."""
    return JsonResponse({"keys": _keys(), "heads": [_head(head) for head in latest_heads()]})


def _head(head: HeadRow) -> dict[str, Any]:
    return {
        "size": head.size,
        "root": head.root,
        "made_at": head.made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "note": head.note,
    }


@needs(Act.EXPORT, asks=("as",))
@never_cache
@require_safe
def bundle(request: HttpRequest, hand: int) -> HttpResponse:
    """All the evidence about a hand in one file; 503 with the reason where none can be made."""
    refuse_others(request, hand)
    try:
        made = bundle_hand(hand_id=hand, sources=sources_of_request(request))
    except Hand.DoesNotExist:
        raise Http404(f"There is no hand {hand}.") from None
    except (BundleRefused, SealRefused, SealKeyMissing, LogDamaged) as error:
        context = {"section": "hands", "hand": hand, "problem": str(error)}
        return render(request, "evidence/refused.html", context, status=503)
    response = HttpResponse(made.data, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{made.name}"'
    return response
