"""Who gets in, what a browser may do, and what damaged addresses give."""

import re

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.converters import IntConverter

from audit.api import urls as api
from audit.web.urls import KeyConverter, urlpatterns
from tests.web.lines import BASE, planted

PUBLIC = {"login"}
# Anybody may choose a language; the form shows nothing (test_languages.py).
FORMS_FOR_ALL = {"language"}
# Those who have given a password alone owe a second step; others are sent to give one.
HALF_WAY = {"sign-in-code"}
# Links to a hand are for people without an account; a wrong one leads nowhere (test_sharing.py).
LINKS = {"shared", "shared-steps", "shared-step"}
# What probes ask: they give no more away than one word.
PROBES = {"healthz", "readyz"}
# Beside the API: a page for people, and figures, which have a token of their own.
PAGES = {"metrics", "api-docs"}
# What stands in an address where it is no number.
NAMES = {
    "name": "changes", "report": "hands", "source": "a/b", "secret": "nothing", "form": "csv",
    "sha256": "0" * 64,
}  # fmt: skip
ELSEWHERE = "203.0.113.9"


def leaves(patterns) -> list[URLPattern]:
    """The patterns that lead to a view, also those of included lists."""
    found = []
    for pattern in patterns:
        found += leaves(pattern.url_patterns) if isinstance(pattern, URLResolver) else [pattern]
    return found


def addresses(patterns=urlpatterns) -> dict[str, str]:
    """One address for each pattern, by its name."""
    return {
        pattern.name: reverse(
            pattern.name,
            kwargs={
                key: 1 if isinstance(kind, (KeyConverter, IntConverter)) else NAMES.get(key, "x")
                for key, kind in pattern.pattern.converters.items()
            },
        )
        for pattern in leaves(patterns)
    }


def test_no_address_stands_outside_of_what_is_tested_here():
    included = [list(pattern.url_patterns) for pattern in get_resolver().url_patterns]
    assert included == [api.urlpatterns, urlpatterns]


@pytest.mark.parametrize(
    "name", sorted(set(addresses()) - PUBLIC - FORMS_FOR_ALL - HALF_WAY - LINKS)
)
def test_a_stranger_is_sent_to_the_login(db, client, name):
    address = addresses()[name]
    answer = client.get(address)
    assert (answer.status_code, answer["Location"]) == (302, f"/login?next={address}")


def test_only_the_login_is_public(db, client):
    open_to_all = {name for name, address in addresses().items()
                   if client.get(address).status_code == 200}  # fmt: skip
    assert open_to_all == PUBLIC


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
@pytest.mark.parametrize("name", sorted(set(addresses(api.urlpatterns)) - PROBES - PAGES))
def test_a_stranger_gets_nothing_of_the_api(db, client, name, method):
    address = addresses(api.urlpatterns)[name]
    answer = getattr(client, method)(address, content_type="application/x-ndjson")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.json()["error"]["code"] == "not-authenticated"


def test_a_stranger_gets_no_figures(db, client):
    answer = client.get("/metrics", REMOTE_ADDR=ELSEWHERE)
    assert (answer.status_code, answer.content) == (401, b"show the token\n")


@pytest.mark.parametrize("name", sorted(PROBES))
def test_a_probe_hears_one_word(db, client, name):
    answer = client.get(addresses(api.urlpatterns)[name], REMOTE_ADDR=ELSEWHERE)
    assert (answer.status_code, answer.content) == (200, {"healthz": b"alive\n",
                                                          "readyz": b"ready\n"}[name])  # fmt: skip
    assert "no-store" in answer["Cache-Control"]
    assert answer.cookies == {}


def test_signing_in_and_out(client, auditor):
    answer = client.post(
        "/login?next=/uploads/",
        {"username": "ines.castro", "password": "correct horse", "next": "/uploads/"},
    )
    assert (answer.status_code, answer["Location"]) == (302, "/uploads/")
    assert client.get("/uploads/").status_code == 200
    assert client.post("/logout")["Location"] == "/login"
    assert client.get("/uploads/").status_code == 302


def test_a_failed_login_says_so_in_one_sentence(client, auditor):
    answers = [
        client.post("/login", {"username": name, "password": "wrong"})
        for name in ("ines.castro", "nobody")
    ]
    sentences = [
        re.search(r'role="alert".*?<span>(.*?)</span>', answer.content.decode(), re.S).group(1)
        for answer in answers
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [sentence.strip() for sentence in sentences] == ["Name and password do not match."] * 2


def test_after_three_failures_the_name_is_paused(client, auditor):
    data = {"username": "ines.castro", "password": "wrong"}
    answers = [client.post("/login", data) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "<h1>Too many failed tries</h1>" in answers[-1].content.decode()
    right = client.post("/login", {**data, "password": "correct horse"})
    assert right.status_code == 429


def test_a_next_address_elsewhere_is_not_followed(client, auditor):
    answer = client.post(
        "/login",
        {
            "username": "ines.castro",
            "password": "correct horse",
            "next": "https://elsewhere.example/",
        },
    )
    assert answer["Location"] == "/"


# -- what stands in a page ------------------------------------------------------------------


def pages_of(site: Client) -> dict[str, str]:
    """Each HTML page of the site with hands, an upload and its refusals in the store."""
    names = (
        "overview", "hands", "hand", "step", "uploads", "upload", "progress", "totals", "desk",
        "certificates", "sources", "reaudits", "rules",
    )  # fmt: skip
    pages = {name: site.get(addresses()[name]).content.decode() for name in names}
    pages["login"] = Client().get("/login").content.decode()
    pages["no such page"] = site.get("/nothing/").content.decode()
    return pages


def test_pages_hold_nothing_inline_and_nothing_from_elsewhere(site, store):
    store(*BASE, planted("banker-pai-gow", "rake-mismatch"), b"{broken")
    for name, html in pages_of(site).items():
        assert re.findall(r"<[^>]*\sstyle=", html) == [], name
        assert re.findall(r"<[^>]*\son[a-z]+=", html) == [], name
        assert re.findall(r"<style|<script(?![^>]*\ssrc=)", html) == [], name
        linked = re.findall(r'(?:href|src|action)="([^"]*)"', html)
        assert [link for link in linked if "//" in link] == [], name


def test_pages_come_with_a_strict_policy(site):
    answer = site.get("/hands/")
    policy = dict(
        part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert answer["X-Frame-Options"] == "DENY"
    assert "no-store" in answer["Cache-Control"]


def test_every_page_has_one_heading_a_title_and_a_way_past_the_bar(site, store):
    store(*BASE, planted("banker-pai-gow", "rake-mismatch"), b"{broken")
    for name, html in pages_of(site).items():
        if name == "progress":
            continue
        assert len(re.findall(r"<h1[ >]", html)) == 1, name
        assert len(re.findall(r"<main[ >]", html)) == 1, name
        assert re.search(r"<title>[^<]*\S[^<]*</title>", html), name
        assert '<a class="skip" href="#main">' in html, name
        assert '<html lang="en">' in html, name


def test_ids_of_a_page_are_there_once_and_fragments_lead_somewhere(site, store):
    store(*BASE, planted("banker-pai-gow", "rake-mismatch"), b"{broken")
    for name, html in pages_of(site).items():
        ids = re.findall(r'\sid="([^"]*)"', html)
        assert sorted(ids) == sorted(set(ids)), name
        fragments = set(re.findall(r'href="#([^"]*)"', html))
        assert fragments - set(ids) == set(), name


# -- damaged addresses (SVC-34) -------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "/hands/99999999999999999999999/",
        "/hands/999999999999999999/",
        "/hands/-1/",
        "/hands/0/",
        "/hands/1e3/",
        "/hands/%00/",
        "/hands/١/",
        "/hands/1/",
        "/hands/1/steps/99999999999999999999999/",
        "/hands/1/steps/",
        "/hands/1/steps/?step=-1",
        "/hands/1/steps/?step=²",
        "/hands/1/steps/?step=99999999999999999999999",
        "/hands/1/record",
        "/hands/1/record?version=99999999999999999999999",
        "/hands/1/verdict",
        "/uploads/9999999999/",
        "/uploads/0/",
        "/uploads/0/progress",
        "/uploads/99999999999999999999999/",
        "/nothing",
    ],
)
def test_svc_34_numbers_out_of_range_are_not_found(site, address):
    assert site.get(address).status_code == 404


@pytest.mark.parametrize(
    "address",
    [
        "/hands/?cursor=99999999999",
        "/hands/?cursor=0",
        "/hands/?cursor=n.9223372036854775808.1",
        "/hands/?cursor=n.9223372036854775807.1",
        "/hands/?cursor=%00",
        "/hands/?table=%00",
        "/hands/?from=2024-02-30",
        "/hands/?from=2024-03-02&to=2024-03-01",
        "/hands/?game=poker",
        "/hands/?verdict=fine",
        "/hands/?code=nothing",
        "/hands/?upload=9223372036854775808",
        "/hands/?upload=-1",
        "/hands/?page=0",
        "/hands/?page=99999999999",
        "/hands/?min=9223372036854775808",
        "/hands/?sort=net",
        "/hands/?table=T1&table=T2",
        "/uploads/?page=0",
        "/uploads/?cursor=x",
        "/uploads/?cursor=n.9223372036854775808",
    ],
)
def test_svc_34_a_damaged_query_is_told_in_a_sentence(site, address):
    answer = site.get(address)
    html = answer.content.decode()
    assert answer.status_code == 400
    assert re.search(r'role="alert".*?<span>[A-Z][^<]+\.', html, re.S)


def test_a_post_without_token_gets_a_page_that_says_so(auditor):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(auditor)
    answer = strict.post("/uploads/")
    assert answer.status_code == 403
    assert "<h1>The form has grown old</h1>" in answer.content.decode()


class Unread:
    """A body that nobody may read."""

    def read(self, *_: int) -> bytes:
        pytest.fail("The body was read.")

    readline = read


def send_unread(address):
    """Send a large body as a browser does that has seen the log-in page."""
    client = Client(enforce_csrf_checks=True)
    client.get("/login")
    assert set(client.cookies) == {"csrftoken"}
    return client.generic(
        "POST",
        address,
        **{
            "wsgi.input": Unread(),
            "CONTENT_TYPE": "multipart/form-data; boundary=x",
            "CONTENT_LENGTH": str(2**31),
        },
    )


def test_a_stranger_is_turned_away_before_his_upload_is_read(db):
    answer = send_unread("/uploads/")
    assert (answer.status_code, answer["Location"]) == (302, "/login?next=/uploads/")


def test_a_stranger_cannot_leave_a_large_body_at_the_login(db):
    answer = send_unread("/login")
    assert answer.status_code == 413
    assert "more than a log-in needs" in answer.content.decode()


@pytest.mark.parametrize("address", ["/hands/", "/rules/", "/hands/1/", "/hands/1/record"])
def test_pages_that_only_read_take_no_post(site, address):
    assert site.post(address).status_code == 405
