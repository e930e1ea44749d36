"""What probes and scrapers hear of the log and the software."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from audit.selectors.evidence import SealFigures
from audit.selectors.software import failing_check


def ready_detail() -> str:
    """A further line for `/readyz` when the software differs, else nothing."""
    try:
        check = failing_check()
    except DatabaseError:
        return ""
    if check is None:
        return ""
    return f"\nsoftware: differs from what was accepted in {len(check.differences)}"


class KeptEvidence(Collector):
    """The log and the newest look at the software, in Prometheus' shape.

    `tilecourt_software_accepted` is 1 when the software was as accepted, 0 when not; it is absent
    while nobody has looked.
    """

    def __init__(self, figures: SealFigures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        figures = self._figures
        yield _gauge("log_leaves", "Leaves under the newest signed head.", figures.size)
        yield _gauge("log_waiting", "Rows that wait to be sealed.", figures.waiting)
        yield _gauge(
            "log_waiting_seconds",
            "How long the oldest of them has waited.",
            figures.waiting_seconds,
        )
        if figures.is_accepted is not None:
            told = "Whether the software is the one that was accepted."
            yield _gauge("software_accepted", told, int(figures.is_accepted))


def _gauge(name: str, about: str, value: float) -> Metric:
    family = GaugeMetricFamily(f"tilecourt_{name}", about)
    family.add_metric((), value)
    return family
