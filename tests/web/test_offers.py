"""What a role may not do is not offered to it: no link and no button leads to "not allowed"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.urls import Resolver404, resolve

from audit.models import Case, Role
from audit.selectors.access import Access, Act, access_of
from audit.web.access import act_of_view
from tests.access import signed_in, trusted, with_roles
from tests.web.operators import operator_of
from tests.web.pages_in_chinese import inner

SOURCE = "harbour"
# So many pages of each kind are read.
EACH = 3


@dataclass(slots=True)
class Offered(HTMLParser):
    """Where the links of a page lead, and what its buttons send: an address and an act, if any."""

    links: list[str] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)
    _target: str = ""

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "form":
            is_sent = given.get("method", "").lower() == "post"
            self._target = given.get("action", "") if is_sent else ""
        elif tag == "button" and self._target:
            act = given["value"] if given.get("name") == "act" else ""
            self.sent.append((self._target, act))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._target = ""


@pytest.fixture
def stocked(django_user_model: Any, settings: Any, tmp_path: Path) -> None:
    """A store that has something of each kind."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    make = django_user_model.objects.create_user
    first, second = trusted(make("ines.castro")), trusted(make("tom.reyes"))
    operator_of(SOURCE, first=first, second=second)


def needed(address: str, act: str | None) -> Act | None:
    """What opening an address takes or, with `act`, sending it a form; None where nothing guards
    it or it lies outside of the pages."""
    try:
        acts = act_of_view(resolve(address.split("?", maxsplit=1)[0]).func)
    except Resolver404:
        return None
    if acts is None:
        return None
    return acts["GET"] if act is None else acts.get(act or "POST", acts["POST"])


def refused(page: str, address: str, access: Access) -> Iterator[str]:
    """What a page offers although whoever reads it is refused it."""
    offered = Offered()
    offered.feed(page)
    for link in inner(offered.links, address):
        act = needed(link, None)
        if act is not None and not access.may(act):
            yield f"{address} leads to {link}"
    for target, name in offered.sent:
        act = needed(target or address, name)
        if act is not None and not access.may(act):
            yield f"{address} sends {name or 'a form'} to {target}"


@pytest.mark.slow
@pytest.mark.parametrize("role", list(Role))
def test_nothing_is_offered_that_is_refused(
    stocked: None, django_user_model: Any, role: Role
) -> None:
    user = with_roles(django_user_model.objects.create_user("eve.lam"), role)
    client, access = signed_in(user), access_of(user)
    queue, done, kinds = ["/"], set[str](), Counter[str]()
    found: list[str] = []
    while queue:
        address = queue.pop(0)
        try:
            kind = str(resolve(address.split("?")[0]).url_name)
        except Resolver404:
            continue
        if address in done or kinds[kind] >= EACH:
            continue
        done.add(address)
        kinds[kind] += 1
        answer = client.get(address, follow=True)
        if not answer["Content-Type"].startswith("text/html") or answer.status_code != 200:
            continue
        page = answer.content.decode()
        found += refused(page, address, access)
        offered = Offered()
        offered.feed(page)
        queue += inner(offered.links, address)
    assert not found, "\n".join(found)
    assert len(kinds) > 5


def test_who_may_only_look_is_asked_for_nothing(stocked: None, django_user_model: Any) -> None:
    """No form, no box to tick and no script of a form where nothing can be sent."""
    client = signed_in(with_roles(django_user_model.objects.create_user("al.wu"), Role.AUDITOR))
    case = Case.objects.order_by("pk")[0].pk
    for address in ("/uploads/", "/desk/", "/desk/queue/", f"/desk/cases/{case}/", "/desk/claims/"):
        page = client.get(address).content.decode()
        main = page[page.index("<main") : page.index("</main>")]
        assert 'method="post"' not in main, address
        assert 'type="checkbox"' not in main, address
        assert "drop.js" not in page, address
