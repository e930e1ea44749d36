"""Uploads: handing in, progress, refused lines."""

import gzip
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import selectors, services
from audit.models import Chunk, Upload
from tests.access import JOURNAL, WHO_ASKS
from tests.web.lines import BASE, PAI_GOW, changed


def file(name, data):
    return SimpleUploadedFile(name, data, content_type="application/octet-stream")


def judge():
    for chunk in Chunk.objects.order_by("pk"):
        services.judge_chunk(chunk_id=chunk.pk)


def counts(html):
    """Hands by verdict, as the page shows them."""
    cells = re.findall(r'class="count count-(\w+)">.*?<dd>(.*?)</dd>', html, re.S)
    return {kind: int(re.sub(r"<[^>]*>", "", cell)) for kind, cell in cells}


def test_a_file_leads_to_its_own_page(site):
    answer = site.post("/uploads/", {"files": file("day.ndjson", PAI_GOW + b"\n")})
    upload = Upload.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/uploads/{upload.pk}/")
    assert (upload.name, upload.received_by.get_username()) == ("day.ndjson", "ines.castro")


def test_a_script_is_told_the_address(site):
    answer = site.post(
        "/uploads/",
        {"files": file("day.ndjson", PAI_GOW + b"\n")},
        headers={"X-Tilecourt-Script": "1"},
    )
    assert (answer.status_code, answer["Location"]) == (201, f"/uploads/{Upload.objects.get().pk}/")


def test_several_files_lead_to_the_list(site):
    files = [file("a.ndjson", PAI_GOW), file("b.ndjson.gz", gzip.compress(BASE[4]))]
    answer = site.post("/uploads/", {"files": files})
    assert (answer.status_code, answer["Location"]) == (302, "/uploads/")
    assert list(Upload.objects.order_by("pk").values_list("name", "line_count")) == [
        ("a.ndjson", 1),
        ("b.ndjson.gz", 1),
    ]


def test_no_file_is_told(site):
    answer = site.post("/uploads/", {})
    assert answer.status_code == 400
    assert "Choose at least one file." in answer.content.decode()


def test_a_file_that_is_too_large_is_told(site, settings):
    settings.TILECOURT_UPLOAD_BYTES_MAX = 100
    answer = site.post("/uploads/", {"files": file("day.ndjson", PAI_GOW)}, follow=True)
    notices = re.findall(r'class="notice error" role="status">(.*?)</p>', answer.content.decode())
    assert len(notices) == 1
    assert notices[0].startswith("day.ndjson: ")


def test_progress_moves_and_ends(site):
    site.post("/uploads/", {"files": file("day.ndjson", b"\n".join(BASE))})
    upload = Upload.objects.get()
    before = site.get(f"/uploads/{upload.pk}/progress").content.decode()
    assert "data-ended" not in before
    assert 'value="0"' in before
    judge()
    after = site.get(f"/uploads/{upload.pk}/progress").content.decode()
    assert "data-ended" in after
    assert 'value="100"' in after
    assert counts(after) == {"discrepant": 0, "clean": 5, "void": 0, "rejected": 0}
    assert "<html" not in after
    assert after.strip() in site.get(f"/uploads/{upload.pk}/").content.decode()


def test_without_script_a_link_refreshes_a_running_upload(site):
    site.post("/uploads/", {"files": file("day.ndjson", PAI_GOW)})
    upload = Upload.objects.get()
    link = f'<a class="btn" href="/uploads/{upload.pk}/">Refresh</a>'
    assert link in site.get(f"/uploads/{upload.pk}/").content.decode()
    judge()
    assert link not in site.get(f"/uploads/{upload.pk}/").content.decode()


def test_refused_lines_show_line_place_reason_and_bytes(site, store):
    broken = PAI_GOW.replace(b'"T1"', b'"T\\u00001"')
    upload = store(PAI_GOW, b"<b>no</b>", broken)
    html = site.get(f"/uploads/{upload.id}/").content.decode()
    refusals = selectors.list_refusals(upload.id, sources=None).rows
    assert counts(html) == {"discrepant": 0, "clean": 1, "void": 0, "rejected": 2}
    assert [(refusal.line, refusal.place) for refusal in refusals] == [(2, "$"), (3, "$.table")]
    # The whole line is no place worth naming.
    assert re.findall(r"<b>Line (\d+)</b> (?:<code>(.*?)</code>)?", html) == [
        ("2", ""), ("3", "$.table"),
    ]  # fmt: skip
    assert re.findall(r"Starts at byte (\d+)", html) == [
        str(len(PAI_GOW) + 1),
        str(len(PAI_GOW) + 1 + len(b"<b>no</b>\n")),
    ]
    assert "&lt;b&gt;no&lt;/b&gt;</pre>" in html
    assert "<b>no</b>" not in html


def test_refused_lines_come_in_pages(site, store):
    upload = store(*(b"{%d" % number for number in range(150)), PAI_GOW)
    first = site.get(f"/uploads/{upload.id}/").content.decode()
    assert len(re.findall(r"<b>Line \d+</b>", first)) == 100
    onward = re.search(r'href="([^"]*)" rel="next"', first).group(1).split("#")[0]
    second = site.get(onward).content.decode()
    assert re.findall(r"<b>Line (\d+)</b>", second) == [str(line) for line in range(101, 151)]


def test_svc_31_an_empty_file_is_no_success(site):
    site.post("/uploads/", {"files": file("empty.ndjson", b"\n\n")})
    judge()
    upload = selectors.get_upload(Upload.objects.get().pk, sources=None)
    html = site.get(f"/uploads/{upload.id}/").content.decode()
    assert upload.state == "failed"
    assert upload.error in html
    assert "<progress" not in html


def test_a_file_that_is_cut_is_not_simply_done(site):
    whole = gzip.compress(b"".join(line + b"\n" for line in BASE), compresslevel=0)
    site.post("/uploads/", {"files": file("day.ndjson.gz", whole[:-1000])})
    judge()
    upload = selectors.get_upload(Upload.objects.get().pk, sources=None)
    html = site.get(f"/uploads/{upload.id}/").content.decode()
    assert (upload.state, upload.hands, upload.rejected) == ("done", 4, 1)
    assert upload.error == (
        "The file is incomplete, and what follows line 4 is missing: "
        "the stream breaks off: the gzip stream is cut."
    )
    assert upload.error in html
    for page in (html, site.get("/uploads/").content.decode()):
        assert re.findall(r'class="tag tag-(\w+)">.*?</svg>(.*?)</span>', page) == [
            ("partly", "Done, file incomplete")
        ]
    assert "1 in all; 4 lines audited" in html


def test_a_file_without_hands_offers_none_and_speaks_of_no_other_lines(site, store):
    upload = store(b"{", b"[")
    html = site.get(f"/uploads/{upload.id}/").content.decode()
    assert "Hands of this file" not in html
    assert "<p>2 in all</p>" in html


def test_counts_lead_to_the_hands(site, store):
    upload = store(PAI_GOW, changed(PAI_GOW, hand_id="b"))
    html = site.get(f"/uploads/{upload.id}/").content.decode()
    address = f"/hands/?upload={upload.id}&verdict=clean"
    assert address.replace("&", "&amp;") in html
    assert site.get(address).content.decode().count('class="at-h"') == 2


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_asks_the_same_few_questions(site, store, count):
    for number in range(count):
        store(changed(PAI_GOW, hand_id=f"hand-{number}"), name=f"{number}.ndjson")
    with CaptureQueriesContext(connection) as queries:
        html = site.get("/uploads/").content.decode()
    assert re.findall(r"<bdi>(\d\.ndjson)</bdi>", html) == [
        f"{number}.ndjson" for number in reversed(range(count))
    ]
    # And the uploads.
    assert len(queries) == WHO_ASKS + JOURNAL + 1


@pytest.mark.parametrize("count", [1, 3])
def test_progress_is_cheap(site, store, count):
    upload = store(*(b"{%d" % number for number in range(count)), PAI_GOW)
    with CaptureQueriesContext(connection) as queries:
        site.get(f"/uploads/{upload.id}/progress")
    # And the upload, the refused lines.
    assert len(queries) == WHO_ASKS + 2
