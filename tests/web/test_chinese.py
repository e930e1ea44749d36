"""How the site writes Chinese: script, words, marks, blanks and terms, in catalogues and letters.

The words are those of docs/languages.md, the terms those of docs/glossary.md; both are read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from audit.management import catalogues
from audit.web.desk_texts import TEXTS
from tests.replay.test_glossary import CHAPTERS, cells

DOCS = Path(__file__).resolve().parents[2] / "docs"
LOCALES = dict(zip(catalogues.LOCALES, ("zh-hant", "zh-hans"), strict=True))
HANT, HANS = catalogues.LOCALES
# What the standards of the two scripts do not hold of the other: simplified forms that are in
# Big5 as characters of their own, traditional ones that are in GB 2312.
ENCODINGS = {HANT: "big5", HANS: "gb2312"}
STRANGERS = {HANT: "里后干于云从气范几征余谷丑", HANS: "於後麼裏著乾徵餘"}
# Characters that a script's standard lacks and its writers use.
OWN = {HANT: "裏", HANS: ""}

CHINESE = r"[\u3400-\u9fff]"
WIDE = "，。：；、（）「」“”？！"
# What a sentence is filled with, and names of the log.
PLACE = re.compile(r"%\(\w+\)s|\{[^{}]*\}|`[^`]*`")
TAG = re.compile(r"<[^>]*>")
DATES = re.compile(r"\d{1,2}月|Y年n月j日|n月j日|\{year\}年\{month\}\{day\}日|\{month\}\{day\}日")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A sentence in English and in Chinese."""

    english: str
    chinese: str


@cache
def told(locale: str) -> tuple[Told, ...]:
    """The sentences of a catalogue, then those of letters."""
    entries = [
        Told(
            english=entry.msgid_plural or entry.msgid,
            chinese=entry.msgstr_plural.get(0) or entry.msgstr,
        )
        for entry in catalogues.read(locale)
    ]
    letter = TEXTS[LOCALES[locale]].sentences
    entries += [Told(english=TEXTS["en"][key], chinese=words) for key, words in letter.items()]
    return tuple(entries)


def bare(text: str) -> str:
    """A text as it is read: without tags, with a sign for each place and each name of the log."""
    return PLACE.sub("\ufffc", TAG.sub("", DATES.sub("", text)))


def wrong(locale: str, pattern: str) -> list[str]:
    """The sentences of a language in which a pattern is found."""
    found = re.compile(pattern)
    return [one.chinese for one in told(locale) if found.search(bare(one.chinese))]


# -- script ---------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_every_character_is_of_the_script_of_its_language(locale: str) -> None:
    strange = {}
    for one in told(locale):
        for character in re.findall(CHINESE, one.chinese):
            if character not in OWN[locale] and (
                character in STRANGERS[locale] or not _is_in(character, ENCODINGS[locale])
            ):
                strange[character] = one.chinese
    assert strange == {}


def _is_in(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


# -- words ----------------------------------------------------------------------------------


def decided() -> Iterator[tuple[str, dict[str, str], dict[str, list[str]]]]:
    """The rows of docs/languages.md: English, the words that are used, those that are not."""
    page = (DOCS / "languages.md").read_text("utf-8")
    table = page.split("## How Chinese is written here")[1].split("Marks and blanks:")[0]
    for line in table.splitlines():
        if line.startswith("| ") and not line.startswith("| English |"):
            english, hant, hans, not_hant, not_hans = cells(line)
            avoided = {HANT: not_hant, HANS: not_hans}
            yield (
                english,
                {HANT: hant, HANS: hans},
                {locale: words.replace("–", "").split() for locale, words in avoided.items()},
            )


DECIDED = list(decided())


@pytest.mark.parametrize("locale", catalogues.LOCALES)
@pytest.mark.parametrize("row", DECIDED, ids=[english for english, _, _ in DECIDED])
def test_a_thing_has_the_word_that_was_decided(
    locale: str, row: tuple[str, dict[str, str], dict[str, list[str]]]
) -> None:
    _, used, avoided = row
    texts = [one.chinese for one in told(locale)]
    assert any(used[locale] in text for text in texts)
    assert [text for text in texts for word in avoided[locale] if word in text] == []


def test_pages_say_you_as_to_a_colleague_and_letters_as_to_a_guest() -> None:
    for locale, language in LOCALES.items():
        letter = TEXTS[language].sentences.values()
        pages = [entry.msgstr for entry in catalogues.read(locale)]
        assert [text for text in letter if "你" in text] == []
        assert [text for text in pages if "您" in text] == []


# -- marks and blanks -----------------------------------------------------------------------


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_marks_beside_chinese_are_wide(locale: str) -> None:
    assert wrong(locale, rf"{CHINESE}[,.:;?!()\"']|[,:;?!(\"']{CHINESE}|\){CHINESE}") == []


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_marks_have_no_blank_and_stand_once(locale: str) -> None:
    assert wrong(locale, rf" [{WIDE}]|[{WIDE}] (?=\S)|([，。：；、]){{2}}|  ") == []


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_what_is_quoted_stands_in_the_marks_of_the_language(locale: str) -> None:
    others = {HANT: "[“”『』]", HANS: "[「」『』]"}[locale]
    assert wrong(locale, others) == []
    for one in told(locale):
        for opening, closing in ("「」", "“”"):
            assert one.chinese.count(opening) == one.chinese.count(closing), one.chinese
        if "“" in one.english:
            assert re.search("[「“]", one.chinese), one.chinese


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_a_blank_sets_off_letters_and_figures_and_nothing_else(locale: str) -> None:
    assert wrong(locale, rf"{CHINESE}[A-Za-z0-9]|[A-Za-z0-9%]{CHINESE}") == []
    assert wrong(locale, rf"{CHINESE} {CHINESE}") == []


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_a_place_for_a_number_has_its_blanks(locale: str) -> None:
    """Counters stand behind a number and its blank."""
    counters = "局圈張张手筆笔宗項项名個个位份行秒級级"
    assert wrong(locale, rf"\ufffc[{counters}](?![面內内所別别中同者分])|第\ufffc") == []


@pytest.mark.parametrize("locale", catalogues.LOCALES)
def test_a_sentence_ends_as_in_english(locale: str) -> None:
    # “recomp.” is cut off, and is no sentence.
    for one in told(locale):
        if one.english != "recomp.":
            assert one.english.rstrip().endswith(".") == one.chinese.endswith("。"), one.english


# -- terms ----------------------------------------------------------------------------------

# The terms of the glossary that a sentence with their English word holds in Chinese: what it is
# called in English, with those sentences in which the English word is not this term.
TERMS: dict[str, tuple[str, ...]] = {
    "holding": (), "round": (), "streak": (), "shuffle": (), "time-out": (),
    "void": (), "multiple": (), "reveal": (), "push": (), "stack": (), "capture": (),
    "bank": (), "wager": (), "odds": (), "sweep": (), "settlement": (), "stage": (),
    "carry-in": (), "carry-out": (), "theoretical": (), "gross": (), "rake": (), "net": (),
    "valid bet": (), "event": (), "operator": (), "ruleset": (), "revision": (), "period": (),
    "option": (), "confidence": (), "replay": (), "figure": (), "gap": (), "consistent": (),
    "feed": (), "finding": (), "primary finding": (), "verdict": (), "clean": (),
    "discrepant": (), "grant": (), "visit": (), "journal": (), "remedy": (), "remedies": (),
    "money at risk": (), "term": (), "legal hold": (), "retention run": (), "erasure": (),
    "digest": (), "cause": (),
    # How it is taken is 牌頭.
    "wall": ("{note}. Wall {method}", "wall {method}", "The wall is taken as {method}."),
    "bid": ("no bid",),
    "door": ("that a bank with 0 beats every door",),
    "stake": ("the base stake", "Base × bid × bet is at stake"),
    "base": ("the base of 賀尊", "the base of 四大賀"),
    "par": ("the banker's payment of 棟 above par",),
    "source": ("stated outright by a source document",),
    "case": (
        "All other visits end in any case. Without this the programs that use keys go on.",
    ),
    "claim": ("%(versions)s records claim this source and id.",),
    "lead": (
        "{host} leads to {address}, which lies inside.",
        "Recomputed less logged; a name leads to a letter",
        "The keys rest while a field has the focus. The browser's Back leads to where you were.",
        "There are more than are shown here: the page of a source leads to its own.",
    ),
}  # fmt: skip


@cache
def characters(locale: str) -> dict[str, set[str]]:
    """What the glossary calls each of its English terms."""
    found: dict[str, set[str]] = {}
    for row in (row for lines in CHAPTERS.values() for row in lines if row[4] != "–"):
        hant, _, hans = row[4].partition(" / ")
        found.setdefault(row[1], set()).add(hant if locale == HANT else hans or hant)
    # The catalogue has sentences about several.
    found["remedies"] = found["remedy"]
    return found


@pytest.mark.parametrize("locale", catalogues.LOCALES)
@pytest.mark.parametrize("term", TERMS)
def test_a_term_is_called_as_the_glossary_calls_it(locale: str, term: str) -> None:
    word = re.compile(rf"(?<![\w-]){re.escape(term)}(?:s|'s)?(?![\w-])", re.I)
    known = characters(locale)[term]
    meant = [
        one
        for one in told(locale)
        if word.search(PLACE.sub(" ", TAG.sub(" ", one.english))) and one.english not in TERMS[term]
    ]
    assert meant
    assert [one for one in meant if not any(name in one.chinese for name in known)] == []
