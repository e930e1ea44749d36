"""Uploads: the list with its form, and one upload with its progress and its refused lines."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from audit import importers, selectors, services
from audit.selectors.access import Act
from audit.selectors.reaudits import admitted_later
from audit.services.texts import written
from audit.web.access import access_of_request, needs, sources_of_request
from audit.web.language import phrase
from audit.web.presenters.uploads import present_progress, present_uploads

# The script that shows how much has been sent asks for the address to go to, not for the page.
SCRIPT_HEADER = "X-Tilecourt-Script"
PAGE = "uploads/upload.html"


@needs(Act.SEE_UPLOADS, post=Act.UPLOAD, asks=("cursor",))
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def upload_list(request: HttpRequest) -> HttpResponse:
    """All uploads, newest first, and the form; POST hands in one or more files."""
    if request.method == "POST":
        return _receive(request)
    return _list(request)


def _list(request: HttpRequest, *, problem: str | None = None, status: int = 200) -> HttpResponse:
    try:
        page = selectors.list_uploads(
            cursor=request.GET.get("cursor"), **_seen_by(request, Act.SEE_UPLOADS)
        )
    except selectors.BadQuery as error:
        page, problem, status = selectors.Page(rows=()), str(error), 400
    context = present_uploads(page) | {"section": "uploads", "problem": problem}
    context["feeds"] = [(feed.name, feed.title) for feed in importers.FEEDS.values()]
    return render(request, "uploads/list.html", context, status=status)


def _seen_by(request: HttpRequest, act: Act) -> dict[str, Any]:
    """Whose uploads are shown."""
    access = access_of_request(request)
    return {"sources": access.sources(act), "account_id": access.account_id}


def _receive(request: HttpRequest) -> HttpResponse:
    files = request.FILES.getlist("files")
    if not files:
        return _list(request, problem=phrase("Choose at least one file."), status=400)
    assert request.user.is_authenticated, "the log-in middleware lets nobody else in"
    # An empty field is no announcement; blanks alone are one without a reason.
    reason = request.POST.get("restatement") or None
    if reason is not None and not written(reason):
        return _list(request, problem=phrase("A restatement needs a reason."), status=400)
    feed, source = request.POST.get("feed", ""), request.POST.get("source", "")
    if source.strip() and not feed:
        problem = phrase("A source is named for a feed: each line of a hand log names its own.")
        return _list(request, problem=problem, status=400)
    received = []
    for file in files:
        try:
            received.append(
                services.receive_feed(
                    name=file.name or "",
                    stream=file,
                    feed=feed,
                    source=source,
                    user=request.user,
                    sources=sources_of_request(request),
                    restatement=reason,
                )
                if feed
                else services.receive_upload(
                    name=file.name or "",
                    stream=file,
                    user=request.user,
                    sources=sources_of_request(request),
                    restatement=reason,
                )
            )
        except services.UploadRefused as error:
            messages.error(request, f"{file.name}: {error}")
    target = reverse("uploads")
    if len(files) == 1 and received:
        target = reverse("upload", args=(received[0].upload_id,))
    if SCRIPT_HEADER in request.headers:
        # A script that followed a redirect would use up the messages meant for the page.
        return HttpResponse(status=201, headers={"Location": target})
    return HttpResponseRedirect(target)


@needs(Act.SEE_UPLOADS, asks=("cursor",))
@never_cache
@require_safe
def upload_page(request: HttpRequest, upload: int) -> HttpResponse:
    """One upload: how far it is, what came out, which lines were refused."""
    return _one(request, upload, PAGE)


@needs(Act.SEE_UPLOADS, journal=False, asks=("cursor",))
@never_cache
@require_safe
def progress(request: HttpRequest, upload: int) -> HttpResponse:
    """The part of the upload's page that changes while it runs; a script asks for it."""
    return _one(request, upload, "uploads/_progress.html")


def _one(request: HttpRequest, upload: int, template: str) -> HttpResponse:
    problem, status = None, 200
    refusals: selectors.Page[selectors.RefusalRow] = selectors.Page(rows=())
    try:
        seen = _seen_by(request, Act.SEE_UPLOADS)
        row = selectors.get_upload(upload, **seen)
        refusals = selectors.list_refusals(
            upload,
            cursor=request.GET.get("cursor"),
            raw_sources=access_of_request(request).sources(Act.SEE_RAW),
            reaudit_sources=access_of_request(request).sources(Act.SEE_REAUDITS),
            **seen,
        )
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    except selectors.BadQuery as error:
        problem, status = str(error), 400
    context = present_progress(row, refusals, cursor=request.GET.get("cursor"))
    context |= {"section": "uploads", "problem": problem}
    if refusals.rows and template == PAGE:
        context["admitted_later"] = admitted_later([upload]).get(upload, 0)
    return render(request, template, context, status=status)
