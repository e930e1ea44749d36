"""The page of a hand: its steps, its findings, its settlement, its bytes."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

import replay
from audit import selectors, services
from audit.models import Chunk, Hand
from tests.access import JOURNAL, WHO_ASKS
from tests.web.lines import BASE, GOLDEN, PAI_GOW, TIEN_GOW, WENZHOU, changed, planted, with_net


@pytest.fixture
def shown(site, store):
    """Store a line and give the address of its hand with the walk that its page must show."""

    def run(line):
        store(line)
        hand = Hand.objects.get()
        return f"/hands/{hand.pk}/", replay.walk(line, selectors.current_rulesets())

    return run


def html_of(site, address, **headers):
    answer = site.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def number_of(html):
    return int(re.search(r'data-number="(\d+)"', html).group(1))


def goals(html):
    found = re.findall(r'href="([^"]*)" data-step data-goal="([^"]*)"', html)
    return {url: name for url, name in found if "decision" not in name}


def settled(html):
    """Rows of the settlement: owner, then pairs of logged and recomputed, with their states."""
    table = html[html.index('class="settle seatwise"') : html.index("</table></div>")]
    rows = re.findall(
        r'<th scope="row" data-heads[^>]*>(?:(?!</th>).)*<bdi>(.*?)</bdi>(.*?)</tr>', table, re.S
    )
    cell = re.compile(r'<td class="(num[^"]*)"[^>]*>(.*?)</td>', re.S)
    return {
        owner: [
            (re.sub(r"<[^>]*>", "", words).split()[-1], "off" in names, "follows" in names)
            for names, words in cell.findall(cells)
        ]
        for owner, cells in rows
    }


@pytest.mark.parametrize("line", BASE, ids=["pg", "tg-declared", "tg", "small", "wz"])
def test_every_step_has_its_page(site, shown, line):
    address, walk = shown(line)
    last = len(walk.steps) - 1
    for step in walk.steps:
        html = html_of(site, f"{address}steps/{step.number}/")
        assert number_of(html) == step.number
        assert f"<strong>Step {step.number} of {last}</strong>" in html
    assert site.get(f"{address}steps/{last + 1}/").status_code == 404


@pytest.mark.parametrize("line", [PAI_GOW, TIEN_GOW, WENZHOU], ids=["pg", "tg", "wz"])
def test_the_region_is_the_same_part_of_the_page(site, shown, line):
    address, walk = shown(line)
    for number in (0, 3, len(walk.steps) - 1):
        whole = html_of(site, f"{address}steps/{number}/")
        region = html_of(site, f"{address}steps/{number}/", X_Tilecourt_Region="1")
        assert region.strip() in whole
        assert "<html" not in region


def test_a_clean_hand_opens_at_its_end_and_a_flagged_one_at_its_first_finding(site, shown):
    address, walk = shown(PAI_GOW)
    assert number_of(html_of(site, address)) == len(walk.steps) - 1


def test_a_flagged_hand_opens_at_its_first_finding(site, shown):
    line = planted("tien-gow", "follow-illegal")
    address, walk = shown(line)
    finding = json.loads(site.get(f"{address}verdict").content)["findings"][0]
    html = html_of(site, address)
    assert number_of(html) == finding["event"] + 1
    assert "<code>follow-illegal</code>" in html
    assert walk.steps[finding["event"] + 1].findings[0].code == "follow-illegal"


def test_transport_leads_to_the_neighbours(site, shown):
    address, walk = shown(PAI_GOW)
    steps = f"{address}steps/"
    heads = [
        step.number
        for step in walk.steps
        if step.number == 0 or step.part.key != walk.steps[step.number - 1].part.key
    ]
    last = len(walk.steps) - 1
    middle = heads[2]
    assert goals(html_of(site, f"{steps}{middle}/")) == {
        f"{steps}0/": "first",
        f"{steps}{heads[1]}/": "previous-part",
        f"{steps}{middle - 1}/": "previous",
        f"{steps}{middle + 1}/": "next",
        f"{steps}{heads[3]}/": "next-part",
        f"{steps}{last}/": "last",
    }
    assert "first" not in goals(html_of(site, f"{steps}0/")).values()
    assert "next" not in goals(html_of(site, f"{steps}{last}/")).values()


def test_next_and_previous_finding(site, shown):
    address, walk = shown(planted("tien-gow", "follow-illegal"))
    found = [step.number for step in walk.steps if step.findings]
    steps = f"{address}steps/"
    assert goals(html_of(site, f"{steps}0/"))[f"{steps}{found[0]}/"] == "next-finding"
    html = html_of(site, f"{steps}{len(walk.steps) - 1}/")
    if found[-1] != len(walk.steps) - 1:
        assert goals(html)[f"{steps}{found[-1]}/"] == "previous-finding"


def test_the_slider_is_a_form(site, shown):
    address, _ = shown(PAI_GOW)
    answer = site.get(f"{address}steps/?step=7")
    assert (answer.status_code, answer["Location"]) == (302, f"{address}steps/7/")


def test_svc_66_and_67_what_follows_a_stop_is_shown_as_logged(site, shown):
    address, walk = shown(planted("tien-gow", "follow-illegal"))
    stop = next(step.number for step in walk.steps if step.findings)
    html = html_of(site, f"{address}steps/{stop}/")
    assert html.count('class="stop"') == (1 if stop < len(walk.steps) - 1 else 0)
    assert "The replay stops here" in html
    assert ">Result as logged</h2>" in html
    assert "Settlement, logged beside recomputed" not in html


def test_the_settlement_shows_logged_beside_recomputed(site, shown):
    line = with_net(PAI_GOW, 1, "-99.00")
    address, walk = shown(line)
    rows = settled(html_of(site, address))
    expected = {}
    for figure in walk.figures:
        is_off = bool(figure.findings)
        follows = is_off and figure.findings[0].follows
        words = [
            "–" if figure.logged is None else figure.logged.replace("-", "−"),
            figure.recomputed.replace("-", "−"),
        ]
        if figure.logged is None:
            words[0] = "logged"  # the words for a reader: "– not logged"
        name = figure.owner_title.lstrip("東南西北 ")
        expected.setdefault(name, []).extend((word, is_off, follows) for word in words)
    assert rows == expected
    assert [row for row in rows if any(off for _, off, _ in rows[row])] == ["Bo"]


def test_each_recomputed_number_opens_its_way(site, shown):
    address, walk = shown(with_net(PAI_GOW, 1, "-99.00"))
    html = html_of(site, address)
    opened = re.findall(r'<a href="#(why-[^"]*)" data-way', html)
    rows = re.findall(r'class="wf-row[^"]*" id="(why-[^"]*)"', html)
    assert opened == [f"why-{figure.owner}-{figure.name}" for figure in walk.figures]
    assert sorted(opened) == sorted(rows)
    way = html[html.index('id="why-seat-1-net"') :]
    way = way[: way.index("</table>")]
    net = next(f for f in walk.figures if (f.owner, f.name) == ("seat-1", "net"))
    rules = re.findall(r'href="/rules/#([^"]*)"', way)
    assert rules == [stage.rule for stage in net.stages if stage.rule]
    assert len(re.findall(r'<td class="formula">', way)) == len(net.stages)
    assert 'wf-first" id="why-seat-1-net"' in html


def test_explained_by_stands_in_words(site, shown):
    for line in (json.loads(one) for one in _planted_lines()):
        raw = json.dumps(line, ensure_ascii=False).encode()
        verdict = replay.audit(raw, selectors.current_rulesets())
        labels = {label for finding in verdict.findings for label in finding.explained_by}
        if labels == {"pg.rake_round=half_up"}:
            address, _ = shown(raw)
            html = html_of(site, address)
            assert "The log is right if the rounding of the rake were half up" in html
            assert "<code>pg.rake_round = half_up</code>" in html
            return
    raise AssertionError("no such hand among the golden vectors")


def _planted_lines():
    return (GOLDEN / "banker-pai-gow" / "planted.ndjson").read_bytes().splitlines()


def test_the_record_is_the_exact_bytes(site, shown):
    line = PAI_GOW.replace(b'"Ann"', b'"A\\u006en"').replace(b",", b" ,", 3)
    address, _ = shown(line)
    answer = site.get(f"{address}record")
    assert answer.content == line
    assert answer["Content-Type"] == "application/x-ndjson"
    assert answer["Content-Disposition"].startswith("attachment;")


def test_svc_02_both_versions_can_be_fetched(site, store):
    other = with_net(PAI_GOW, 1, "-99.00")
    store(PAI_GOW)
    store(other)
    hand = Hand.objects.get()
    fetched = [site.get(f"/hands/{hand.pk}/record?version={number}").content for number in (1, 2)]
    assert fetched == [PAI_GOW, other]
    assert site.get(f"/hands/{hand.pk}/record?version=3").status_code == 404
    html = html_of(site, f"/hands/{hand.pk}/")
    assert "Another record under this id" in html
    assert html.count(f"/hands/{hand.pk}/record?version=") == 2


@pytest.mark.parametrize("is_turned", [False, True], ids=["right first", "wrong first"])
def test_svc_02_the_difference_is_shown_field_by_field(site, store, is_turned):
    nets = {with_net(PAI_GOW, 1, "-99.00"): "-99.00", PAI_GOW: "-100.00"}
    lines = list(nets) if is_turned else list(reversed(nets))
    for line in lines:
        store(line)
    html = html_of(site, f"/hands/{Hand.objects.get().pk}/")
    versions = html[html.index('aria-labelledby="versions"') :]
    (cells,) = re.findall(r"<code>result.seats.1.net</code></th>(.*?)</tr>", versions)
    assert re.findall(r"<bdi>(.*?)</bdi>", cells) == [nets[line] for line in lines]
    assert versions.count("</code></th>") == 1
    assert len(re.findall(r"chip-clean|chip-discrepant", versions)) == 2
    assert "None is taken for right" in versions


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (PAI_GOW, ["Base"]),
        (TIEN_GOW, ["One unit"]),
        (WENZHOU, ["Least wager", "Highest wager"]),
    ],
    ids=["pg", "tg", "wz"],
)
def test_the_head_calls_the_stakes_by_their_names_in_the_game(site, store, line, names):
    store(line)
    html = html_of(site, f"/hands/{Hand.objects.get().pk}/")
    known = ("Base", "One unit", "Entry", "Least wager", "Highest wager")
    assert [name for name in re.findall(r"<dt>([^<]*)</dt>", html) if name in known] == names


def test_svc_04_the_same_play_under_another_id_is_marked(site, store):
    twin = changed(PAI_GOW, hand_id="base-1b")
    store(PAI_GOW, twin, changed(PAI_GOW, hand_id="other", ext={"fee": 1}))
    base, second, other = Hand.objects.order_by("pk")
    assert {hand.verdict_kind for hand in (base, second)} == {"clean"}
    mark = "Possible duplicate of"
    assert f'{mark} <a href="/hands/{base.pk}/"><bdi>base-1</bdi>' in html_of(
        site, f"/hands/{second.pk}/"
    )
    assert mark not in html_of(site, f"/hands/{base.pk}/")
    assert mark not in html_of(site, f"/hands/{other.pk}/")


def test_svc_09_a_restatement_says_who_when_and_why(site, store):
    store(PAI_GOW)
    other = with_net(PAI_GOW, 1, "-90.00")
    posted = {"files": SimpleUploadedFile("late.ndjson", other), "restatement": " a <b> reason "}
    answer = site.post("/uploads/", posted)
    for chunk in Chunk.objects.filter(state="queued"):
        services.judge_chunk(chunk_id=chunk.pk)
    hand = Hand.objects.get()
    html = html_of(site, f"/hands/{hand.pk}/")
    (told,) = re.findall(r"<li>(Version 2 was put in force.*?)</li>", html)
    moment = f"{hand.restatements.get().created_at:%H:%M:%S} UTC"
    words = re.sub(r"<[^>]*>", "", told)
    assert words.startswith("Version 2 was put in force in place of version 1 by ines.castro, ")
    assert words.endswith(f"{moment}, because: a &lt;b&gt; reason (late.ndjson, line 1)")
    assert "The page shows the current one." in html
    assert "Another record under this id" not in html
    upload = html_of(site, answer["Location"])
    assert "Restatement, because</dt><dd><bdi>a &lt;b&gt; reason</bdi>" in upload
    assert "<dt>Restated</dt><dd>1</dd>" in upload


def test_an_upload_without_a_reason_is_no_restatement(site, store):
    store(PAI_GOW)
    other = with_net(PAI_GOW, 1, "-90.00")
    site.post("/uploads/", {"files": SimpleUploadedFile("x", other), "restatement": ""})
    for chunk in Chunk.objects.filter(state="queued"):
        services.judge_chunk(chunk_id=chunk.pk)
    assert Hand.objects.get().is_conflict


def test_a_reason_that_is_too_long_is_refused(site, store):
    posted = {"files": SimpleUploadedFile("x", PAI_GOW), "restatement": "x" * 501}
    html = site.post("/uploads/", posted, follow=True).content.decode()
    assert "The reason is longer than 500 characters." in html
    assert not Hand.objects.exists()


def test_a_hand_that_came_once_shows_no_difference(site, shown):
    address, _ = shown(PAI_GOW)
    assert "Fields in which the records differ" not in html_of(site, address)


def test_a_field_that_one_record_lacks_is_said_to_be_absent(site, store):
    store(PAI_GOW)
    store(changed(PAI_GOW, ext={"note": "<b>"}))
    html = html_of(site, f"/hands/{Hand.objects.get().pk}/")
    row = html[html.index("<code>ext</code>") :]
    assert row.index("not there") < row.index("{&quot;note&quot;: &quot;&lt;b&gt;&quot;}")


@pytest.mark.parametrize("line", [PAI_GOW, planted("banker-pai-gow", "rake-mismatch")])
def test_the_verdict_is_the_line_that_the_command_writes(site, shown, line):
    address, _ = shown(line)
    answer = site.get(f"{address}verdict")
    expected = replay.audit(line, selectors.current_rulesets(), file="day.ndjson", number=1)
    assert json.loads(answer.content) == json.loads(replay.format_verdict(expected))
    assert answer.content.endswith(b"}\n")


def test_svc_27_amounts_have_the_decimals_of_their_currency(site, store):
    store(*(GOLDEN / "odd" / "minor-digits.ndjson").read_bytes().splitlines())
    nets = []
    for hand in Hand.objects.order_by("minor_digits"):
        walk = replay.walk(
            selectors.hand_detail(hand.pk, sources=None).raw, selectors.current_rulesets()
        )
        player = walk.steps[0].board.seats[2].player
        columns = list(dict.fromkeys(figure.name for figure in walk.figures))
        row = settled(html_of(site, f"/hands/{hand.pk}/"))[player]
        nets.append(row[2 * columns.index("net") + 1][0])
    assert nets == ["236", "38.00", "0.236", "0.00000236"]


def test_svc_64_players_are_text(site, shown):
    hand = json.loads(PAI_GOW)
    hand["seats"][0]["player"] = "</script><b>x</b>"
    address, _ = shown(json.dumps(hand).encode())
    html = html_of(site, address)
    assert "<b>x</b>" not in html
    assert "&lt;/script&gt;&lt;b&gt;x&lt;/b&gt;" in html


def test_svc_24_a_timer_is_told_from_a_player(site, shown):
    hand = json.loads(PAI_GOW)
    zero = next(event for event in hand["events"] if event.get("multiple") == 0)
    zero["auto"] = True
    address, walk = shown(json.dumps(hand).encode())
    autos = sum(step.is_auto for step in walk.steps)
    assert autos >= 1
    assert html_of(site, address).count("by timer") == autos


def test_tiles_have_names(site, shown):
    address, _ = shown(PAI_GOW)
    html = html_of(site, f"{address}steps/12/")
    drawn = re.findall(r'<svg class="tile[^>]*role="img" aria-label="([^"]+)"', html)
    names = {f"{kind.code} {kind.hant} {kind.english}" for kind in replay.KINDS}
    assert drawn
    assert {name.removesuffix(", face down").removesuffix(", played") for name in drawn} <= names


@pytest.mark.parametrize("count", [1, 3])
def test_a_hand_asks_the_same_few_questions(site, store, count):
    store(*(changed(PAI_GOW, hand_id=f"hand-{number}") for number in range(count)))
    hand = Hand.objects.first()
    with CaptureQueriesContext(connection) as queries:
        html_of(site, f"/hands/{hand.pk}/steps/3/")
    # And the hand with its bytes; a twin or a rule of force would be asked for besides.
    assert len(queries) == WHO_ASKS + JOURNAL + 1


def test_a_hand_whose_ruleset_is_gone_still_has_a_page(site, shown, monkeypatch):
    address, _ = shown(PAI_GOW)
    from audit.web import walks  # noqa: PLC0415

    walks.walked.cache_clear()
    monkeypatch.setattr(selectors, "rulesets_naming", lambda _: {})
    html = html_of(site, address)
    walks.walked.cache_clear()
    assert "This record cannot be replayed now" in html
    assert site.get(f"{address}record").content == PAI_GOW


def test_a_stopped_hand_shows_the_result_as_logged(site, shown):
    line = planted("tien-gow", "follow-illegal")
    address, _ = shown(line)
    html = html_of(site, address)
    table = html[html.index('class="grid grid-late"') :]
    table = table[: table.index("</table>")]
    rows = {
        owner: re.findall(r'<td class="num">(.*?)</td>', cells)
        for owner, cells in re.findall(r"<tr><th.*?<bdi>(.*?)</bdi></th>(.*?)</tr>", table)
    }
    hand = json.loads(line)
    players = {entry["seat"]: entry["player"] for entry in hand["seats"]}
    names = [key for key in hand["result"]["seats"][0] if key != "seat"]
    assert rows == {
        players[entry["seat"]]: [str(entry[name]).replace("-", "−") for name in names]
        for entry in hand["result"]["seats"]
    }


def test_a_hand_of_very_many_wagers_keeps_its_page_small(site, shown):
    hand = json.loads(WENZHOU)
    first = next(event for event in hand["events"] if event["type"] == "wager")
    rest = [event for event in hand["events"] if event["type"] != "wager"]
    entry = next(one for one in hand["result"]["bets"] if one["bet"] == first["bet"])
    hand["events"] = [first | {"bet": f"b{number}"} for number in range(950)] + rest
    hand["result"] = {"bets": [entry | {"bet": f"b{number}"} for number in range(950)]}
    hand["result"]["bets"][720]["profit"] = "0.01"
    address, walk = shown(json.dumps(hand).encode())
    count = len({figure.owner for figure in walk.figures})

    def rows(html):
        return re.findall(r'<th scope="row" data-heads[^>]*><bdi>(.*?)</bdi>', html)

    opened = html_of(site, address)
    assert len(opened) < 700_000
    assert "b720" in rows(opened)[20]
    assert len(rows(opened)) == 100
    assert len(rows(html_of(site, f"{address}?rows=1"))) == 100
    pages = -(-count // 100)
    assert len(rows(html_of(site, f"{address}?rows={pages}"))) == (count - 1) % 100 + 1
    for wrong in ("0", str(pages + 1), "-1", "x", "99999999999999999999"):
        assert site.get(f"{address}?rows={wrong}").status_code == 404
    far = html_of(site, f"{address}steps/500/")
    assert len(re.findall(r'class="ev[ "]', far)) == 240
    assert 'aria-current="step"' in far


@pytest.mark.parametrize("line", [PAI_GOW, planted("tien-gow", "follow-illegal")])
def test_the_region_of_the_hand_itself_is_where_it_opens(site, shown, line):
    address, _ = shown(line)
    whole = html_of(site, address)
    region = html_of(site, address, X_Tilecourt_Region="1")
    assert number_of(region) == number_of(whole)
    assert region.strip() in whole


@pytest.mark.parametrize("hands", [1, 3])
def test_a_step_alone_takes_one_query_for_its_hand(site, store, hands):
    """Sign-in apart; a whole page of the auditor has its own test."""
    store(*(changed(TIEN_GOW, hand_id=f"alone-{number}") for number in range(hands)))
    pk = Hand.objects.latest("pk").pk
    for address, headers in (
        (f"/hands/{pk}/steps/5/", {"X-Tilecourt-Region": "1"}),
        (f"/hands/{pk}/steps/5/?as=seat-1", {}),
    ):
        with CaptureQueriesContext(connection) as queries:
            site.get(address, headers=headers)
        asked = [q["sql"] for q in queries if "audit_journal" not in q["sql"]]
        assert len([sql for sql in asked if "audit_hand" in sql]) == 1
        assert len(asked) == WHO_ASKS + 1
