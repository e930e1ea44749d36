"""The list of hands: filters, order, pages."""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import SavedFilter
from tests.access import JOURNAL, WHO_ASKS, trusted
from tests.web.lines import (
    BASE,
    PAI_GOW,
    changed,
    planted,
    with_net,
)


def ids(answer):
    """The hand ids in the order of the rows."""
    assert answer.status_code == 200
    return re.findall(r'class="at-h"><a [^>]*><bdi>([^<]*)</bdi>', answer.content.decode())


def link(answer, rel):
    match = re.search(rf'href="([^"]*)" rel="{rel}"', answer.content.decode())
    return match and "/hands/" + match.group(1).replace("&amp;", "&")


@pytest.fixture
def three(store):
    """Two clean hands and a discrepant one, played on three days at two tables."""
    store(
        changed(PAI_GOW, hand_id="a", started_at="2025-03-01T23:30:00-07:00",
                ended_at="2025-03-01T23:31:00-07:00"),
        changed(PAI_GOW, hand_id="b", table="T 2&3", started_at="2025-03-03T10:00:00Z",
                ended_at="2025-03-03T10:01:00Z"),
        changed(with_net(PAI_GOW, 1, "-99.00"), hand_id="c", started_at="2025-03-04T10:00:00Z",
                ended_at="2025-03-04T10:01:00Z"),
    )  # fmt: skip


def test_the_latest_hand_comes_first(site, three):
    assert ids(site.get("/hands/")) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("game=banker-pai-gow", ["c", "b", "a"]),
        ("game=tien-gow", []),
        ("verdict=discrepant", ["c"]),
        ("verdict=clean", ["b", "a"]),
        ("code=net-mismatch", ["c"]),
        ("code=rake-mismatch", []),
        ("table=T+2%263", ["b"]),
        ("table=T", []),
        ("player=Ann", ["c", "b", "a"]),
        ("player=An", []),
        ("from=2025-03-03", ["c", "b"]),
        ("to=2025-03-01", ["a"]),
        ("from=2025-03-02&to=2025-03-03", ["b"]),
        ("from=&to=&game=&player=", ["c", "b", "a"]),
        ("upload=999", []),
    ],
)
def test_filters(site, three, query, found):
    assert ids(site.get(f"/hands/?{query}")) == found


def test_an_empty_list_says_what_to_do(site, store):
    html = site.get("/hands/").content.decode()
    assert re.findall(r'<p class="empty">(.*?)</p>', html) == [
        'No hand is stored yet. <a href="/uploads/">Upload a log</a>.'
    ]
    store(PAI_GOW)
    html = site.get("/hands/?verdict=void").content.decode()
    assert re.findall(r'<p class="empty">(.*?)</p>', html) == [
        'No hand matches. <a href="/hands/">Clear the filters</a>.'
    ]


def test_svc_55_pages_forward_and_back(site, store):
    names = [f"hand-{number:03}" for number in range(120)]
    store(*(changed(PAI_GOW, hand_id=name) for name in names))
    first = site.get("/hands/?player=Ann")
    second = site.get(link(first, "next"))
    third = site.get(link(second, "next"))
    whole = [ids(page) for page in (first, second, third)]
    assert [len(page) for page in whole] == [50, 50, 20]
    assert sorted(name for page in whole for name in page) == names
    assert (link(first, "prev"), link(third, "next")) == (None, None)
    again = site.get(link(third, "prev"))
    assert ids(again) == whole[1]
    assert ids(site.get(link(again, "prev"))) == whole[0]


def test_a_page_keeps_its_filters(site, three, store):
    store(*(changed(PAI_GOW, hand_id=f"x{number}", table="T 2&3") for number in range(60)))
    page = site.get("/hands/?table=T+2%263&verdict=clean")
    html = page.content.decode()
    assert 'name="table" list="tables" maxlength="128" value="T 2&amp;3"' in html
    assert '<input type="hidden" name="verdict" value="clean">' in html
    assert ids(site.get(link(page, "next"))) == [f"x{number}" for number in range(10, -1, -1)]


def test_svc_44_games_are_told_apart(site, store):
    store(*BASE)
    found = {
        game: len(ids(site.get(f"/hands/?game={game}")))
        for game in ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")
    }
    assert found == {
        "banker-pai-gow": 1,
        "tien-gow": 2,
        "small-tien-gow": 1,
        "wenzhou-pai-gow": 1,
    }


def whys(html):
    """The cells of the first findings as text."""
    cells = re.findall(r'<td class="why at-w[^"]*">(.*?)</td>', html, re.S)
    return [
        " ".join(re.sub(r"<[^>]*>", "", cell.replace('<span class="sub">', " ")).split())
        for cell in cells
    ]


def test_a_row_names_the_primary_finding_with_its_values(site, store):
    store(
        planted("banker-pai-gow", "rake-mismatch"),
        planted("tien-gow", "follow-illegal"),
        PAI_GOW,
    )
    assert whys(site.get("/hands/").content.decode()) == [
        "no finding",
        "The rake differs: logged 0.03, expected 0.00 rake-mismatch PG-31 A North 北; 1 more",
        "A follow that the rules refuse: logged 24 12 follow-illegal TG-21 A step 8 North 北",
    ]


def test_svc_64_names_are_text(site, store):
    wicked = '"><svg onload=alert(1)>'
    hand = json.loads(PAI_GOW)
    hand["seats"][0]["player"] = wicked
    store(changed(json.dumps(hand).encode(), table=wicked, source="<b>bs</b>", hand_id="&amp;"))
    html = site.get("/hands/").content.decode()
    assert "<svg onload" not in html
    assert "<b>bs</b>" not in html
    assert html.count("&quot;&gt;&lt;svg onload=alert(1)&gt;") == 3
    assert ids(site.get("/hands/")) == ["&amp;amp;"]


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_asks_the_same_few_questions(site, store, count):
    store(*(changed(PAI_GOW, hand_id=f"hand-{number}") for number in range(count)))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(ids(site.get("/hands/"))) == count
    # And the hands, the two lists that the filters offer, the saved filters.
    assert len(queries) == WHO_ASKS + JOURNAL + 4


@pytest.mark.parametrize("count", [1, 3])
def test_the_findings_of_the_list_are_one_question_more(site, store, count):
    wrong = with_net(PAI_GOW, 1, "-99.00")
    store(*(changed(wrong, hand_id=f"hand-{number}") for number in range(count)))
    with CaptureQueriesContext(connection) as queries:
        assert len(ids(site.get("/hands/?verdict=discrepant"))) == count
    assert len(queries) == WHO_ASKS + JOURNAL + 5


def test_a_filter_is_saved_shown_and_deleted(site, three):
    form = {"verdict": "clean", "table": "T 2&3", "cursor": "x", "name": "  my   table "}
    answer = site.post("/hands/filters", form, follow=True)
    assert answer.redirect_chain == [("/hands/?verdict=clean&table=T+2%263", 302)]
    assert ids(answer) == ["b"]
    html = answer.content.decode()
    assert "The filter “my table” is saved." in html
    (address,) = re.findall(r'<li><a href="([^"]*)"><bdi>my table</bdi>', html)
    assert ids(site.get(address.replace("&amp;", "&"))) == ["b"]
    (delete,) = re.findall(r'action="(/hands/filters/\d+/delete)"', html)
    assert "my table" not in site.post(delete, follow=True).content.decode()


def test_a_saved_filter_belongs_to_one_person(site, three, django_user_model):
    site.post("/hands/filters", {"verdict": "clean", "name": "mine"})
    html = site.get("/hands/").content.decode()
    (delete,) = re.findall(r'action="(/hands/filters/\d+/delete)"', html)
    site.force_login(
        trusted(django_user_model.objects.create_user("other", password="correct horse"))
    )
    assert "mine" not in site.get("/hands/").content.decode()
    site.post(delete)
    assert SavedFilter.objects.count() == 1


def test_the_same_name_again_means_the_new_list(site, three):
    site.post("/hands/filters", {"verdict": "clean", "name": "mine"})
    site.post("/hands/filters", {"verdict": "discrepant", "name": "mine"})
    assert [one.query for one in SavedFilter.objects.all()] == ["verdict=discrepant"]


@pytest.mark.parametrize(
    "form",
    [
        {"name": "nothing"},
        {"verdict": "clean", "name": "   "},
        {"verdict": "clean", "name": "x" * 61},
        {"verdict": "clean", "name": "a\0b"},
        {"verdict": "wrong", "name": "x"},
        {"risk": "1e3", "name": "x"},
    ],
)
def test_a_filter_that_makes_no_sense_is_not_saved(site, three, form):
    assert site.post("/hands/filters", form).status_code == 302
    assert SavedFilter.objects.count() == 0


def test_an_unknown_code_is_refused_without_reciting_all_codes(site, three):
    answer = site.get("/hands/?code=wrong").content.decode()
    assert "The filter “code” names nothing that is known here." in answer


@pytest.mark.parametrize("nets", [("-100.00", "-99.00"), ("-99.00", "-100.00")])
def test_svc_02_a_hand_in_conflict_says_so_in_the_list(site, store, nets):
    """Whichever record came first, the row does not pass for one that was settled."""
    for net in nets:
        store(with_net(PAI_GOW, 1, net), changed(PAI_GOW, hand_id="other"))
    page = site.get("/hands/").content.decode()
    rows = dict(
        re.findall(r'<tr><td class="at-v">(?P<v>.*?)</td>.*?<bdi>(?P<h>[^<]*)</bdi>', page, re.S)
    )
    marks = {hand: "In conflict" in verdict for verdict, hand in rows.items()}
    assert marks == {"base-1": True, "other": False}
    assert ids(site.get("/hands/?conflict=1")) == ["base-1"]
