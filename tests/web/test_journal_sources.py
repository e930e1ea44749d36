"""In which source a row of the journal lies: what an address says beside it changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.models import Hand, JournalEntry, Player, ReportRun, Role
from audit.selectors.access import access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import definition_of
from audit.services.reports import continue_report, request_report
from tests.access import signed_in, trusted, with_roles
from tests.web.lines import TIEN_GOW
from tests.web.operators import Operator, operator_of, player_of


@pytest.mark.parametrize(
    ("path", "is_left_aside"),
    [
        ("", True), ("steps/3/", True), ("steps/?step=2", True), ("what-if/", True),
        ("record", False), ("verdict", False), ("links", False), ("bundle", False),
    ],
)  # fmt: skip
def test_a_look_at_a_hand_cannot_be_put_into_another_source(
    site: Any, store: Any, settings: Any, tmp_path: Any, path: str, is_left_aside: bool
) -> None:
    """Auditors of one source see its rows alone: one that lay elsewhere would be hidden."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    store(TIEN_GOW)
    hand = Hand.objects.get()
    glue = "&" if "?" in path else "?"
    before = JournalEntry.objects.count()
    answer = site.get(f"/hands/{hand.pk}/{path}{glue}source=elsewhere")
    if not is_left_aside:
        assert (answer.status_code, JournalEntry.objects.count()) == (400, before)
        answer = site.get(f"/hands/{hand.pk}/{path}")
    assert answer.status_code in (200, 302)
    entry = JournalEntry.objects.latest("pk")
    assert (entry.hand, entry.source) == (hand.pk, hand.source)


def test_a_search_in_a_source_lies_there(site: Any, store: Any) -> None:
    store(TIEN_GOW)
    source = Hand.objects.get().source
    assert site.get("/hands/", {"source": source}).status_code == 200
    assert JournalEntry.objects.latest("pk").source == source


@pytest.fixture
def south(django_user_model: Any, settings: Any, tmp_path: Any) -> Operator:
    """A store with something of everything, in one source."""
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    make = django_user_model.objects.create_user
    return operator_of("south", first=trusted(make("ines.castro")), second=trusted(make("tom")))


@pytest.mark.parametrize(
    "address",
    [
        "/desk/cases/{case}/", "/desk/cases/{case}/history/", "/desk/claims/{claim}/",
        "/desk/remedies/{remedy}/", "/certificates/{certificate}/", "/api/v1/cases/{case}/",
        "/api/v1/cases/{case}/acts/", "/api/v1/claims/{claim}/", "/api/v1/remedies/{remedy}/",
        "/api/v1/certificates/{certificate}/",
    ],
)  # fmt: skip
def test_what_lies_in_a_source_is_journalled_there(
    south: Operator, django_user_model: Any, address: str
) -> None:
    """Auditors of that source alone would miss it else, and see it where the address lies."""
    user = with_roles(django_user_model.objects.create_user("osman.bey"), *Role, source="south")
    path = address.format(**south.keys)
    browser = signed_in(user)
    before = JournalEntry.objects.count()
    assert browser.get(path, {"source": "north"}).status_code == 400
    assert JournalEntry.objects.count() == before
    assert browser.get(path).status_code == 200
    assert JournalEntry.objects.latest("pk").source == "south"


def test_a_verdict_and_a_change_are_looks_at_their_hand(
    south: Operator, django_user_model: Any
) -> None:
    user = with_roles(django_user_model.objects.create_user("osman.bey"), *Role, source="south")
    browser = signed_in(user)
    for address in ("/api/v1/verdicts/{verdict}/", "/reaudits/{reaudit}/hands/{version}/"):
        assert browser.get(address.format(**south.keys)).status_code == 200, address
        entry = JournalEntry.objects.latest("pk")
        assert (entry.source, entry.hand) == ("south", south.keys["hand"]), address


def test_what_is_asked_about_a_person_is_found_by_the_person(
    south: Operator, django_user_model: Any
) -> None:
    """On pages and by program alike: a claim, a report, a search for a name."""
    user = with_roles(django_user_model.objects.create_user("osman.bey"), *Role, source="south")
    browser = signed_in(user)
    claim = browser.get(f"/api/v1/claims/{south.keys['claim']}/").json()
    assert JournalEntry.objects.latest("pk").player == claim["player"]
    assert browser.get("/api/v1/players/", {"name": "Ann"}).status_code == 200
    assert JournalEntry.objects.latest("pk").player == "Ann"
    number = statement_of(claim["player"], south)
    for address in (f"/api/v1/reports/{number}/", f"/api/v1/reports/{number}/csv"):
        assert browser.get(address).status_code == 200, address
        entry = JournalEntry.objects.latest("pk")
        assert (entry.source, entry.player) == ("south", claim["player"]), address


def test_a_search_by_the_beginning_of_ids_is_found_by_a_person_whose_name_it_is(
    south: Operator, django_user_model: Any
) -> None:
    """One box finds ids, tables and names: whoever types a name there looked for a person, too."""
    name = player_of("south", "Ann")
    user = with_roles(django_user_model.objects.create_user("osman.bey"), *Role, source="south")
    browser = signed_in(user)
    for address in ("/hands/", "/api/v1/hands/", "/api/v1/findings/", "/api/v1/exports/hands.csv",
                    "/exports/figures.csv"):  # fmt: skip
        for text, player in ((name, name), (name[:-1], None), (name.upper(), None), ("4", None)):
            assert browser.get(address, {"q": text}).status_code == 200, address
            assert JournalEntry.objects.latest("pk").player == player, (address, text)
    # Of a person of another operator nothing is told, not even that there is such a one.
    north = with_roles(django_user_model.objects.create_user("eva.lund"), *Role, source="north")
    assert signed_in(north).get("/hands/", {"q": name}).status_code == 200
    assert JournalEntry.objects.latest("pk").player is None


def test_so_is_one_by_a_name_that_came_this_moment(site: Any, store: Any) -> None:
    """Names are noted by a sweep, up to half a minute later."""
    store(TIEN_GOW)
    name = Hand.objects.get().players[0]
    assert not Player.objects.exists()
    for text, player in ((name, name), (name[:-1], None), (f"{name} ", None)):
        assert site.get("/hands/", {"q": text}).status_code == 200
        assert JournalEntry.objects.latest("pk").player == player, text


def statement_of(player: str, operator: Operator) -> int:
    """The number of a report on everything that somebody played."""
    access = access_of(User.objects.get(username="ines.castro"))
    definition = definition_of("player-statement")
    day = Hand.objects.get(pk=operator.keys["hand"]).played_on.isoformat()
    query = {"source": operator.source, "player": player, "to": day}
    asked = read_request(definition, query, access)
    run = request_report(definition=definition, asked=asked, access=access)
    while continue_report(run_id=run):
        pass
    made = ReportRun.objects.get(pk=run).report_id
    assert made is not None
    return made
