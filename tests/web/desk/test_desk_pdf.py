"""Letters and case files as PDF: the same words and figures as on the page, in three languages."""

from __future__ import annotations

import pytest
from django.test import Client

from audit import pdf
from audit.models import JournalEntry
from tests.pdf_text import pages_of
from tests.web.desk.conftest import Gather
from tests.web.lines import PAI_GOW, with_net

LETTERS = {
    "en": ("REPLAY", "How your results came about", "Page 1 of"),
    "zh-hant": ("重播", "您的牌局結果如何得出", "第 1 頁，共"),
    "zh-hans": ("重播", "您的牌局结果如何得出", "第 1 页，共"),
}


@pytest.mark.parametrize("language", LETTERS)
def test_a_letter_as_pdf_has_the_figures_and_their_rules(
    site: Client, gather: Gather, language: str
) -> None:
    (case,) = gather(with_net(PAI_GOW, 1, "-99.00"))
    query = f"?player=Bo&lang={language}"
    page = site.get(f"/desk/cases/{case.pk}/letter/{query}").content.decode()
    assert f'href="/desk/cases/{case.pk}/letter.pdf{query}"' in page.replace("&amp;", "&")
    answer = site.get(f"/desk/cases/{case.pk}/letter.pdf{query}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    pages = pages_of(answer.content)
    shown = " ".join(pages).replace(" ", "")
    for words in (*LETTERS[language], "≠−99.00", "−100.00", "PG-", "Bo", f"C-{case.pk}"):
        assert words.replace(" ", "") in shown, words
    mark = LETTERS[language][0]
    assert [mark in one.replace(" ", "") for one in pages] == [True] * len(pages)
    # A letter shows a person: it stands in the journal under his name.
    assert JournalEntry.objects.filter(player="Bo").count() == 2


def test_a_case_file_as_pdf_has_each_figure_with_its_rule(site: Client, gather: Gather) -> None:
    (case,) = gather(with_net(PAI_GOW, 1, "-99.00"))
    answer = site.get(f"/desk/cases/{case.pk}/file.pdf")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    pages = pages_of(answer.content)
    shown = " ".join(pages).replace(" ", "")
    for words in (f"Case file C-{case.pk}", "Exposure per player", "≠ −99.00", "net-mismatch",
                  "What was played", "History", f"Page {len(pages)} of {len(pages)}"):  # fmt: skip
        assert words.replace(" ", "") in shown, words
    assert ["REPLAY" in one.replace(" ", "") for one in pages] == [True] * len(pages)


def test_where_no_pdf_can_be_set_none_is_offered(
    site: Client, gather: Gather, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "typst", None)
    (case,) = gather(with_net(PAI_GOW, 1, "-99.00"))
    for path, query in (("letter", "?player=Bo"), ("file", "")):
        page = site.get(f"/desk/cases/{case.pk}/{path}/{query}")
        assert (page.status_code, b".pdf" in page.content) == (200, False)
        assert site.get(f"/desk/cases/{case.pk}/{path}.pdf{query}").status_code == 404
