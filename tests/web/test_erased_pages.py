"""Pages of a person whose name was erased say so, and say no name."""

from __future__ import annotations

import json
import re

import pytest

from audit.models import Case, Erasure, Hand, Visit
from audit.selectors.access import access_of
from audit.services import desk
from audit.services.erasing import erase_person
from audit.services.sharing import create_share_link
from tests.access import signed_in, trusted
from tests.web.access_rows import NOT_TAKEN, written
from tests.web.lines import PAI_GOW, with_net
from tests.web.operators import draft_of, operator_of
from tests.web.test_access_table import COMMON, address_of, letter_of

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


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_page_and_no_file_has_the_name_though_each_was_read_before(
    django_user_model, settings, tmp_path
):
    """What a process keeps of pages and hands that it has shown is not shown again."""
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.TILECOURT_API_KEY_PER_MINUTE = settings.TILECOURT_API_ACCOUNT_PER_MINUTE = 10_000
    make = django_user_model.objects.create_user
    first, second = trusted(make("ines.castro")), trusted(make("tom.reyes"))
    south = operator_of("south", first=first, second=second)
    site, name = signed_in(first), "south-Bo"
    keys = COMMON | dict(south.keys) | draft_of(first)
    keys |= {"account": second.pk, "visit": Visit.objects.latest("pk").pk}
    access = access_of(first)
    link = create_share_link(
        access=access, hand=keys["hand"], viewpoint="public", hours=1, reason="asked"
    )
    rows = [one for one in written() if one.looking != NOT_TAKEN]

    def read() -> dict[str, bytes]:
        asked = keys | {"letter": letter_of(site, keys["case"]), "secret": link.secret}
        told = {}
        for row in rows:
            answer = site.get(address_of(row, asked))
            assert answer.status_code < 500, row.name
            told[row.name] = b"".join(answer) if answer.streaming else answer.content
        return told

    before = read()
    shown = {one for one, text in before.items() if name.encode() in text}
    assert {"hand", "step", "shared", "api-step", "api-hands", "api-export", "case"} <= shown
    erase_person(access=access, source="south", name=name, reason="asked", ground="GDPR Art. 17")
    after = read()
    assert {one: text[:200] for one, text in after.items() if name.encode() in text} == {}
