"""The words and small drawings of pages."""

import json
import re
from datetime import UTC, datetime

import pytest
from msgspec import structs

import replay
from audit import selectors
from audit.selectors.desk_members import MemberRow
from audit.selectors.reaudits_report import AmountRow
from audit.web import markup
from audit.web.desk_present import member_line
from audit.web.figures import way_row
from audit.web.presenters.findings import WITHOUT_RULE, present_finding, subject_of
from audit.web.presenters.hands import clock_words, logged_words
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS
from audit.web.presenters.settlement import present_settlement, ways_of
from audit.web.presenters.steps import seconds
from audit.web.presenters.uploads import size_words
from audit.web.presenters.ways import Table, way_of
from audit.web.reaudits_pages import Pair, amount_line
from audit.web.routes import Route
from tests.web.lines import GOLDEN

ROUTE = Route(hand=7)


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
        ("deal-order", "shun", "順門 Shun"),
        ("winner-mismatch", "0", "East 東 East"),
        ("trick-mismatch", "3/2", "North 北 North takes 2 棟"),
        ("next-mismatch", "0/1", "East 東 East, hand 1 of the bank"),
        ("lead-illegal", "55 33", "55 33"),
        ("bonus-mismatch", "supreme 0 6,-2,-2,-2",
         "賀尊, supreme, to East 東 East: East 東+6 South 南−2 West 西−2 North 北−2"),
        ("time-backwards", "400", "400 ms"),
        ("net-mismatch", "-26.67", "−26.67"),
        ("bet-illegal", "1,5,8", "×1, ×5, ×8"),
        ("tile-excess", "55 33", "55 33"),
        ("tile-excess", "1", "1 copy"),
        ("tile-excess", "3", "3 copies"),
        ("deal-count", "0", "0 tiles"),
        ("deal-count", "1", "1 tile"),
        ("wager-illegal", "shun,chu,dao", "順門 Shun, 出門 Chu, 到門 Dao"),
        ("wager-illegal", "Shun", "Shun"),
        ("tricks-mismatch", "3", "3 棟"),
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


@pytest.mark.parametrize(
    ("code", "subject", "words"),
    [
        ("tile-excess", "12", "12"),
        ("deal-count", "shun", "順門 Shun"),
        # A bet or a player may be called like a position or a tile.
        ("profit-mismatch", "shun", "shun"),
        ("profit-mismatch", "12", "12"),
        ("carry-discontinuity", "<b>", "&lt;b&gt;"),
    ],
)
def test_subjects_are_shown_by_their_kind(code, subject, words):
    shown = subject_of(replay.Finding(code=code, subject=subject))
    assert text_of(shown) == words
    assert shown.count("<svg") == (1 if code == "tile-excess" else 0)


@pytest.mark.parametrize("code", replay.CODES)
def test_each_finding_that_the_vectors_know_says_why(code):
    """Either its rule in one sentence, or what it rests on without a rule (FORMAT 6.5)."""
    rules = {
        finding["rule"]
        for path in GOLDEN.glob("*/*.verdicts.ndjson")
        for line in path.read_text(encoding="utf-8").splitlines()
        for finding in json.loads(line).get("findings", ())
        if finding["code"] == code
    }
    for rule in rules:
        card = present_finding(replay.Finding(code=code, rule=rule), step=1, options={})
        assert card.because is not None
        assert card.because.endswith(".")
    assert (None in rules) <= (code in WITHOUT_RULE)


def test_only_a_finding_on_an_event_tells_the_event():
    for event, told in ((3, "bids ×7"), (None, None)):
        finding = replay.Finding(code="bid-illegal", event=event)
        assert present_finding(finding, step=4, options={}, told="bids ×7").told == told


def test_a_weak_rule_says_what_its_letter_means():
    for letter, words in (("A", None), ("B", None), ("C", "C: one other source"),
                          ("D", "D: derived, no source")):  # fmt: skip
        finding = replay.Finding(code="net-mismatch", rule="TG-91", confidence=letter)
        assert present_finding(finding, step=1, options={}).weak == words


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
    settlement = present_settlement(
        figures, route=ROUTE, made={}, banker=None, options={}, page=None
    )
    net, gross = settlement.sums
    assert (net.logged, net.recomputed, net.state) == (
        "999999999999.01", "999999999999.00", "follows",
    )  # fmt: skip
    assert (gross.logged, gross.recomputed, gross.state) == (None, "0.00", "none")
    assert [cell.state for row in settlement.rows for cell in row.cells] == [
        "same", "none", "off", "same",
    ]  # fmt: skip
    assert [row.owner for row in settlement.rows] == ["Player 0", "Player 1"]


def with_stages(one, *rules):
    stages = tuple(
        replay.Stage(name=str(n), title=str(n), formula="x", value=one.recomputed, rule=rule)
        for n, rule in enumerate(rules)
    )
    return structs.replace(one, stages=stages)


def test_a_way_tells_each_rule_once_and_no_surer_than_its_game():
    one = with_stages(figure(0, "net", "0.00", "0.00"), "TG-58", "TG-91", "TG-91", None)
    for confidence, letters in ((None, ["A", "D", "D"]), ("D", ["D", "D", "D"])):
        settlement = present_settlement(
            [one], route=ROUTE, made={}, banker=None, options={}, page=None, confidence=confidence
        )
        (stages,) = [shown.stages for shown in settlement.rows[0].ways]
        known = replay.GAMES["tien-gow"].rules
        assert [stage.sentence for stage in stages] == [
            known["TG-58"].sentence, known["TG-91"].sentence, None, None,
        ]  # fmt: skip
        assert [text_of(stage.rule).split()[-1] for stage in stages[:3]] == letters


def test_a_carry_out_without_a_rule_has_its_sentence():
    one = with_stages(figure(0, "carry_out", "0.00", "0.00"), None)
    one = structs.replace(one, stages=(structs.replace(one.stages[0], name="carry_out"),))
    settlement = present_settlement([one], route=ROUTE, made={}, banker=None, options={}, page=None)
    ((stage,),) = [shown.stages for shown in settlement.rows[0].ways]
    assert (stage.sentence, stage.rule) == (
        "What a seat carries out is what it brought and its net result.", "",
    )  # fmt: skip


def test_a_finding_leads_to_the_way_of_its_figure():
    wrong = replay.Finding(code="net-mismatch", subject="b150")
    figures = [
        structs.replace(
            with_stages(figure(0, "profit", "1", "2"), "WZ-23"),
            owner=f"bet-b{number}",
            findings=(wrong,) if number == 150 else (),
        )
        for number in range(1, 201)
    ]
    assert ways_of(figures, ROUTE) == {wrong: "?rows=2#why-bet-b150-profit"}
    assert ways_of(figures[149:], ROUTE) == {wrong: "#why-bet-b150-profit"}


def test_players_have_a_heading_and_wagers_a_sum_of_their_own():
    figures = [
        structs.replace(
            figure(0, name, "10", "10"), seat=None, owner=owner, owner_title=owner, owner_note=note
        )
        for owner, note in (("bet-1", "10 on 順門 Shun to win"), ("bet-2", "10 on 到門 Dao to win"),
                            ("player-a", "2 wagers"), ("player-b", "1 wager"))
        for name in ("profit", "valid_bet")
    ]  # fmt: skip
    settlement = present_settlement(
        figures, route=ROUTE, made={}, banker=None, options={}, page=None
    )
    assert [(row.note, row.group) for row in settlement.rows] == [
        ("10 on 順門 Shun to win", None),
        ("10 on 到門 Dao to win", None),
        ("2 wagers", "Players, over all their wagers"),
        ("1 wager", None),
    ]
    assert settlement.sum_title == "All wagers"
    assert [(cell.logged, cell.recomputed) for cell in settlement.sums] == [("20", "20")] * 2


def test_every_ruleset_is_on_the_page_of_rules(site):
    html = site.get("/rules/").content.decode()
    names = [ruleset.name for ruleset in selectors.current_rulesets()]
    shown = re.findall(r'<details class="ruleset"[^>]*><summary><b>(.*?)</b>', html)
    assert shown == sorted(names)
    ids = re.findall(r'<div id="([^"]+)">', html)
    known = {rule for game in replay.GAMES.values() for rule in game.rules}
    assert sorted(ids) == sorted(known)


def drawn_bars(values):
    """The bars of a way whose stages have these values, as the page draws them: (x, width)."""
    figure = replay.Figure(
        name="units",
        title="Units",
        owner="seat-0",
        owner_title="East",
        seat=0,
        logged=values[-1],
        recomputed=values[-1],
        stages=tuple(
            replay.Stage(name="s", title="Stage", formula="", value=value) for value in values
        ),
    )
    way = way_of(figure, Table(banker=0, options={}, confidence=None, first_wrong=None))
    html = way_row(way, 3)
    bars = re.findall(r'<rect class="[^"]*" x="([0-9.]+)" y="7" width="([0-9.]+)"', html)
    zero = re.search(r'<path class="b-link" d="M([0-9.]+) ', html)
    return float(zero.group(1)), [(float(x), float(width)) for x, width in bars]


def test_a_bar_reaches_from_zero_to_its_value_and_stays_inside_its_drawing():
    assert drawn_bars(["-4", "6", "16"]) == (40.0, [(0.0, 40.0), (40.0, 60.0), (40.0, 160.0)])
    assert drawn_bars(["-5.00", "-20.00"]) == (200.0, [(150.0, 50.0), (0.0, 200.0)])
    assert drawn_bars(["10", "5"]) == (0.0, [(0.0, 200.0), (0.0, 100.0)])


def test_amounts_of_a_re_audit_have_their_thousands_set_off() -> None:
    row = AmountRow(
        source="", table="", player="", currency="HKD", minor_digits=2, hands=3, net_before=-123456,
        net_after=1234567, rake_before=None, rake_after=None, valid_bet_before=0,
        valid_bet_after=99999,
    )  # fmt: skip
    line = amount_line(row)
    assert (line.net, line.rake) == (
        Pair(before="−1,234.56", after="12,345.67", difference="+13,580.23", is_other=True),
        None,
    )


def test_the_risk_of_a_hand_of_a_case_has_its_thousands_set_off() -> None:
    row = MemberRow(
        pk=1, hand_pk=1, hand_id="a", table="T1", played_at=datetime(2025, 3, 1, tzinfo=UTC),
        started_at="2025-03-01T00:00:00Z", players=("amy",), currency="CNY", digits=2,
        at_risk=105210, is_known=True, left_at=None, finding=None,
    )  # fmt: skip
    assert member_line(row).at_risk == "CNY 1,052.10"


@pytest.mark.parametrize(
    ("logged", "words"),
    [
        ("2024-05-17T21:14:06+08:00", "17 May 2024, 21:14:06 +08:00"),
        ("2026-01-05T12:41:28.000Z", "5 January 2026, 12:41:28 Z"),
        ("", ""),
        ("today", "today"),
    ],
)
def test_a_logged_time_is_told_as_the_head_of_a_hand_has_it(logged, words):
    assert logged_words(logged) == words
