"""Re-audits in the browser: starting one, its progress, what it found, both judgements."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import services
from audit.models import Hand, Reaudit, ReauditResult
from audit.selectors.exports_sheet import Found, check_sheet
from audit.selectors.reaudits_scope import KEYS
from audit.selectors.rulesets import forget_rulesets
from audit.web.presenters.hands import FILTERS
from tests.access import JOURNAL, WHO_ASKS
from tests.audit.logs import B, W, changed, with_net
from tests.audit.reauditing import (
    NAMED,
    OTHER,
    engine,
    know,
    many,
    reaudited,
    start,
    without_rake,
    write_revision,
)

WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


@pytest.fixture
def rehearsal(store: Any, settings: Any, tmp_path: Any) -> Reaudit:
    """B and a hand with a wrong net, judged under a rake of 6 % instead of 5 %."""
    store(B, WRONG, W)
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    return reaudited(ruleset=name, reason="what if <b>6 %</b>")


def text_of(page: str) -> str:
    """What a reader sees of the main part, blanks folded."""
    main = re.search(r"<main.*?</main>", page, re.S)
    assert main is not None
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main.group())).split())


def get(site: Any, address: str, status: int = 200) -> str:
    answer = site.get(address)
    assert answer.status_code == status, answer.content
    return str(answer.content.decode())


def test_the_form_counts_and_starts(site: Any, store: Any, auditor: Any) -> None:
    store(B, WRONG)
    assert "2 hands would be judged again." in text_of(get(site, "/reaudits/new"))
    assert "1 hand would be judged again." in text_of(get(site, "/reaudits/new?verdict=discrepant"))
    asked = {"do": "count", "verdict": "clean", "reason": "a check"}
    answer = site.post("/reaudits/new", asked)
    assert "1 hand would be judged again." in text_of(answer.content.decode())
    assert not Reaudit.objects.exists()
    answer = site.post("/reaudits/new", {**asked, "do": "start"})
    job = Reaudit.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/reaudits/{job.pk}/")
    assert (job.requested_by, job.reason, job.filter) == (auditor, "a check", {"verdict": "clean"})


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "Say why: the reason stays on record."),
        ({"reason": "x", "upload": "1e3"}, "The filter “upload” is no number."),
        ({"reason": "x", "ruleset": "no@1"}, "The ruleset 'no@1' is not known here."),
        (
            {"reason": "x", "refused_lines": "all", "game": "tien-gow"},
            "Refused lines can be narrowed by their upload alone",
        ),
    ],
)
def test_what_cannot_be_started_is_told(site: Any, asked: dict[str, str], sentence: str) -> None:
    answer = site.post("/reaudits/new", {"do": "start", **asked})
    assert answer.status_code == 400
    page = text_of(answer.content.decode())
    assert sentence in page
    assert not Reaudit.objects.exists()


def test_every_filter_of_the_hands_list_is_one_of_a_re_audit(site: Any, store: Any) -> None:
    assert set(KEYS) == set(FILTERS)
    store(B, WRONG)
    page = text_of(get(site, "/reaudits/new?q=wro&source=odd"))
    assert "Also kept to: source odd , beginning with wro ." in page
    assert "1 hand would be judged again." in page


def test_the_list_names_each_with_its_state(site: Any, rehearsal: Reaudit) -> None:
    start(reason="everything")
    page = text_of(get(site, "/reaudits/"))
    first, second = page.index("everything"), page.index("what if <b>6 %</b>")
    assert first < second, "the newest first"
    assert f"Rehearsal under {OTHER}; game" in page
    assert "Gathering" in page


def test_the_list_asks_as_much_for_three_as_for_one(site: Any, store: Any) -> None:
    counted = []
    for wanted in (1, 3):
        while Reaudit.objects.count() < wanted:
            start()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            get(site, "/reaudits/")
        counted.append(len(queries))
    assert counted[0] == counted[1] <= WHO_ASKS + JOURNAL + 2


def test_a_running_one_shows_how_far_it_is_and_can_be_stopped(
    site: Any, store: Any, settings: Any
) -> None:
    settings.TILECOURT_REAUDIT_BATCH_MAX = 1
    store(B, WRONG)
    job = start()
    page = get(site, f"/reaudits/{job}/")
    assert "Gathering: 0 found so far." in text_of(page)
    for _ in range(3):
        services.work_on_reaudit(reaudit_id=job)
    page = get(site, f"/reaudits/{job}/")
    assert "1 of 2 judged again." in text_of(page)
    assert f'data-url="/reaudits/{job}/progress"' in page
    part = get(site, f"/reaudits/{job}/progress")
    assert 'value="50"' in part
    assert "data-ended" not in part
    assert site.post(f"/reaudits/{job}/stop")["Location"] == f"/reaudits/{job}/"
    page = get(site, f"/reaudits/{job}/")
    assert "Stopped. 1 of 2 judged again." in text_of(page)
    assert "data-ended" in page
    site.post(f"/reaudits/{job}/resume")
    assert Reaudit.objects.get().state == "running"
    answer = site.post(f"/reaudits/{job}/resume", follow=True)
    assert f"Re-audit {job} is not stopped." in text_of(answer.content.decode())


def test_the_report_tells_flips_and_money_by_player_table_and_currency(
    site: Any, rehearsal: Reaudit
) -> None:
    page = text_of(get(site, f"/reaudits/{rehearsal.pk}/"))
    assert "what if <b>6 %</b>" in page
    assert "A rehearsal: its results stand beside" in page
    assert "Clean no finding Discrepant The rake differs" in page
    # Ann won 10.00 twice: a rake of 0.50 becomes 0.60.
    ann = "Ann {} CNY 2 19.00 18.80 −0.20 1.00 1.20 +0.20 20.00 20.00 0.00"
    assert ann.format(json.loads(B)["source"]) in page
    assert "CNY 2 −10.00 −12.00 −2.00 10.00 12.00 +2.00 400.00 400.00 0.00" in page


def test_a_way_of_changing_leads_to_its_hands_and_each_to_both_judgements(
    site: Any, rehearsal: Reaudit
) -> None:
    page = get(site, f"/reaudits/{rehearsal.pk}/")
    links = re.findall(r'href="([^"]*\?flip=[^"]*)">(\d+)</a>', page)
    assert [count for _, count in links] == ["1", "1"]
    found = []
    for link, _ in links:
        listed = get(site, html.unescape(link))
        (change,) = re.findall(rf'href="(/reaudits/{rehearsal.pk}/hands/\d+/)"', listed)
        found.append((text_of(listed), text_of(get(site, change))))
    listed, change = next(both for both in found if "base-1" in both[0])
    assert "Only from clean (no finding) to discrepant (The rake differs" in listed
    assert f"Before Clean Ruleset {NAMED}" in change
    assert f"By this re-audit Discrepant Ruleset {OTHER}" in change
    assert "East 東 The rake differs: 0.50, expected 0.60" in change
    assert "East 東 rake 0.50 0.60 differs" in change
    assert "East 東 gross 10.00 10.00 same" in change


def test_svc_14_both_verdicts_of_a_corrected_reader_stand_side_by_side(
    site: Any, store: Any
) -> None:
    with engine("0.9.0", without_rake):
        store(B)
    job = reaudited()
    result = ReauditResult.objects.get()
    page = text_of(get(site, f"/reaudits/{job.pk}/hands/{result.version_id}/"))
    assert "Before Discrepant" in page
    assert "Engine 0.9.0" in page
    assert "By this re-audit Clean" in page
    assert "No finding." in page
    hand = Hand.objects.get()
    assert f'href="/hands/{hand.pk}/"' in get(
        site, f"/reaudits/{job.pk}/hands/{result.version_id}/"
    )


def test_a_hand_lists_the_re_audits_that_judged_it_otherwise(site: Any, rehearsal: Reaudit) -> None:
    later = reaudited(ruleset=rehearsal.ruleset, reason="once more").pk
    first, wenzhou = Hand.objects.get(hand_id="base-1"), Hand.objects.get(hand_id="wz-1")
    page = get(site, f"/hands/{first.pk}/reaudits")
    told = text_of(page)
    assert told.index("once more") < told.index("what if <b>6 %</b>")
    for job in (later, rehearsal.pk):
        assert f'href="/reaudits/{job}/hands/{first.version_id}/"' in page
    assert "No re-audit judged this hand otherwise." in get(site, f"/hands/{wenzhou.pk}/reaudits")
    get(site, "/hands/999999/reaudits", 404)


def test_what_was_set_aside_and_what_became_a_hand_is_listed(
    site: Any, store: Any, settings: Any, tmp_path: Any
) -> None:
    upload = store(B, changed(B, hand_id="late", ruleset=OTHER))
    write_revision(tmp_path)
    know(settings, tmp_path)
    sound_hand = Hand.objects.get()
    with engine(
        alter=lambda audited: 1 // 0 if audited.hand.hand_id == "base-1" else audited.verdict
    ):
        job = reaudited(refused_lines="waiting")
    page = text_of(get(site, f"/reaudits/{job.pk}/"))
    assert "base-1 could not be audited, through a fault of ours (ZeroDivisionError" in page
    assert f"late was line 2 of upload {upload.id} , refused: unknown ruleset {OTHER}" in page
    assert f"/hands/{sound_hand.pk}/" in get(site, f"/reaudits/{job.pk}/")


def rows_of(site: Any, address: str) -> tuple[Found, list[list[str]]]:
    """A file that was read to its end: what stands in it, and its rows."""
    answer = site.get(address)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    data = b"".join(answer.streaming_content)
    found = check_sheet(data.splitlines(keepends=True))
    lines = data.decode("utf-8-sig").splitlines(keepends=True)
    return found, list(csv.reader(line for line in lines if not line.startswith("#")))


def test_svc_70_the_files_are_formula_safe_and_prove_their_end(
    site: Any, store: Any, settings: Any, tmp_path: Any
) -> None:
    evil = json.loads(changed(B, hand_id="=1+1", table="@table"))
    evil["seats"][0]["player"] = "+Ann"
    store(json.dumps(evil).encode())
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    job = reaudited(ruleset=name, reason="=what if").pk
    found, rows = rows_of(site, f"/reaudits/{job}/changes.csv")
    assert found.rows == 1
    assert ("filter", "reason", "'=what if") in found.about
    assert rows[0][:3] == ["hand", "source", "hand_id"]
    assert (rows[1][2], rows[1][7]) == ("'=1+1", "'@table")
    assert rows[1][9:] == ["clean", "", "discrepant", "rake-mismatch"]
    _, players = rows_of(site, f"/reaudits/{job}/players.csv")
    line = next(row for row in players if row[2] == "'+Ann")
    assert line[3:] == ["CNY", "1", "9.50", "9.40", "-0.10", "0.50", "0.60", "0.10", "10.00",
                        "10.00", "0.00"]  # fmt: skip
    _, tables = rows_of(site, f"/reaudits/{job}/tables.csv")
    assert [row[1] for row in tables[1:]] == ["'@table"]


def test_long_lists_are_paged_and_files_hold_all(
    site: Any, store: Any, settings: Any, tmp_path: Any
) -> None:
    store(*many(120))
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    job = reaudited(ruleset=name).pk
    seen: list[str] = []
    address: str | None = f"/reaudits/{job}/hands/"
    while address is not None:
        page = get(site, address)
        seen += re.findall(rf'href="/reaudits/{job}/hands/(\d+)/"', page)
        on = re.search(r'href="(\?[^"]*)" rel="next"', page)
        address = f"/reaudits/{job}/hands/{html.unescape(on.group(1))}" if on else None
    assert len(seen) == len(set(seen)) == 120
    found, _ = rows_of(site, f"/reaudits/{job}/changes.csv")
    assert found.rows == 120


def test_svc_34_damaged_addresses(site: Any, rehearsal: Reaudit) -> None:
    job = rehearsal.pk
    for address in ("/reaudits/999/", "/reaudits/999/progress", "/reaudits/999/changes.csv",
                    f"/reaudits/{job}/hands/999/", f"/reaudits/{job}/others.csv",
                    "/reaudits/999999999999999999/"):  # fmt: skip
        assert site.get(address).status_code == 404, address
    for address in ("/reaudits/?cursor=x", f"/reaudits/{job}/hands/?cursor=x",
                    f"/reaudits/{job}/hands/?flip=clean", f"/reaudits/{job}/hands/?flip=a~b~c~d",
                    "/reaudits/new?upload=1e3", "/reaudits/new?ruleset=%00"):  # fmt: skip
        assert site.get(address).status_code == 400, address
