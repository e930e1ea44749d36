"""What probes and scrapers ask, without a log-in: alive, ready, how much."""

from __future__ import annotations

import hmac
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from audit.api.evidence import KeptEvidence, ready_detail
from audit.selectors.evidence import seal_figures
from audit.selectors.metrics import Figures, read_figures
from audit.selectors.vitals import broker_trouble, database_trouble

# A proxy on this machine makes every caller look like this machine.
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA")
HERE = ("127.0.0.1", "::1")


def plain(text: str, status: int = 200) -> HttpResponse:
    return HttpResponse(text + "\n", status=status, content_type="text/plain; charset=utf-8")


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers; it asks nobody else."""
    return plain("alive")


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Database and broker can be reached; which of the two cannot is not for strangers.

    Whoever may scrape hears on a line of its own of other software than was accepted.
    """
    if database_trouble() is None and broker_trouble() is None:
        detail = ready_detail() if may_scrape(request) else ""
        return plain("ready" + detail)
    return plain("not ready", 503)


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures for Prometheus, for whoever shows the token; without one, for this machine."""
    if not may_scrape(request):
        refused = plain("show the token", 401)
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    try:
        figures, evidence = read_figures(), seal_figures()
    except DatabaseError:
        return plain("the store cannot be reached", 503)
    registry = CollectorRegistry()
    registry.register(Kept(figures))
    registry.register(KeptEvidence(evidence))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def may_scrape(request: HttpRequest) -> bool:
    token = settings.TILECOURT_METRICS_TOKEN
    if token:
        shown = request.headers.get("Authorization", "")
        return hmac.compare_digest(shown.encode(), f"Bearer {token}".encode())
    if settings.TILECOURT_BEHIND_PROXY or any(name in request.META for name in FORWARDED):
        return False
    return request.META.get("REMOTE_ADDR") in HERE


class Kept(Collector):
    """Figures that have been read, in Prometheus' shape."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        figures = self._figures
        yield counter("lines", "Lines by their verdict.", "verdict", figures.lines)
        yield counter("hands", "Hands by how they stood to those known.", "arrival", figures.hands)
        received = CounterMetricFamily("tilecourt_received_bytes", "Bytes of whole files.")
        received.add_metric((), figures.byte_count)
        yield received
        yield gauge("uploads", "Uploads by state.", figures.uploads)
        yield gauge("chunks", "Chunks by state.", figures.chunks)
        age = GaugeMetricFamily(
            "tilecourt_queue_age_seconds", "How long the oldest open chunk has waited."
        )
        age.add_metric((), figures.queue_seconds)
        yield age
        waiting = GaugeMetricFamily(
            "tilecourt_tables_waiting", "Tables with hands still to be compared."
        )
        waiting.add_metric((), figures.tables_waiting)
        yield waiting


def counter(name: str, about: str, label: str, values: dict[str, int]) -> Metric:
    family = CounterMetricFamily(f"tilecourt_{name}", about, labels=(label,))
    for value, count in values.items():
        family.add_metric((value,), count)
    return family


def gauge(name: str, about: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(f"tilecourt_{name}", about, labels=("state",))
    for value, count in values.items():
        family.add_metric((value,), count)
    return family
