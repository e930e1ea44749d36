"""What hinders people on the pages of the desk, by axe: nothing, in either colour scheme."""

from importlib.resources import files

import pytest
from django.contrib.auth import get_user_model

from audit.models import Hand
from audit.services import desk
from tests.access import trusted
from tests.e2e.test_resolving_a_dispute import PHONE, cases, complaints, visitor

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
__all__ = ["cases", "complaints"]


@pytest.fixture
def addresses(cases):
    """Every kind of page, each with something on it."""
    first, second = cases
    tom = trusted(get_user_model().objects.create_user("tom.reyes"))
    hand = Hand.objects.get(hand_id="net-1")
    claim = desk.enter_claim(
        user=tom,
        complaint=desk.Complaint(
            player="Ann", claimed_at=hand.played_at, text="too little", hand_ids=(hand.pk,)
        ),
        sources=None,
    )
    desk.comment_case(
        case_id=first.pk, user=tom, text="see here", hand_id=hand.pk, step=2, sources=None
    )
    bulk = desk.act_in_bulk(
        user=tom,
        kind="decided",
        seen={second.pk: 0},
        reason="so",
        decision="operator",
        sources=None,
    )
    remedy = desk.propose_remedy(
        case_id=second.pk, user=tom, reason="so", scope=desk.Scope.ALL, sources=None
    )
    return [
        "/desk/", "/desk/queue/", "/desk/queue/?state=decided", f"/desk/cases/{first.pk}/",
        f"/desk/cases/{second.pk}/", f"/desk/cases/{first.pk}/history/",
        f"/desk/cases/{first.pk}/file/", "/desk/claims/", "/desk/claims/new/",
        f"/desk/claims/{claim.pk}/", f"/desk/claims/{claim.pk}/letter/",
        f"/desk/claims/{claim.pk}/letter/?lang=zh-hant", f"/desk/bulk/{bulk.bulk_id}/",
        "/desk/remedies/", f"/desk/remedies/{remedy.pk}/",
    ]  # fmt: skip


def violations(page):
    """What axe finds: rule, and the elements that break it."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found["violations"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, live_server, complaints, addresses, scheme):
    page = visitor(
        browser, live_server, complaints, "ines.castro", color_scheme=scheme, viewport=PHONE
    )
    found = {}
    for address in addresses:
        page.goto(address)
        found[address] = violations(page)
    assert found == {address: [] for address in addresses}
    # It looks indeed: what is broken on purpose is found.
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert [rule for rule, _ in violations(page)] == ["image-alt"]
    page.context.close()
