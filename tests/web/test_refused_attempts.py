"""What somebody was refused is in the journal, and a search for two people under both of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from audit import services
from audit.models import Hand, JournalEntry, RefusedMinute, Role
from audit.selectors.access import Act
from audit.services.journal import REFUSED_MAX
from audit.services.players import note_players
from audit.tasks.access import count_refusals
from tests.access import signed_in, with_roles
from tests.web.lines import PAI_GOW
from tests.web.operators import Operator, operator_of
from tests.web.test_player_pages import renamed


@pytest.fixture
def osman(django_user_model: Any) -> Any:
    """Somebody who may do everything in another source."""
    return with_roles(django_user_model.objects.create_user("osman.bey"), *Role, source="north")


@pytest.fixture
def south(auditor: Any, django_user_model: Any, settings: Any, tmp_path: Any) -> Operator:
    """A store with something of everything, in one source."""
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    second = with_roles(django_user_model.objects.create_user("tom"), *Role)
    return operator_of("south", first=auditor, second=second)


def refused() -> list[tuple[str, str, int | None, Any]]:
    rows = JournalEntry.objects.filter(detail__has_key="refused").order_by("id")
    assert {row.source for row in rows} <= {None}
    return [(row.act, row.subject, row.hand, row.detail) for row in rows]


def test_what_lies_in_another_source_is_written_down_as_refused(
    south: Operator, osman: Any
) -> None:
    browser, hand = signed_in(osman), south.keys["hand"]
    addresses = {
        f"/hands/{hand}/": f"GET hand hand:{hand}",
        f"/hands/{hand}/record": f"GET record hand:{hand}",
        f"/api/v1/hands/{hand}/steps/0/": f"GET api-step hand:{hand} number:0",
        f"/desk/cases/{south.keys['case']}/": f"GET case case:{south.keys['case']}",
        f"/api/v1/claims/{south.keys['claim']}/": f"GET api-claim claim:{south.keys['claim']}",
    }
    for address in addresses:
        assert browser.get(address).status_code == 404, address
    found = refused()
    assert [subject for _, subject, _, _ in found] == list(addresses.values())
    assert [number for _, _, number, _ in found] == [hand, hand, hand, None, None]
    assert {str(detail) for *_, detail in found} == {str({"status": 404, "refused": True})}


def test_what_is_not_there_at_all_is_not_written_down(south: Operator, auditor: Any) -> None:
    """Neither a number that nothing has, nor a step that one's own hand does not have."""
    browser = signed_in(auditor)
    for address in ("/hands/987654/", f"/hands/{south.keys['hand']}/steps/99999/", "/nowhere/"):
        assert browser.get(address).status_code == 404, address
    assert refused() == []


def test_an_act_that_one_may_not_do_is_written_down(store: Any, django_user_model: Any) -> None:
    store(PAI_GOW)
    hand = Hand.objects.get().pk
    amy = with_roles(django_user_model.objects.create_user("amy.ng"), Role.RULES_AUTHOR)
    browser = signed_in(amy)
    assert browser.get(f"/hands/{hand}/?player=Ling").status_code == 403
    assert browser.post("/desk/next").status_code == 403
    # One's own account and the rules are for everybody, and looking at them is no matter.
    assert browser.get("/account/").status_code == 200
    found = [("see-hands", f"GET hand hand:{hand}", hand), ("work-cases", "POST take-next", None)]
    assert [row[:3] for row in refused()] == found
    first = JournalEntry.objects.filter(detail__has_key="refused").earliest("pk")
    assert (first.player, first.actor, first.address) == ("Ling", "amy.ng", "127.0.0.1")
    assert first.visit is not None


def test_a_key_that_is_refused_is_named(store: Any, auditor: Any) -> None:
    store(PAI_GOW)
    made = services.create_token(name="narrow", days=1, account=auditor.username, acts=[Act.UPLOAD])
    answer = Client().get("/api/v1/hands/", headers={"Authorization": f"Bearer {made.token}"})
    assert answer.status_code == 403
    row = JournalEntry.objects.get(detail__has_key="refused")
    assert (row.act, row.subject, row.actor) == ("see-hands", "GET api-hands", auditor.username)
    assert row.key is not None


def test_nobody_leaves_nothing(db: Any) -> None:
    assert Client().get("/api/v1/hands/").status_code == 401
    assert Client().get("/hands/1/").status_code == 302
    assert refused() == []


def over() -> None:
    """Let the minute be over."""
    for row in RefusedMinute.objects.all():
        row.minute -= timedelta(minutes=2)
        row.save()


def test_whoever_tries_on_fills_a_counter_and_no_log(osman: Any, south: Operator) -> None:
    """So many rows a minute; then one that says how many more there were."""
    browser, address = signed_in(osman), f"/hands/{south.keys['hand']}/"
    # The clock of the store stands still within a test, so all of them are of one minute.
    for _ in range(REFUSED_MAX + 5):
        assert browser.get(address).status_code == 404
    assert len(refused()) == REFUSED_MAX
    count_refusals()
    assert len(refused()) == REFUSED_MAX
    minute = RefusedMinute.objects.get().minute - timedelta(minutes=2)
    over()
    count_refusals()
    count_refusals()
    told = {"refused": True, "more": 5, "minute": f"{minute:%Y-%m-%dT%H:%MZ}"}
    assert refused()[REFUSED_MAX:] == [("see-hands", "refused attempts", None, told)]
    assert not RefusedMinute.objects.exists()
    assert browser.get(address).status_code == 404
    over()
    count_refusals()
    assert len(refused()) == REFUSED_MAX + 2


def test_refusals_are_seen_by_auditors_of_every_source_alone(
    osman: Any, south: Operator, auditor: Any, django_user_model: Any
) -> None:
    """An auditor of the one would learn who the people of the other are, or that it is there."""
    signed_in(osman).get(f"/hands/{south.keys['hand']}/")
    shown = signed_in(auditor).get("/journal/?actor=osman.bey").content.decode()
    assert "was refused</span>" in shown
    for address in ("/journal/?refused=1", "/api/v1/journal/?refused=1"):
        text = signed_in(auditor).get(address).content.decode()
        assert text.count("GET hand hand:") == 1
        assert "GET journal" not in text
    assert signed_in(auditor).get("/journal/?refused=yes").status_code == 400
    make = django_user_model.objects.create_user
    for source in ("south", "north"):
        watcher = with_roles(make(f"watch.{source}"), Role.AUDITOR, source=source)
        assert "GET hand hand:" not in signed_in(watcher).get("/journal/").content.decode()


def test_who_asks_in_a_source_of_others_is_named_to_none_of_them(
    osman: Any, south: Operator, django_user_model: Any
) -> None:
    """Nor does it take a search out of sight of those who watch over every source."""
    browser = signed_in(osman)
    for address in (
        "/hands/?source=south",
        "/overview/?source=south",
        "/totals/?source=south",
    ):
        assert browser.get(address).status_code == 200
        row = JournalEntry.objects.latest("id")
        assert (row.actor, row.source, row.detail["asked"]["source"]) == (
            "osman.bey", None, ["south"],
        )  # fmt: skip
    assert browser.get("/hands/?source=north").status_code == 200
    assert JournalEntry.objects.latest("id").source == "north"
    watcher = with_roles(
        django_user_model.objects.create_user("watch.south"), Role.AUDITOR, source="south"
    )
    assert "osman.bey" not in signed_in(watcher).get("/journal/").content.decode()


def test_a_search_for_two_people_stands_under_both(site: Client, store: Any) -> None:
    store(PAI_GOW)
    for address in ("/hands/?player=Ann&met=Bo", "/api/v1/hands/?player=Ann&met=Bo"):
        before = JournalEntry.objects.count()
        assert site.get(address).status_code == 200
        rows = JournalEntry.objects.order_by("-id")[: JournalEntry.objects.count() - before]
        assert sorted((row.player, row.detail["asked"]["met"][0]) for row in rows) == [
            ("Ann", "Bo"),
            ("Bo", "Bo"),
        ]


def test_no_words_in_front_hide_what_was_asked_for(site: Client, store: Any) -> None:
    """The pages of a hand take no notice of words that they do not know, but the journal does; all
    others refuse them, and show nothing."""
    store(PAI_GOW)
    hand = Hand.objects.get().pk
    before = JournalEntry.objects.count()
    noise = "&".join(f"n{number}=" for number in range(95))
    assert site.get(f"/hands/?{noise}&table=T1&player=Ann").status_code == 400
    assert JournalEntry.objects.count() == before
    assert site.get(f"/desk/claims/?{noise}&player=Ann").status_code == 400
    assert JournalEntry.objects.count() == before
    assert site.get(f"/hands/{hand}/?{noise}&table=T1&player=Ann").status_code == 200
    row = JournalEntry.objects.latest("id")
    assert (row.player, row.detail["asked"]["table"]) == ("Ann", ["T1"])
    assert len(row.detail["asked"]) == 97
    # More than the server reads is refused, and shows nothing.
    noise = "&".join(f"n{number}=" for number in range(200))
    assert site.get(f"/hands/{hand}/?{noise}&table=T1").status_code == 400
    assert JournalEntry.objects.latest("id") == row


def test_a_decision_about_two_names_stands_under_both(site: Client, store: Any) -> None:
    store(*renamed())  # type: ignore[no-untyped-call]
    note_players(seconds=60)
    form = {"source": "odd", "name": "Ling", "other": "Ling2", "act": "one", "reason": "asked him"}
    assert site.post("/players/decide", form).status_code == 302
    rows = JournalEntry.objects.filter(act="decide-names").values_list("player", "source")
    assert sorted(rows) == [("Ling", "odd"), ("Ling2", "odd")]
