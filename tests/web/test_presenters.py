"""The words and small drawings of pages."""

import re

import pytest

import replay
from audit import selectors
from audit.web import markup
from audit.web.presenters.findings import present_finding
from audit.web.presenters.hands import clock_words
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS
from audit.web.presenters.settlement import present_settlement
from audit.web.presenters.steps import seconds
from audit.web.presenters.uploads import size_words
from tests.web.lines import GOLDEN


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html)).strip()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("leads 雙長三, -2", 'leads <span lang="zh-Hant">雙長三</span>, −2'),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("5 % × 96.35 = 4.8175", "5 % × 96.35 = 4.8175"),
        ("2024-05-17", "2024-05-17"),
        ("(-1) and -0.5", "(−1) and −0.5"),
        ("", ""),
    ],
)
def test_our_words_mark_chinese_and_write_real_minus_signs(text, html):
    assert markup.chinese(text) == html


@pytest.mark.parametrize(
    ("ms", "words"),
    [(0, "0.0 s"), (99, "0.0 s"), (100, "0.1 s"), (6199, "6.1 s"), (79_500, "79.5 s")],
)
def test_times_are_cut_and_not_rounded(ms, words):
    assert seconds(ms) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 KB"),
        (8_399, "8.3 KB"),
        (999_999, "999.9 KB"),
        (2_000_000, "2.0 MB"),
    ],
)
def test_sizes(count, words):
    assert size_words(count) == words


@pytest.mark.parametrize(
    ("started_at", "words"),
    [
        ("2024-05-17T21:14:06+08:00", "21:14:06 +08:00"),
        ("2024-05-17t21:14:06.123456789z", "21:14:06 Z"),
        ("2016-12-31T23:59:60Z", "23:59:60 Z"),
    ],
)
def test_the_clock_stands_as_logged(started_at, words):
    assert clock_words(started_at) == words


def test_every_option_and_every_word_for_a_value_has_words():
    known = {name for game in replay.GAMES.values() for name in game.options}
    assert set(OPTION_WORDS) == known
    values = {
        (name, str(value).lower())
        for game in replay.GAMES.values()
        for name, option in game.options.items()
        for value in option.alternatives
    }
    # Numbers stand for themselves.
    assert set(VALUE_WORDS) == {(name, value) for name, value in values if not value[0].isdigit()}


def test_wen_zun_is_the_pair_of_red_mallet_sixes():
    """RULEBOOK 3.6: 文尊 is 15+15; 16+16 is what captures it."""
    assert OPTION_WORDS["wen_zun"] == "the standing of 文尊, the pair 15 15"


def test_every_tile_and_die_is_drawn():
    drawn = set(re.findall(r'<symbol id="([td]\d+)"', sprite_text()))
    assert drawn == {f"t{kind.code}" for kind in replay.KINDS} | {f"d{die}" for die in range(1, 7)}


def test_red_pips_of_the_drawn_tiles_are_those_of_the_set():
    """RULEBOOK 1.1: all 1s and 4s are red, 66 is half red, nothing else is."""
    text = sprite_text()
    for kind in replay.KINDS:
        symbol = re.search(rf'<symbol id="t{kind.code}".*?</symbol>', text, re.S).group()
        count = {
            colour: sum(
                len(re.findall("<circle", group))
                for group in re.findall(rf"<g fill=\"var\(--tile-{colour}[^>]*>(.*?)</g>", symbol)
            )
            for colour in ("red", "pip")
        }
        assert count == {"red": kind.red, "pip": kind.value - kind.red}, kind.code


def sprite_text():
    path = GOLDEN.parents[1] / "audit" / "static" / "tiles" / "tiles.svg"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "logged", "words"),
    [
        ("out-of-turn", "2", "West 西 West"),
        ("banker-wrong", "1,3", "South 南 South, North 北 North"),
        ("deal-order", "shun", "shun"),
        ("winner-mismatch", "0", "East 東 East"),
        ("trick-mismatch", "3/2", "North 北 North takes 2 棟"),
        ("next-mismatch", "0/1", "East 東 East, hand 1 of the bank"),
        ("lead-illegal", "55 33", "55 33"),
        ("bonus-mismatch", "supreme 0 6,-2,-2,-2",
         "supreme to East 東 East: East 東+6 South 南−2 West 西−2 North 北−2"),
        ("time-backwards", "400", "400 ms"),
        ("net-mismatch", "-26.67", "−26.67"),
        ("bet-illegal", "1,5,8", "1, 5, 8"),
        ("bonus-mismatch", "<i>", "&lt;i&gt;"),
    ],
)  # fmt: skip
def test_values_of_findings_are_shown_by_their_kind(code, logged, words):
    finding = replay.Finding(code=code, logged=logged, expected=None)
    card = present_finding(finding, step=3, options={})
    assert text_of(card.logged) == words


def test_tiles_of_a_finding_are_drawn():
    finding = replay.Finding(code="lead-illegal", logged="55 33")
    assert present_finding(finding, step=1, options={}).logged.count("<svg") == 2


def test_an_explanation_names_the_option_in_force():
    finding = replay.Finding(
        code="rake-mismatch",
        logged="4.82",
        expected="4.81",
        explained_by=("pg.rake_round=half_up",),
    )
    card = present_finding(finding, step=20, options={"rake_round": "floor"})
    (one,) = card.explained
    assert (one.label, one.value, one.code, one.in_force) == (
        "the rounding of the rake",
        "half up",
        "pg.rake_round = half_up",
        "floor",
    )


def test_every_rule_that_the_golden_verdicts_cite_is_a_link():
    cited = set()
    for path in GOLDEN.glob("*/*.verdicts.ndjson"):
        cited |= set(re.findall(r'"rule": ?"([^"]+)"', path.read_text(encoding="utf-8")))
    assert {rule for rule in cited if markup.rule_of(rule) is None} == set()
    assert len(cited) > 40


def figure(seat, name, logged, recomputed, *, findings=()):
    return replay.Figure(
        name=name,
        title=name.title(),
        owner=f"seat-{seat}",
        owner_title=f"{markup.SEAT_SEALS[seat]} Player {seat}",
        seat=seat,
        logged=logged,
        recomputed=recomputed,
        findings=findings,
    )


def test_sums_are_exact_and_marked_where_they_differ():
    wrong = replay.Finding(code="net-mismatch", seat=1, logged="-1.00", expected="-1.01")
    figures = [
        figure(0, "net", "1000000000000.01", "1000000000000.01"),
        figure(1, "net", "-1.00", "-1.01", findings=(wrong,)),
        figure(0, "gross", None, "0.10"),
        figure(1, "gross", "-0.10", "-0.10"),
    ]
    settlement = present_settlement(figures, banker=None, options={}, page=None)
    net, gross = settlement.sums
    assert (net.logged, net.recomputed, net.state) == (
        "999999999999.01", "999999999999.00", "follows",
    )  # fmt: skip
    assert (gross.logged, gross.recomputed, gross.state) == (None, "0.00", "none")
    assert [cell.state for row in settlement.rows for cell in row.cells] == [
        "same", "none", "off", "same",
    ]  # fmt: skip
    assert [row.owner for row in settlement.rows] == ["Player 0", "Player 1"]


def test_every_ruleset_is_on_the_page_of_rules(site):
    html = site.get("/rules/").content.decode()
    names = [ruleset.name for ruleset in selectors.current_rulesets()]
    shown = re.findall(r'<details class="ruleset"[^>]*><summary><b>(.*?)</b>', html)
    assert shown == sorted(names)
    ids = re.findall(r'<div id="([^"]+)">', html)
    known = {rule for game in replay.GAMES.values() for rule in game.rules}
    assert sorted(ids) == sorted(known)
