"""Neither a certificate nor a page of totals reads a large table from end to end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import islice
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Table, Upload
from audit.selectors.certificates import CertificateFilters, get_certificate, list_certificates
from audit.selectors.certificates_content import draw_up
from audit.selectors.certificates_days import Rule
from audit.selectors.exports import REPORTS
from audit.selectors.filters import HandFilters
from audit.selectors.players import find_names, list_renames, unusual_names
from audit.selectors.totals import TotalsQuery, list_totals
from audit.services import certifying, players
from tests.audit.test_plans import many, scans

__all__ = ["many"]

DAY = date(2025, 1, 5)
MACAU = Rule(time_zone="Asia/Macau", starts_at=360)


@pytest.fixture
def certified(many: None, django_user_model: Any) -> None:
    user: User = django_user_model.objects.create_user("ines.castro")
    run_id = certifying.request_certificates(day=DAY, user=user, source="house-1", sources=None)
    assert not certifying.continue_run(run_id=run_id)


ASKED: dict[str, Callable[[], object]] = {
    "content": lambda: draw_up("house-1", "T7", DAY, Rule()),
    "content in a zone": lambda: draw_up("house-1", "T7", DAY, MACAU),
    "list": lambda: list_certificates(CertificateFilters(), sources=None),
    "certificate": lambda: get_certificate(
        list_certificates(CertificateFilters(), sources=None).rows[0].pk, sources=None
    ),
    "totals of a day": lambda: list_totals(TotalsQuery(sources=None, day_from=DAY, day_to=DAY)),
    "totals of a table": lambda: list_totals(
        TotalsQuery(sources=None, source="house-1", table="T7", day_from=DAY, day_to=DAY)
    ),
    "names": lambda: (
        find_names("Ken", sources=None),
        unusual_names(sources=None),
        list_renames(sources=None).rows,
    ),
    **{
        name: lambda report=report: list(  # type: ignore[misc]
            islice(report.rows(HandFilters(table="T7"), None), 500)
        )
        for name, report in REPORTS.items()
    },
}


@pytest.mark.parametrize("name", ASKED)
def test_no_large_table_is_read_from_end_to_end(certified: None, name: str) -> None:
    assert scans(ASKED[name]) == []


def test_a_run_reads_no_large_table_from_end_to_end(many: None, django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("ines.castro")
    run_id = certifying.request_certificates(day=DAY, user=user, source="house-1", sources=None)
    assert scans(lambda: certifying.continue_run(run_id=run_id, seconds=0)) == []
    assert Table.objects.filter(source="house-1").count() == 50


def test_noting_names_reads_no_large_table_from_end_to_end(many: None) -> None:
    first = Upload.objects.order_by("pk").first()
    assert first is not None
    assert scans(lambda: players._note(first.pk)) == []
