"""What an address carries is read, or refused: nothing is left aside without a word."""

from __future__ import annotations

import pytest
from django.test import Client

from audit.api.queries import HAND_FILTER_NAMES
from audit.models import CertificateRun, Upload
from audit.selectors.reaudits_scope import KEYS
from tests.web.lines import PAI_GOW

UNKNOWN = "There is no parameter “{}” at this address{}"
READ = {
    "certificates/": "source, table, from, to, state, all, cursor, limit",
    "exports/figures.csv": (
        "game, table, source, player, met, verdict, code, from, to, q, upload, conflict, rules,"
        " open, risk, tile, combination, seat, net, currency"
    ),
    "exports/hands.csv": (
        "game, table, source, player, met, verdict, code, from, to, q, upload, conflict, rules,"
        " open, risk, tile, combination, seat, net, currency"
    ),
    "exports/totals.csv": "source, table, game, from, to",
    "reaudits/": "cursor, limit",
}


def error_of(answer):
    return answer.status_code, answer.json()["error"]


@pytest.mark.parametrize("address", READ)
def test_an_unknown_parameter_is_refused_where_something_is_read(ask, address) -> None:
    message = UNKNOWN.format("verdct", f": it takes {READ[address]}.")
    assert error_of(ask(f"/api/v1/{address}?verdct=void")) == (
        400,
        {"code": "bad-query", "message": message, "place": "verdct"},
    )


def test_a_parameter_stands_once(ask) -> None:
    assert error_of(ask("/api/v1/exports/hands.csv?game=tien-gow&game=banker-pai-gow")) == (
        400,
        {"code": "bad-query", "message": "“game” stands more than once.", "place": "game"},
    )


def test_totals_take_no_filter_that_they_do_not_sum_by(ask) -> None:
    assert error_of(ask("/api/v1/exports/totals.csv?verdict=void"))[1]["place"] == "verdict"


def test_a_misspelt_restatement_takes_nothing_in(send) -> None:
    status, error = error_of(send(PAI_GOW, query="?restatment=the+rake+was+wrong"))
    assert (status, error["code"], error["place"]) == (400, "bad-query", "restatment")
    assert not Upload.objects.exists()


def test_a_source_is_named_for_a_feed_alone(send) -> None:
    assert error_of(send(PAI_GOW, query="?source=kaiyuan")) == (
        400,
        {
            "code": "bad-query",
            "message": "A source is named for a feed: each line of a log names its own.",
            "place": "source",
        },
    )
    assert error_of(send(PAI_GOW, query="?source=kaiyuan&feed="))[1]["code"] == "unknown-feed"
    assert not Upload.objects.exists()


def test_a_misspelt_source_has_no_day_certified(token) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    answer = Client().post("/api/v1/certificates/?day=2025-03-01&sorce=a", headers=headers)
    assert answer.status_code == 415
    answer = Client().post(
        "/api/v1/certificates/?day=2025-03-01&sorce=a",
        content_type="application/json",
        headers=headers,
    )
    assert error_of(answer) == (
        400,
        {
            "code": "bad-query",
            "message": UNKNOWN.format("sorce", ": it takes day, source, table."),
            "place": "sorce",
        },
    )
    assert not CertificateRun.objects.exists()


def test_a_body_of_a_re_audit_has_no_parameters_beside_it(token) -> None:
    answer = Client().post(
        "/api/v1/reaudits/?game=tien-gow",
        b'{"reason": "again"}',
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert error_of(answer) == (
        400,
        {"code": "bad-query", "message": UNKNOWN.format("game", ", which takes none."),
         "place": "game"},
    )  # fmt: skip


def test_the_lists_take_every_filter_of_the_page() -> None:
    assert set(HAND_FILTER_NAMES) == set(KEYS)
