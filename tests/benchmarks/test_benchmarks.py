"""The benchmarks run on a few hands and print each figure; nothing here is timed."""

import re

import pytest

import replay
from benchmarks import ingest, logs, memory, packing, pages, poker, speed


def test_speed_prints_both_ratios_and_every_stage():
    text = speed.report(40, 1)
    assert re.search(r"audit reaches \d+\.\d\d of it \(goal 0\.4\)", text)
    assert re.search(r"audit: [\d,]+ events/s, \d+\.\d times as many \(goal 60\)", text)
    assert re.search(r"banker-pai-gow takes \d+\.\d\d of a Tien Gow hand", text)
    stages = re.findall(r"^  (\S.*\S) +-?\d+\.\d µs$", text.split("goes\n")[1], re.MULTILINE)
    assert stages == [
        "typed decoding",
        "is anything hidden that the decoder does not see",
        "times",
        "amounts and form checks",
        "replay, settlement, comparison",
        "settlement as text",
        "SHA-256 of the line",
        "digest of the verdict",
        "the verdict itself, calls, the rest",
        "verdict line",
        "all",
    ]


@pytest.mark.parametrize("game", logs.RULESETS)
def test_the_hands_are_clean_and_the_same_in_every_run(game):
    rulesets = replay.load_rulesets()
    lines = logs.hands_of(game, 20, rulesets)
    assert lines == logs.hands_of(game, 20, rulesets)
    assert {replay.audit(line, rulesets).verdict for line in lines} <= {"clean", "void"}


def test_poker_hands_are_finished_and_the_same_in_every_run():
    texts = poker.hands(5, 1)
    assert texts == poker.hands(5, 1)
    assert poker.actions_in(texts) == sum(text.count("'") for text in texts) // 2 - 5
    poker.replay_all(texts)


def test_memory_tells_both_peaks():
    assert re.fullmatch(
        r"peak memory of python -m replay audit: \d+\.\d MB on 1 MB of simulated Tien Gow hands,"
        r" \d+\.\d MB on 2 MB: [+-]\d+\.\d % \(goal within 10 %\)",
        memory.report(1, 2),
    )


def test_packing_tells_bytes_and_time_of_each_game():
    rows = packing.report(6).splitlines()[3:]
    assert [row.split()[0] for row in rows] == list(replay.GAMES)
    assert {len(row.split()) for row in rows} == {8}


def test_a_dictionary_can_be_trained_and_is_the_same_each_time():
    content = packing.train(60)
    assert content == packing.train(60)
    assert len(content) == packing.DICTIONARY_BYTES


@pytest.mark.slow
def test_ingest_prints_every_contender_and_the_four_ratios(monkeypatch):
    """On services of its own: it empties its tables."""
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("BROKER_URL")
    text = ingest.report(60, 1)
    table = re.findall(r"^ +(\S.*\S) +\d+\.\d\d s   [\d,]+ hands/s$", text, re.MULTILINE)
    assert table == [
        "audit",
        "without Celery",
        "re-audit of what is stored",
        "two workers",
        "two, slowly",
        "one worker",
        "of it receiving",
        "one, slowly",
        "COPY",
        "as bytea",
        "as jsonb",
    ]
    assert re.search(r"\(a\) .*, reaches \d+\.\d\d of the rate of", text)
    assert re.search(r"\(b\) it takes \d+\.\d times as long as COPY", text)
    assert re.search(r"\(c\) two workers: \d+\.\d\d times as fast .* \(goal 1\.7\): slowly", text)
    assert re.search(r"held to 25% of a core, so that none takes another's;$", text, re.M)
    assert re.search(r"^    \d+\.\d\d times on the \d+ cores here", text, re.M)
    assert re.search(r"wait \d+\.\d % of their time in use for locks of each other,$", text, re.M)
    assert re.search(r"without its start$", text, re.MULTILINE)
    share = re.search(r"\(d\) Celery's own share .* of its tasks:\s+(\d+\.\d) %", text)
    assert share, text
    assert 0 < float(share[1]) < 100
    assert re.search(r"\(e\) CPU of a hand: audit \d+ µs; .* storing \d+ µs in one process", text)
    assert re.search(r"\(f\) COPY of the lines .* is\s+\d+\.\d times as fast", text, re.DOTALL)
    assert re.search(r"\(g\) a re-audit reaches \d+\.\d\d of the rate of the audit", text)


@pytest.mark.slow
def test_pages_prints_each_page_with_few_hands_and_with_more(monkeypatch):
    """On services of its own, filled by the way in and then by copies of its rows."""
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("BROKER_URL")
    monkeypatch.setattr(pages, "WALKED", 1)
    inside, over_http, text = pages.report(800, 2).split("\n\n", 2)
    number = r" +\d+\.\d"
    for heading, table in ((pages.INSIDE, inside), (pages.OVER_HTTP, over_http)):
        assert table.startswith(f"{heading}\n")
        kinds = re.findall(
            rf"^  (\S.*\S) +[\d,]+{number}{number} +\d+\.\d\d{number}{number} +\d+\.\d\d",
            table,
            re.MULTILINE,
        )
        assert kinds == [
            "the empty page",
            "the page on which a hand opens",
            "a step, whole page",
            "a step, whole page, drawn before",
            "a step, as the script asks",
            "a step, as the script asks, drawn before",
            "a step as the public saw it",
            "all pages, as the auditor",
            "all pages, then as the public",
            "all pages of both",
        ]
    assert text.startswith("800 hands, and 1,600: milliseconds of each page, and their ratio.\n")
    rows = re.findall(
        rf"^  (\S.*\S){number}{number} +\d+\.\d\d{number}{number} +\d+\.\d\d", text, re.MULTILINE
    )
    assert len(rows) == len(set(rows)) == 22
    assert rows[0] == "hands"
    assert rows[-1] == "an upload"
    assert re.search(r"\d+ of 22 pages stay within 2 times\.$", text)
