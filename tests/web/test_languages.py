"""The site in English, Traditional and Simplified Chinese."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import translation

import replay
from audit import services
from audit.importers.ky import cell_score_words
from audit.management import catalogues
from audit.models import CaseHand, Hand, Remedy, Table
from audit.selectors import current_rulesets
from audit.services import desk
from audit.web.language import told
from audit.web.stored import stored, stored_filter
from tests.access import signed_in, trusted
from tests.audit.desk.wrong import without_rake
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.reauditing import reaudited
from tests.web.lines import BASE, GOLDEN, TIEN_GOW, WENZHOU
from tests.web.pages_in_chinese import english_in, inner, seen

CHINESE = ("zh-hant", "zh-hans")
PLACE = re.compile(r"%\(\w+\)s|\{[^{}]*\}")
# Where the Chinese name stands, the English one beside it is left out; letters of English counting.
LEFT_OUT = {"{english}", "{end}", "{character}"}
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


@pytest.fixture(scope="module")
def messages() -> list[catalogues.Message]:
    return catalogues.extracted(Path(django_settings.ROOT))


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    """A request leaves its language with its thread; the other tests are in English."""
    yield
    translation.activate("en")


def spoken(client: Client, language: str) -> Client:
    session = client.session
    session["language"] = language
    session.save()
    return client


# -- the catalogues -------------------------------------------------------------------------


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_every_message_has_its_words(locale: str, messages: list[catalogues.Message]) -> None:
    catalogue = catalogues.read(locale)
    assert [(entry.msgctxt or "", entry.msgid) for entry in catalogue] == [
        (message.context, message.text) for message in messages
    ]
    assert [entry.msgid for entry in catalogue if not entry.translated() or entry.fuzzy] == []
    assert str(catalogues.updated(catalogue, messages, locale)) == str(catalogue)


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_places_agree(locale: str) -> None:
    for entry in catalogues.read(locale):
        ours = {*PLACE.findall(entry.msgid_plural or entry.msgid)}
        theirs = {*PLACE.findall(entry.msgstr_plural.get(0) or entry.msgstr)}
        assert theirs <= ours, entry.msgid
        assert ours - theirs <= LEFT_OUT, entry.msgid


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_what_runs_is_what_is_written(locale: str) -> None:
    path = catalogues.folder_of(locale) / "django.mo"
    assert path.read_bytes() == catalogues.compiled(catalogues.read(locale))


def test_simplified_pages_hold_no_traditional_character() -> None:
    traditional = set("莊閒點門開關賠這們個來對應當與為無發現記錄規則數據時間會從給讓說過還")
    for entry in catalogues.read("zh_Hans"):
        text = entry.msgstr_plural.get(0) or entry.msgstr
        # The form's own names of languages stand in their own script.
        assert not traditional & set(text), text


def test_tiles_have_the_names_of_the_core() -> None:
    for kind in replay.KINDS:
        with translation.override("zh-hant"):
            assert told(kind.hant) == kind.hant
            assert told(kind.english) == kind.hant or kind.code in ("24", "12")
        with translation.override("zh-hans"):
            assert told(kind.hant) == kind.hans


# -- which language -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("", "en"),
        ("de", "en"),
        ("fr, en;q=0.5, zh;q=0.1", "en"),
        ("zh-HK,zh;q=0.9,en;q=0.8", "zh-Hant"),
        ("zh-TW", "zh-Hant"),
        ("zh-CN,zh;q=0.9", "zh-Hans"),
        ("zh-SG", "zh-Hans"),
        ("zh", "zh-Hant"),
    ],
)
def test_a_strangers_browser_is_heard(client: Client, db: Any, asked: str, language: str) -> None:
    answer = client.get("/login", headers={"Accept-Language": asked})
    assert f'<html lang="{language}">' in answer.content.decode()
    assert answer["Content-Language"] == language.lower()
    assert {"Accept-Language", "Cookie"} <= {*re.split(r",\s*", answer["Vary"])}


def test_a_stranger_keeps_the_choice_in_a_cookie(client: Client, db: Any) -> None:
    chosen = client.post("/language", {"language": "zh-hans", "next": "/login"})
    assert (chosen.status_code, chosen["Location"]) == (302, "/login")
    cookie = chosen.cookies["tilecourt_language"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("zh-hans", True, "Lax")
    page = client.get("/login", headers={"Accept-Language": "zh-HK"}).content.decode()
    assert '<html lang="zh-Hans">' in page


def test_an_account_keeps_it_in_its_session(site: Client) -> None:
    chosen = site.post("/language", {"language": "zh-hant", "next": "/rules/"})
    assert chosen["Location"] == "/rules/"
    assert "tilecourt_language" not in chosen.cookies
    page = site.get("/rules/", headers={"Accept-Language": "en"}).content.decode()
    assert '<html lang="zh-Hant">' in page
    buttons = dict(re.findall(r'<button name="language" value="([\w-]+)"([^>]*)>', page))
    assert ["aria-current" in buttons[code] for code in ("en", "zh-hant", "zh-hans")] == [
        False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "referer", "leads"),
    [
        ("/hands/", "http://testserver/hands/?code=rake-mismatch", "/hands/?code=rake-mismatch"),
        ("/hands/", "http://elsewhere/hands/?a=1", "/hands/"),
        ("/hands/", "http://testserver/rules/?a=1", "/hands/"),
        ("https://elsewhere/", "", "/"),
        ("//elsewhere/", "", "/"),
        ("", "", "/"),
    ],
)
def test_the_form_leads_back_and_nowhere_else(
    site: Client, place: str, referer: str, leads: str
) -> None:
    answer = site.post("/language", {"language": "en", "next": place}, headers={"Referer": referer})
    assert answer["Location"] == leads


def test_a_language_that_is_not_spoken_is_refused(site: Client) -> None:
    assert site.post("/language", {"language": "de", "next": "/"}).status_code == 404
    assert site.get("/language").status_code == 405
    # What a session once held may be gone from the list of languages.
    assert '<html lang="en">' in spoken(site, "xx").get("/rules/").content.decode()


def test_the_api_is_data_and_speaks_english(site: Client, store: Callable[..., Any]) -> None:
    store(TIEN_GOW)
    hand = Hand.objects.get()
    address = f"/api/v1/hands/{hand.pk}/steps/5/"
    plain = site.get(address).content
    answer = spoken(site, "zh-hant").get(address, headers={"Accept-Language": "zh-HK"})
    assert answer.content == plain
    assert "Accept-Language" not in answer.headers.get("Vary", "")


# -- amounts --------------------------------------------------------------------------------


def amounts(page: str) -> Counter[str]:
    """The amounts of a settlement: numbers with decimals, as they are written."""
    main = page[page.index("<main") : page.index("</main>")]
    return Counter(re.findall(r"[+−]?[\d,]+\.\d+", re.sub(r"<[^>]*>", " ", main)))


@pytest.mark.parametrize("line", BASE)
def test_svc_75_no_language_changes_an_amount(
    site: Client, store: Callable[..., Any], line: bytes
) -> None:
    store(line)
    address = f"/hands/{Hand.objects.get().pk}/"
    pages = [spoken(site, code).get(address).content.decode() for code in ("en", *CHINESE)]
    assert amounts(pages[0])
    assert amounts(pages[0]) == amounts(pages[1]) == amounts(pages[2])


def test_a_step_is_told_in_the_language_of_its_page(
    site: Client, store: Callable[..., Any]
) -> None:
    store(WENZHOU)
    address = f"/hands/{Hand.objects.get().pk}/steps/1/"
    sentences = {}
    for code in ("en", *CHINESE):
        page = spoken(site, code).get(address).content.decode()
        found = re.search(r'data-sentence="([^"]*)"', page)
        assert found is not None
        sentences[code] = found[1]
    assert sentences["en"].startswith("Step 1 of ")
    assert sentences["zh-hant"].startswith("第 1 步，共 ")
    assert "順門" in sentences["zh-hant"] or "出門" in sentences["zh-hant"]
    assert "顺门" in sentences["zh-hans"] or "出门" in sentences["zh-hans"]


def test_what_was_stored_in_english_is_told_where_its_form_is_known() -> None:
    with translation.override("zh-hant"):
        assert stored("unknown ruleset “unknown ruleset x”@1") == (
            "不認識規則集 “unknown ruleset x”@1"
        )
        assert stored("Expected `array`, got `int`") == "應為 `array`，實為 `int`"
        assert stored("a sentence of another engine") == "a sentence of another engine"
        assert stored(cell_score_words({"meaning": "valid_bet", "equal": 3, "rows": 4})) == (
            "CellScore 當作有效投注額：在檔案中有輸贏的 4 列玩家記錄裏，"
            "有 3 列等於 |Profit + Revenue|。"
        )
        assert stored_filter(
            "finding An event out of its place, doubled or missing, naming any revision of"
            " banker-pai-gow/bs-2022, game Banker Pai Gow, table A, B, the 1,000 played last"
        ) == (
            "發現 事件次序不對、重複或缺漏、指明任何修訂版的 banker-pai-gow/bs-2022、"
            "遊戲 搶莊牌九、牌桌 A, B、最近打的 1,000 局"
        )
    with translation.override("en"):
        assert stored("not a JSON object") == "not a JSON object"


# -- no English is left ---------------------------------------------------------------------


def planted_lines() -> list[bytes]:
    lines = [*BASE]
    for game in GAMES:
        lines += (GOLDEN / game / "planted.ndjson").read_bytes().splitlines()[:25]
    return lines


def names_of(lines: list[bytes]) -> Iterator[str]:
    """What the hands themselves bring: names, reasons, ids."""
    for line in lines:
        hand = json.loads(line)
        yield from (str(hand[key]) for key in ("source", "table", "hand_id", "ruleset"))
        yield from (entry["player"] for entry in hand.get("seats", ()))
        for event in hand.get("events", ()):
            yield from (event[key] for key in ("player", "reason", "bet") if key in event)
    yield from (ruleset.title for ruleset in current_rulesets())


@pytest.fixture
def stocked(
    store: Callable[..., Any], site: Client, auditor: Any, django_user_model: Any, settings: Any,
    tmp_path: Path,
) -> Client:  # fmt: skip
    """A store that has something on every kind of page."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    store(*planted_lines(), without_rake("without-rake"), b'{"format":"hand-log/1"}', b"junk")
    services.receive_feed(
        name="pull.json", stream=io.BytesIO(ky_answer(ky_row())), feed="ky-730", source="op"
    )
    for table in Table.objects.all():
        services.compare_table(table_id=table.pk)
    desk.gather_cases()
    tom = trusted(django_user_model.objects.create_user("tom.reyes"))
    _work_at_the_desk(site, auditor, tom)
    hand = Hand.objects.filter(hand_id="base-1").get()
    day = hand.played_on.isoformat()
    site.post("/certificates/make", {"day": day, "source": hand.source, "table": hand.table})
    reaudited(reason="another look", user=auditor)
    site.post(f"/hands/{hand.pk}/links", {"viewpoint": "public", "hours": "24", "reason": "Mei"})
    site.post("/reports/new", {"kind": "discrepancies", "basis": "day", "to": day})
    site.post("/webhooks/", {"name": "Room 1", "url": "https://hooks.example.org/in"})
    site.post(
        "/retention/holds",
        {"source": hand.source, "hand": hand.hand_id, "case": "", "reason": "Mei"},
    )
    # What was said of these acts in English is read before another language is chosen.
    site.get("/rules/")
    return site


def _work_at_the_desk(site: Client, auditor: Any, tom: Any) -> None:
    """A decided case with a comment and a remedy that a second person approves; a claim."""
    hand = Hand.objects.get(hand_id="without-rake")
    case = CaseHand.objects.get(hand=hand).case
    desk.comment_case(case_id=case.pk, user=auditor, text="Mei", sources=None)
    given = {"case_id": case.pk, "user": auditor, "sources": None}
    desk.decide_case(**given, decision="operator", reason="Mei")
    fields = {"act": "propose", "scope": "all", "reason": "Mei"}
    assert site.post(f"/desk/cases/{case.pk}/act", fields).status_code == 302
    desk.approve_remedy(remedy_id=Remedy.objects.get().pk, user=tom, sources=None)
    claim = {
        "player": "Bo", "source": "odd", "hands": "base-1", "claimed_at": "2025-03-01T12:00",
        "offset": "+08:00", "text": "Mei", "amount": "1.00",
    }  # fmt: skip
    assert site.post("/desk/claims/new/", claim).status_code == 302


@pytest.mark.slow
@pytest.mark.parametrize("language", CHINESE)
def test_no_page_holds_an_english_sentence(stocked: Client, language: str) -> None:
    """Every page that a link leads to, a few of each kind, in the language of the account."""
    names = {*names_of(planted_lines()), "ines.castro", "tom.reyes", "op", "Mei", "Room 1"}
    known = frozenset(name for name in names if len(name) > 1)
    client = spoken(stocked, language)
    queue = ["/", "/reports/new", "/reaudits/new", "/desk/claims/new/", "/rules/rulesets/new"]
    done: set[str] = set()
    kinds: Counter[str] = Counter()
    left: dict[str, str] = {}
    while queue:
        address = queue.pop(0)
        try:
            kind = str(resolve(address.split("?")[0]).url_name)
        except Resolver404:
            continue
        if address in done or kinds[kind] >= 4:
            continue
        done.add(address)
        kinds[kind] += 1
        answer = client.get(address, follow=True)
        if not answer["Content-Type"].startswith("text/html"):
            continue
        page = answer.content.decode()
        left |= {text: address for text in english_in(page, known) if text not in left}
        queue += inner(seen(page).links, address)
    assert not left, "\n".join(f"{address}: {text}" for text, address in left.items())
    assert {"hand", "step", "what-if", "overview", "case", "report", "certificate"} <= kinds.keys()


def test_signing_in_and_what_goes_wrong_are_told_in_chinese(client: Client, auditor: Any) -> None:
    client.cookies["tilecourt_language"] = "zh-hant"
    wrong = client.post("/login", {"username": "nobody", "password": "x"}).content.decode()
    assert "名稱與密碼不符。" in wrong
    assert [*english_in(wrong, frozenset({"nobody"}))] == []
    lost = spoken(signed_in(auditor), "zh-hans").get("/hands/999/")
    assert lost.status_code == 404
    assert [*english_in(lost.content.decode(), frozenset({"ines.castro"}))] == []
