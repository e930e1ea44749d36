"""Each page of the site asks the store as much for three rows as for one.

The store holds something of everything of one source. Then three sources hold as much, so that each
list of the site is three times as long, and the first has more of what stands on its own pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit import services
from audit.models import Hand, Visit
from audit.selectors.access import access_of
from audit.services import desk
from audit.services.players import note_players
from audit.services.retention import place_hold
from audit.services.saved_filters import save_filter
from audit.services.sharing import create_share_link
from audit.services.webhooks import create_webhook
from tests.access import JOURNAL, WHO_ASKS, signed_in, trusted
from tests.web.access_rows import NOT_TAKEN, Row, written
from tests.web.operators import Operator, draft_of, hand_in, hand_of, operator_of, player_of
from tests.web.test_access_table import COMMON, address_of, letter_of

# What some pages ask beside what every page asks, at most; more is not the way of a page here.
BESIDE_MAX = 40
# What asks more, and why that is not a list that grows.
ASKS_MORE = {
    "certificate": "tells what has come since to a table that has changed, by one more question",
}


def pages() -> Iterator[Row]:
    """The addresses that may be pages of somebody who is signed in."""
    for row in written():
        if not row.is_api and not row.is_public and row.looking != NOT_TAKEN:
            yield row


def counted(site: Client, keys: dict[str, Any]) -> dict[str, int]:
    """How many questions each page asks, by its name; what is no page is left out."""
    found = {}
    for row in pages():
        with CaptureQueriesContext(connection) as queries:
            answer = site.get(address_of(row, keys))
        assert answer.status_code in (200, 302), row.name
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            found[row.name] = len(queries)
    return found


def grow(one: Operator, first: Any, second: Any) -> None:
    """More of what stands on the pages of a source, a hand, a case, an account."""
    access, hand = access_of(first), Hand.objects.get(pk=one.keys["hand"])
    lines = [hand_of(one.source, name) for name in ("11", "12")]
    hand_in(first, f"{one.source}-more.ndjson", *lines)
    assert not note_players(seconds=240)
    assert desk.gather_cases().is_done
    for number in range(2):
        desk.comment_case(
            case_id=one.keys["case"], sources=None, user=first, text=f"again {number}",
            hand_id=hand.pk, step=number,
        )  # fmt: skip
        desk.enter_claim(
            sources=None,
            user=first,
            complaint=desk.Complaint(
                player=player_of(one.source, "Ann"),
                claimed_at=hand.played_at,
                text=f"wrong again {number}",
                hand_ids=(hand.pk,),
            ),
        )
        create_share_link(
            access=access, hand=hand.pk, viewpoint="public", hours=1, reason=f"again {number}"
        )
        save_filter(account_id=first.pk, name=f"mine {number}", query={"source": one.source})
        services.create_token(name=f"robot {number}", days=1, account=second.get_username())
        place_hold(access=access, source=one.source, reason=f"asked again {number}")
        create_webhook(
            access=access, name=f"hook {number}", url="https://a.example/", sources=[one.source]
        )
        signed_in(second)
        draft_of(first, number + 3)


@pytest.fixture
def people(django_user_model: Any, settings: Any, tmp_path: Path) -> tuple[Any, Any]:
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    make = django_user_model.objects.create_user
    return trusted(make("ines.castro")), trusted(make("tom.reyes"))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_each_page_asks_as_much_for_three_rows_as_for_one(people: tuple[Any, Any]) -> None:
    first, second = people
    south = operator_of("south", first=first, second=second)
    site = signed_in(first)
    signed_in(second)
    keys = COMMON | dict(south.keys) | draft_of(first)
    keys |= {"account": second.pk, "visit": Visit.objects.latest("pk").pk}
    keys["letter"] = letter_of(site, keys["case"])

    counted(site, keys)  # what a process asks for once and for all is asked for here
    for_one = counted(site, keys)
    for name in ("east", "west"):
        operator_of(name, first=first, second=second)
    grow(south, first, second)
    for_three = counted(site, keys)

    assert set(for_one) >= {
        "overview", "hands", "hand", "step", "what-if", "case", "case-letter", "retention-run",
        "ruleset-rehearsal",
    }  # fmt: skip
    assert set(for_one) == set(for_three)
    grown = {
        name: (count, for_three[name])
        for name, count in for_one.items()
        if count != for_three[name] and name not in ASKS_MORE
    }
    assert grown == {}
    most = WHO_ASKS + JOURNAL + BESIDE_MAX
    many = {name for name, count in for_one.items() if count > most}
    assert many == set()
    assert for_three["certificate"] <= for_one["certificate"] + 1
