"""Pages of a person whose name was erased say so, and say no name."""

from __future__ import annotations

import json
import re

import pytest

from audit.models import Case, Erasure, Hand
from audit.selectors.access import access_of
from audit.services import desk
from audit.services.erasing import erase_person
from tests.web.lines import PAI_GOW, with_net

NAME = "Ngozi Adichie-42"
SOURCE = json.loads(PAI_GOW)["source"]


@pytest.fixture
def act(tmp_path, settings, store, auditor):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    hand = json.loads(with_net(PAI_GOW, 1, "-99.00"))
    seat = next(one for one in hand["seats"] if one["seat"] == 1)
    seat["player"] = NAME
    store(json.dumps(hand).encode(), name=f"{NAME}.ndjson")
    assert desk.gather_cases().is_done
    pk = erase_person(
        access=access_of(auditor), source=SOURCE, name=NAME, reason="asked", ground="GDPR Art. 17"
    )
    return Erasure.objects.get(pk=pk)


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_every_page_of_the_person_says_under_which_act(site, act):
    hand, case = Hand.objects.get(), Case.objects.get()
    words = f"was erased on {act.started_at:%-d %B %Y} under act E-{act.pk}"
    for address in (
        f"/hands/{hand.pk}/", f"/hands/{hand.pk}/steps/3/?as=public", f"/desk/cases/{case.pk}/",
        f"/players/?q={act.token.replace('#', '%23')}",
    ):  # fmt: skip
        answer = site.get(address)
        assert answer.status_code == 200, address
        text = text_of(answer)
        assert words in text, address
        assert NAME not in text
    assert act.token in text_of(site.get("/retention/"))


def test_lists_and_tables_have_the_token(site, act):
    hands = site.get(f"/hands/?player={act.token.replace('#', '%23')}")
    assert Hand.objects.get().hand_id in text_of(hands)
    assert NAME not in site.get("/hands/").content.decode()
    assert NAME not in site.get("/uploads/").content.decode()
