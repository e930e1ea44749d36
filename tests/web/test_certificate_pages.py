"""The pages of certificates, runs and gaming days, and of totals with their tables to take out."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import services
from audit.models import Certificate, CertificateRun, DayRule, Table
from audit.selectors.exports_sheet import BOM, check_sheet, original
from audit.services import certifying
from audit.web.exports_pages import share
from tests.access import JOURNAL, WHO_ASKS
from tests.web.lines import PAI_GOW, WENZHOU, changed, with_net

DAY = "2025-03-01"


def hand(number, line=PAI_GOW, **fields):
    clock = f"2025-03-01T10:{number:02d}:00+08:00"
    return changed(line, hand_id=f"g-{number}", started_at=clock, ended_at=clock, **fields)


def void(line):
    return changed(line, events=[{"type": "void", "reason": "power cut"}], result=None)


def settle():
    for table in Table.objects.all():
        services.compare_table(table_id=table.pk)


def certify(site, **fields):
    settle()
    form = {"day": DAY, "source": "odd", "table": "T1", **fields}
    return site.post("/certificates/make", form)


def body(answer):
    return b"".join(answer.streaming_content)


def rows_of(data):
    """The rows of a table, each text as it was."""
    lines = [line for line in data.removeprefix(BOM).decode().split("\r\n")
             if line and not line.startswith("#")]  # fmt: skip
    return [{k: original(v) for k, v in row.items()} for row in csv.DictReader(lines)]


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_one_table_is_certified_at_once(site, store):
    store(hand(1), hand(2), hand(4))
    answer = certify(site)
    certificate = Certificate.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/certificates/{certificate.pk}/")
    html = site.get(answer["Location"]).content.decode()
    text = text_of(html)
    assert "Not complete" in text
    assert "Numbers are missing in the sequence of hand ids." in text
    assert re.search(r"g-3 g-3 1 within the day", text)
    assert certificate.sha256.hex() in html
    assert re.findall(r'class="count count-(\w+)">.*?<dd>(\d+)</dd>', html, re.S) == [
        ("clean", "3"), ("discrepant", "0"), ("void", "0"),
    ]  # fmt: skip
    assert "Valid bet 600.00 600.00 0.00" in text
    assert "Rake 15.00 15.00 0.00" in text


def test_a_certificate_that_holds_is_not_made_again(site, store):
    store(hand(1))
    certify(site)
    answer = certify(site)
    assert Certificate.objects.count() == 1
    html = site.get(answer["Location"]).content.decode()
    assert "Nothing has changed: this certificate still holds." in html


def test_later_facts_are_shown_beside_the_certified_ones(site, store):
    store(hand(1), hand(3))
    first = certify(site)["Location"]
    assert "What changed since" not in site.get(first).content.decode()
    store(hand(2), name="late.ndjson")
    settle()
    html = site.get(first).content.decode()
    assert "Out of date" in html
    changes = re.findall(r"<code>(.*?)</code></th><td>(.*?)</td><td>(.*?)</td>", html)
    assert ("sequence.missing", "1", "0") in changes
    assert ("hands.count", "2", "3") in changes
    assert re.findall(r'tag-partly">.*?</svg>(.*?)</span>', site.get("/certificates/").content
                      .decode()) == ["Changed since"]  # fmt: skip
    second = certify(site)["Location"]
    assert second != first
    assert f'<a href="{second}">certificate' in site.get(first).content.decode()
    listed = site.get("/certificates/").content.decode()
    assert (listed.count('scope="row"'), "Holds" in listed) == (1, True)
    assert site.get("/certificates/?all=1").content.decode().count('scope="row"') == 2


def test_the_list_is_narrowed(site, store):
    store(hand(1), hand(2, table="T2"), hand(4, table="T2"))
    certify(site)
    certify(site, table="T2")

    def tables(query):
        html = site.get(f"/certificates/?{query}").content.decode()
        return re.findall(r'/certificates/\d+/"><bdi>(.*?)</bdi>', html)

    assert tables("") == ["T2", "T1"]
    assert tables("state=complete") == ["T1"]
    assert tables("state=incomplete") == ["T2"]
    assert tables("table=T1") == ["T1"]
    assert tables("from=2025-03-02") == []
    assert tables("to=2025-03-01&source=odd") == ["T2", "T1"]
    damaged = ("state=x", "all=2", "from=yesterday", "cursor=zz", "cursor=n.9223372036854775807.1",
               "cursor=n.1.99999999999999999999")  # fmt: skip
    for query in damaged:
        assert site.get(f"/certificates/?{query}").status_code == 400


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_asks_the_same_few_questions(site, store, count):
    store(*(hand(number, table=f"T{number}") for number in range(1, count + 1)))
    for number in range(1, count + 1):
        certify(site, table=f"T{number}")
    with CaptureQueriesContext(connection) as queries:
        html = site.get("/certificates/").content.decode()
    assert html.count('scope="row"') == count
    # And the last certificate, the certificates, rules, facts, editions, runs, tables.
    assert len(queries) == WHO_ASKS + JOURNAL + 7


def test_all_tables_of_a_day_are_a_run_with_progress(site, store):
    store(*(hand(number, table=f"T{number}") for number in range(1, 4)))
    answer = certify(site, source="", table="")
    run = CertificateRun.objects.get()
    assert answer["Location"] == f"/certificates/runs/{run.pk}/"
    before = site.get(f"{answer['Location']}progress").content.decode()
    assert ("data-ended" in before, 'value="0"' in before, "<html" in before) == (
        False, True, False,
    )  # fmt: skip
    assert f"/certificates/runs/{run.pk}/" in site.get("/certificates/").content.decode()
    site.post(f"/certificates/runs/{run.pk}/act", {"act": "stop"})
    assert not certifying.continue_run(run_id=run.pk)
    assert "Go on" in site.get(answer["Location"]).content.decode()
    site.post(f"/certificates/runs/{run.pk}/act", {"act": "resume"})
    assert not certifying.continue_run(run_id=run.pk)
    after = site.get(f"{answer['Location']}progress").content.decode()
    assert ("data-ended" in after, 'value="100"' in after) == (True, True)
    assert "Done: 3 certificates made" in after
    refused = site.post(f"/certificates/runs/{run.pk}/act", {"act": "stop"}, follow=True)
    assert "This run has ended or was stopped already." in refused.content.decode()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"day": ""}, "Choose a day"), ({"day": "2025-02-30"}, "Choose a day"),
        ({"table": "T9"}, "There is no such table."),
        ({"source": "", "table": "T1"}, "A table is named together with its source."),
    ],
)  # fmt: skip
def test_what_cannot_be_certified_is_told(site, store, form, words):
    store(hand(1))
    asked = {"day": DAY, "source": "odd", "table": "T1", **form}
    answer = site.post("/certificates/make", asked, follow=True)
    assert words in answer.content.decode()
    assert not CertificateRun.objects.exists()


def test_a_certificate_as_json_and_csv(site, store):
    import hashlib  # noqa: PLC0415

    store(hand(1), hand(3), hand(2, currency=""))
    address = certify(site)["Location"]
    document = json.loads(site.get(f"{address}json").content)
    content = json.dumps(document["certificate"], sort_keys=True, separators=(",", ":"),
                         ensure_ascii=False)  # fmt: skip
    assert document["sha256"] == hashlib.sha256(content.encode()).hexdigest()
    assert (document["is_complete"], document["refused"], document["changes"]) == (False, 1, [])
    data = body(site.get(f"{address}csv"))
    assert check_sheet(io.BytesIO(data)).columns == ("path", "value")
    cells = {row["path"]: row["value"] for row in rows_of(data)}
    assert cells["certificate.sequence.gaps.count"] == "0"
    assert cells["certificate.refused.listed.0.hand_id"] == "g-2"
    assert cells["sha256"] == document["sha256"]
    listed = rows_of(body(site.get("/certificates/export.csv")))
    assert [(row["table"], row["day"], row["complete"]) for row in listed] == [
        ("T1", DAY, "no")
    ]  # fmt: skip


@pytest.mark.parametrize("address", [
    "/certificates/9/", "/certificates/9/json", "/certificates/9/csv", "/certificates/runs/9/",
    "/certificates/999999999999999999/", "/exports/players.csv",
])  # fmt: skip
def test_what_is_not_there_is_not_found(site, address):
    assert site.get(address).status_code == 404


def test_svc_73_a_rule_moves_hands_between_days(site, store):
    store(changed(PAI_GOW, hand_id="m", table="M1", started_at="2025-05-01T00:30:00+08:00",
                  ended_at="2025-05-01T00:31:00+08:00"))  # fmt: skip

    def day():
        return re.findall(
            r'<bdi>M1</bdi></a><span class="sub">(.*?),', site.get("/totals/").content.decode()
        )

    assert day() == ["1 May 2025"]
    rule = {"source": "odd", "table": "M1", "time_zone": "Asia/Macau", "starts_at": "06:00",
            "numbering": "detect"}  # fmt: skip
    assert site.post("/certificates/days/", rule).status_code == 302
    assert day() == ["30 April 2025"]
    html = site.get("/certificates/days/").content.decode()
    assert re.search(r"<bdi>M1</bdi>.*?Asia/Macau</td><td>06:00</td>.*?ines.castro", html, re.S)
    site.post("/certificates/days/", rule)
    assert DayRule.objects.count() == 1
    certify(site, table="M1", day="2025-04-30")
    assert Certificate.objects.get().hand_count == 1
    site.post("/certificates/days/", {**rule, "starts_at": "00:00"})
    assert "Changed since" in site.get("/certificates/").content.decode()


@pytest.mark.parametrize("starts_at", ["", "6", "24:00", "06:60", "a6:00", "٠٦:٠٠"])
def test_an_hour_that_is_none_is_told(site, store, starts_at):
    store(hand(1))
    answer = site.post("/certificates/days/", {"source": "odd", "time_zone": "", "numbering":
                                               "detect", "starts_at": starts_at})  # fmt: skip
    assert answer.status_code == 400
    assert "A day starts" in answer.content.decode()
    assert not DayRule.objects.exists()


def test_svc_20_percentages_of_nothing_are_a_dash(site, store):
    store(void(hand(1)))
    text = text_of(site.get("/totals/").content.decode())
    assert re.search(r"CNY 1 0 0 – 1 0.00 – – – 0.00", text)
    assert "NaN" not in text


def test_svc_19_zeros_are_figures(site, store):
    from tests.web.lines import GOLDEN  # noqa: PLC0415

    store(*(GOLDEN / "odd" / "zeros.ndjson").read_bytes().splitlines())
    html = site.get("/totals/").content.decode()
    figures = re.findall(r'"(Rake|Difference|Net off)">(.*?)<', html)
    assert figures[:3] == [("Rake", "0.25"), ("Difference", "0.00"), ("Net off", "0.00")]


def test_totals_show_both_sides_and_the_difference(site, store):
    wrong = PAI_GOW.replace(b'"rake":"0.50","net":"9.50"', b'"rake":"0.49","net":"9.51"', 1)
    store(wrong, hand(1), changed(WENZHOU, source="odd", table="T1"))
    text = text_of(site.get("/totals/").content.decode())
    assert re.search(r"CNY 2 1 1 50.0 % 0 400.00 10.00 2.5 % 9.99 −0.01 0.01", text)
    data = body(site.get("/totals/export.csv"))
    assert check_sheet(io.BytesIO(data)).rows == 2
    first = rows_of(data)[0]
    assert (first["rake"], first["rake_logged"], first["rake_difference"]) == (
        "10.00", "9.99", "-0.01",
    )  # fmt: skip


def test_svc_04_totals_are_shown_with_and_without_possible_duplicates(site, store):
    store(PAI_GOW)
    store(changed(PAI_GOW, hand_id="base-1b"), name="again.ndjson")
    html = site.get("/totals/").content.decode()
    assert html.count('400.00<span class="sub">without possible duplicates 200.00</span>') == 2


@pytest.mark.parametrize("by", ["table", "game", "source", "day", "none"])
def test_totals_put_together_never_mix_currencies(site, store, by):
    later = "2025-03-02T10:00:00Z"
    next_day = changed(hand(4), started_at=later, ended_at=later)
    store(hand(1), hand(2, table="T2"), hand(3, currency="HKD"), next_day)
    html = site.get(f"/totals/?by={by}").content.decode()
    cells = re.findall(r'"Currency">(CNY|HKD)</td><td[^>]*"Hands">(\d+)</td>', html)
    body_cells = cells if by == "none" else cells[:-2]
    assert sum(int(count) for _, count in body_cells) == 4
    assert sorted(cells[-2:]) == [("CNY", "3"), ("HKD", "1")]


@pytest.mark.parametrize("query", ["from=x", "before=x", "game=chess", "to=2025-13-01",
                                   "by=nonsense", "from=2025-03-02&to=2025-03-01"])  # fmt: skip
def test_a_damaged_query_is_told(site, query):
    assert site.get(f"/totals/?{query}").status_code == 400
    if not query.startswith("before"):
        assert site.get(f"/totals/export.csv?{query}").status_code == 400
        assert site.get(f"/exports/hands.csv?{query}").status_code == 400


def test_a_table_names_no_filter_that_it_did_not_go_by(site):
    answer = site.get("/exports/hands.csv?verdct=void")
    assert answer.status_code == 400
    assert answer.content.decode().startswith("There is no parameter “verdct” at this address")
    unknown = "There is no parameter “{}” at this address: it takes {}, mark."
    for address, query, told in (
        ("/totals/export.csv", "tabel=T1",
         unknown.format("tabel", "from, to, source, table, game")),
        ("/totals/export.csv", "table=T1&table=T2", "“table” stands more than once."),
        ("/certificates/export.csv", "sorce=odd",
         unknown.format("sorce", "source, table, from, to, state, all")),
        ("/certificates/export.csv", "state=complete&state=incomplete",
         "“state” stands more than once."),
        ("/exports/hands.csv", "table=T1&table=T2", "“table” stands more than once."),
        ("/exports/figures.csv", "mark=no&mark=yes", "“mark” stands more than once."),
    ):  # fmt: skip
        answer = site.get(f"{address}?{query}")
        said = (answer.status_code, answer.content.decode())
        assert said == (400, f"{told}\n"), (address, query)


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 0, "–"), (0, 7, "0.0 %"), (1, 3, "33.3 %"), (2, 3, "66.6 %"), (7, 7, "100.0 %")],
)
def test_a_share_is_cut_and_never_rounded_up(part, whole, words):
    assert share(part, whole) == words


def test_hands_are_taken_out_under_the_filters_of_the_list(site, store):
    store(hand(1), changed(with_net(hand(2), 1, "-99.00")))
    answer = site.get("/exports/hands.csv?verdict=discrepant")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="hands.csv"'
    data = body(answer)
    assert data.startswith(BOM)
    found = check_sheet(io.BytesIO(data))
    assert ("filter", "verdict", "discrepant") in found.about
    assert [row["hand_id"] for row in rows_of(data)] == ["g-2"]
    assert not body(site.get("/exports/hands.csv?mark=no")).startswith(BOM)
    findings = rows_of(body(site.get("/exports/findings.csv")))
    assert [row["hand_id"] for row in findings if row["code"] == "net-mismatch"] == ["g-2"]
    assert len(rows_of(body(site.get("/exports/figures.csv")))) == 8


def test_names_are_text_on_every_page(site, store):
    evil = '"><svg onload=alert(1)>'
    store(hand(1, table=evil), hand(2, table=evil), hand(4, table=evil))
    certify(site, table=evil)
    for address in ("/certificates/", f"/certificates/{Certificate.objects.get().pk}/",
                    "/certificates/days/", "/totals/"):  # fmt: skip
        html = site.get(address).content.decode()
        assert "<svg onload" not in html
        assert "onload=alert(1)" in html


def test_the_next_day_changes_nothing_of_this_one(site, store):
    store(hand(1), hand(2))
    address = certify(site)["Location"]
    later = "2025-03-02T10:00:00+08:00"
    store(changed(PAI_GOW, hand_id="g-3", started_at=later, ended_at=later), name="next.ndjson")
    settle()
    for page in ("/certificates/", address):
        html = site.get(page).content.decode()
        assert re.findall(r'class="tag[^"]*">.*?</svg>(.*?)</span>', html) == ["Holds"]
    # A number that is missing in between is one of this day or of the next.
    later = "2025-03-02T09:00:00+08:00"
    store(changed(PAI_GOW, hand_id="g-5", started_at=later, ended_at=later), name="more.ndjson")
    settle()
    html = site.get(address).content.decode()
    assert "Out of date" in html
    assert "sequence.missing" in html
