"""SVC-15 by uploading: the bytes of a known hand come again and are read as another one."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

import replay
from audit import selectors
from audit.models import ComparisonFinding, Hand, Replacement
from audit.selectors.replacements import replaced_by
from tests.access import trusted
from tests.audit.chains import compare_all
from tests.audit.logs import BASE_LINES, B, Ingest, changed, log, with_net
from tests.audit.test_reauditing import read_as


def misread(ingest: Ingest, *lines: bytes) -> None:
    """What a reader makes of these lines that takes hand 7700 for another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", read_as("misread"))
        ingest(log(*lines))
    compare_all()


def standing() -> list[tuple[str, bool]]:
    return list(Hand.objects.order_by("pk").values_list("hand_id", "is_replaced"))


def behind(line: bytes) -> bytes:
    """The next hand at the same table, with other money brought in than was carried out."""
    hand = json.loads(line)
    seats = [{**seat, "carry_in": "777.00"} for seat in hand["seats"]]
    times = {"started_at": hand["ended_at"], "ended_at": hand["ended_at"]}
    return changed(line, hand_id="behind", seats=seats, **times)


@pytest.mark.parametrize("line", BASE_LINES[:5])
@pytest.mark.parametrize("others", [0, 3], ids=["the same file", "with others"])
def test_svc_15_the_same_bytes_read_as_another_hand_leave_one_live_hand(
    ingest: Ingest, line: bytes, others: int
) -> None:
    line = changed(line, hand_id="7700")
    misread(ingest, line)
    assert standing() == [("misread", False)]
    old = Hand.objects.get()
    more = [changed(line, hand_id=f"more-{number}") for number in range(others)]
    assert ingest(log(*more, line)).new == others + 1
    compare_all()
    new = [(f"more-{number}", False) for number in range(others)]
    assert standing() == [("misread", True), *new, ("7700", False)]
    told = replaced_by(old.pk, sources=None)
    assert told is not None
    assert (told.hand_id, told.pk) == ("7700", Hand.objects.get(hand_id="7700").pk)
    # Again, and nothing changes.
    assert ingest(log(line)).duplicates == 1
    compare_all()
    assert Replacement.objects.count() == 1


def test_the_old_hand_opens_and_leads_to_the_one_that_stands_for_it(
    ingest: Ingest, client: Client
) -> None:
    client.force_login(trusted(User.objects.create_user("ines")))
    line = with_net(changed(B, hand_id="7700"), 1, "-99.00")
    misread(ingest, line)
    old = Hand.objects.get()
    ingest(log(line))
    compare_all()
    new = Hand.objects.get(hand_id="7700")
    page = client.get(reverse("hand", args=(old.pk,)))
    assert page.status_code == 200
    assert f'<a href="/hands/{new.pk}/"><bdi>7700</bdi></a>' in page.content.decode()
    listed = selectors.list_hands(selectors.HandFilters(table="T1"), sources=None).rows
    assert [row.hand_id for row in listed] == ["7700"]


def test_the_hand_behind_is_compared_with_the_one_that_stands(ingest: Ingest) -> None:
    line = changed(B, hand_id="7700")
    misread(ingest, line, behind(line))
    last = Hand.objects.get(hand_id="behind")
    assert last.comparison is not None
    assert last.comparison.earlier.version.hand.hand_id == "misread"
    ingest(log(line))
    compare_all()
    last.refresh_from_db()
    assert last.comparison.earlier.version.hand.hand_id == "7700"
    found = ComparisonFinding.objects.filter(comparison=last.comparison).values_list("code")
    assert {code for (code,) in found} == {"carry-discontinuity"}


def test_twins_of_other_bytes_all_stand(ingest: Ingest) -> None:
    ingest(log(changed(B, hand_id="301"), changed(B, hand_id="302")))
    ingest(log(changed(B, hand_id="302"), changed(B, hand_id="303")))
    compare_all()
    assert standing() == [("301", False), ("302", False), ("303", False)]
    assert not Replacement.objects.exists()
