"""Small pieces of HTML: tiles, dice, icons, seals, amounts, rule ids, runs of Chinese.

Everything that comes in is escaped; what goes out is safe to print. Chinese runs of our own text
carry their language, so that screen readers and fonts treat them rightly; names of players are
printed as they are, because nobody knows their language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

import replay
from audit.web.language import SOURCE, here, listed, phrase, say, told

# The counter-clockwise order of play, drawn with 東 at the bottom, 南 right, 西 top, 北 left.
SEAT_SEALS = (say("東"), say("南"), say("西"), say("北"))
SEAT_NAMES = (say("East"), say("South"), say("West"), say("North"))
SEAT_PLACES = ("east", "south", "west", "north")
# The positions of Wenzhou Pai Gow by their codes.
POSITIONS = {
    "bank": say("莊 Bank"),
    "shun": say("順門 Shun"),
    "chu": say("出門 Chu"),
    "dao": say("到門 Dao"),
}
# What a wager is on: that the door wins, or that it loses.
SIDES = {"win": say("win"), "lose": say("lose")}

CONFIDENCE = {
    "A": say("stated outright by a source document"),
    "B": say("two or more independent sources agree"),
    "C": say("one other source"),
    "D": say("derived, no source"),
}
UNKNOWN = say("unknown")

_CHINESE = re.compile(r"[\u2e80-\u303f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
_KINDS = {kind.code: kind for kind in replay.KINDS}
_RULES = {rule.id: rule for game in replay.GAMES.values() for rule in game.rules.values()}


@lru_cache(maxsize=1)
def sprite() -> str:
    """The address of the file that holds all tiles and icons."""
    return static("tiles/tiles.svg")


def minus(text: str) -> str:
    """Write the sign of negative numbers as U+2212, which lines up and is read as minus."""
    return _MINUS.sub("−", text) if "-" in text else text


def thousands(count: int) -> str:
    """A count with its thousands set off."""
    return f"{count:,}".replace("-", "\u2212")


def grouped(text: str) -> str:
    """An amount with its thousands set off and every decimal kept: -1234.50 is −1,234.50."""
    sign, digits = ("\u2212", text[1:]) if text.startswith("-") else ("", text)
    whole, point, fraction = digits.partition(".")
    return f"{sign}{int(whole):,}{point}{fraction}"


def code_title(code: str) -> str:
    """The title of a finding code; an unknown one as it is."""
    known = replay.CODES.get(code)
    return code if known is None else told(known.title)


def word(code: str) -> str:
    """A word of an address in the language of the page: a filter's name, a state."""
    return told(_CODE_WORDS.get(code, code))


# Words that addresses and logs hold as codes, as English pages print them.
_CODE_WORDS: dict[str, str] = {
    word: word
    for word in (
        say("at"), say("code"), say("combination"), say("conflict"), say("currency"),
        say("decision"), say("from"),
        say("game"), say("met"), say("net"), say("open"), say("overdue"), say("owner"),
        say("player"), say("q"), say("risk"), say("source"), say("state"), say("table"),
        say("tile"), say("to"), say("upload"), say("verdict"),
        say("approved"), say("decided"), say("exported"), say("proposed"), say("rejected"),
        say("withdrawn"), say("operator"), say("log"), say("engine"), say("rule"),
        say("bank"), say("banker"), say("bet"), say("bid"), say("bonus"), say("compare"),
        say("deal"), say("declare"), say("dice"), say("discard"), say("door"), say("outcome"),
        say("play"), say("push"), say("rescan"), say("reveal"), say("throw"), say("trick"),
        say("void"), say("wager"), say("wall"), say("win"), say("lose"),
    )
}  # fmt: skip


def ended(sentence: str) -> str:
    """A sentence with the full stop of its language, and one only."""
    bare = sentence.rstrip(".。")
    return phrase("{sentence}.", sentence=bare)


def seat_name(seat: int) -> str:
    """A seat by its character and its name: 東 East."""
    return phrase("{character} {seat}", character=SEAT_SEALS[seat], seat=SEAT_NAMES[seat])


def tile_name(code: str) -> str:
    """A tile by its code, its character and its name; an unknown code as it is."""
    kind = _KINDS.get(code)
    if kind is None:
        return code
    return f"{code} {kind.hant} {kind.english}" if is_english() else f"{code} {told(kind.hant)}"


def spoken(code: str) -> str:
    """A tile for the ear, in one language."""
    kind = _KINDS.get(code)
    if kind is None:
        return code
    return f"{code} {kind.english}" if is_english() else f"{code} {told(kind.hant)}"


def is_english() -> bool:
    return here() in (SOURCE, None)


def chinese(text: str) -> SafeString:
    """Our own words in the language of the page, escaped, with real minus signs.

    On an English page each Chinese run is marked as such.
    """
    # Asked once: a page prints hundreds of these.
    return _marked(text) if is_english() else escape(minus(told(text)))


@lru_cache(maxsize=4096)
def _marked(text: str) -> SafeString:
    """English words with each Chinese run marked. Pages say the same things again and again."""
    text = minus(text)
    parts: list[str] = []
    end = 0
    for match in _CHINESE.finditer(text):
        parts.append(escape(text[end : match.start()]))
        parts.append(f'<span lang="zh-Hant">{match.group()}</span>')
        end = match.end()
    parts.append(escape(text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - each part is escaped above


def items(texts: Iterable[str]) -> SafeString:
    """Our own words as the items of a list."""
    return SafeString("".join([f"<li>{chinese(text)}</li>" for text in texts]))


def tile(code: str, size: str = "m", extra: str = "") -> SafeString:
    """One tile, `size` xs to xl; `extra` is `down` or `gone`, which its name says too.

    A tile that is not shown (`replay.BACK`) is a back, whatever stands beside it.
    """
    return _tile(code, size, extra, here())


@lru_cache(maxsize=1024)
def _tile(code: str, size: str, extra: str, _language: str | None) -> SafeString:
    """A tile in the language of the request, which is here so that each is kept apart."""
    gone = " tile-gone" if extra == "gone" else ""
    if code == replay.BACK:
        return format_html(
            '<svg class="tile tile-{}{}" role="img" aria-label="{}">'
            '<use href="{}#tback"></use></svg>',
            size, gone, phrase("Tile face down"), sprite(),
        )  # fmt: skip
    name = tile_name(code)
    if extra in _STATES:
        name = listed((name, _STATES[extra]))
    return format_html(
        '<svg class="tile tile-{}{}" role="img" aria-label="{}"><use href="{}#t{}"></use></svg>',
        size, gone, name, sprite(), code,
    )  # fmt: skip


_STATES = {"down": say("face down"), "gone": say("played")}


def tiles(codes: Iterable[str], size: str = "m", extra: str = "") -> SafeString:
    """Tiles in the order given, close together."""
    return mark_safe("".join(tile(code, size, extra) for code in codes))  # noqa: S308


def linked_tiles(codes: Iterable[str], size: str = "m", extra: str = "") -> SafeString:
    """Tiles of the board, each a link to where its kind went; a back leads nowhere."""
    return mark_safe("".join(_linked_tile(code, size, extra) for code in codes))  # noqa: S308


def _linked_tile(code: str, size: str, extra: str) -> SafeString:
    return _linked(code, size, extra, here())


@lru_cache(maxsize=1024)
def _linked(code: str, size: str, extra: str, language: str | None) -> SafeString:
    drawn = _tile(code, size, extra, language)
    if code == replay.BACK:
        return drawn
    # By keyboard the same list is reached at once, without a stop at each tile.
    return format_html('<a class="tile-link" href="#tile-{}" tabindex="-1">{}</a>', code, drawn)


@lru_cache(maxsize=1)
def tile_back() -> SafeString:
    """A back, which says nothing: the count stands beside it."""
    return format_html(
        '<svg class="tile tile-xs" aria-hidden="true"><use href="{}#tback"></use></svg>', sprite()
    )


@lru_cache(maxsize=32)
def die(value: int) -> SafeString:
    return format_html(
        '<svg class="die die-s" role="img" aria-label="{}"><use href="{}#d{}"></use></svg>',
        value, sprite(), value,
    )  # fmt: skip


@lru_cache(maxsize=64)
def icon(name: str) -> SafeString:
    """A small drawing beside a word; it says nothing of its own."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#i-{}"></use></svg>', sprite(), name
    )


def seal(seat: int, *, is_banker: bool = False) -> SafeString:
    """A seat's square with its character; its name is there for a screen reader."""
    return _seal(seat, is_banker, here())


@lru_cache(maxsize=32)
def _seal(seat: int, is_banker: bool, _language: str | None) -> SafeString:
    name = told(SEAT_NAMES[seat])
    return format_html(
        '<span class="seal{}" title="{}"><span class="visually-hidden">{} </span>'
        '<span{} aria-hidden="true">{}</span></span>',
        " seal-bank" if is_banker else "", name, name, _lang(), told(SEAT_SEALS[seat]),
    )  # fmt: skip


def _lang() -> SafeString:
    """The mark of a Chinese part, which a Chinese page does not need."""
    return SafeString(' lang="zh-Hant"') if is_english() else SafeString("")


def both(hant: str | None, english: str) -> SafeString:
    """A term in the original beside English; on a Chinese page in its own script alone."""
    if not is_english():
        return escape(told(hant or english))
    if hant is None:
        return chinese(english)
    return format_html('<span lang="zh-Hant">{}</span> {}', hant, chinese(english))


_CHARACTERS = {"莊": say("莊"), "棟": say("棟")}


def character(hant: str) -> SafeString:
    """A Chinese character or two that stand for themselves, as 莊 on a seal."""
    return format_html("<span{}>{}</span>", _lang(), told(_CHARACTERS.get(hant, hant)))


def confidence_mark(letter: str) -> SafeString:
    return _confidence_mark(letter, here())


@lru_cache(maxsize=32)
def _confidence_mark(letter: str, _language: str | None) -> SafeString:
    title = phrase(
        "Confidence {letter}: {meaning}",
        letter=letter,
        meaning=CONFIDENCE.get(letter, UNKNOWN),
    )
    return format_html(
        '<abbr class="conf conf-{}" title="{}">{}</abbr>', letter.lower(), title, letter
    )


def rule_link(rule_id: str | None, confidence: str | None = None) -> SafeString:
    """A rule id that leads to its sentence, with how sure we are of it."""
    return _rule_link(rule_id, confidence, here())


@lru_cache(maxsize=1024)
def _rule_link(rule_id: str | None, confidence: str | None, _language: str | None) -> SafeString:
    if rule_id is None:
        return SafeString("")
    rule = _RULES.get(rule_id)
    letter = confidence or (rule.confidence if rule is not None else None)
    mark = confidence_mark(letter) if letter else ""
    if rule is None:
        return format_html('<span class="nowrap"><span class="rule">{}</span> {}</span>',
                           rule_id, mark)  # fmt: skip
    return format_html(
        '<span class="nowrap"><a class="rule" href="{}#{}" title="{}">{}</a> {}</span>',
        reverse("rules"), rule_id, told(rule.sentence), rule_id, mark,
    )  # fmt: skip


def goal_link(
    name: str, title: str, url: str | None, words: SafeString, classes: str
) -> SafeString:
    """A button of the transport; where there is no place to go to it is there and leads nowhere."""
    before, behind, nowhere = _around_goal(name, title, words, classes)
    return SafeString(nowhere if url is None else f"{before}{escape(url)}{behind}")


@lru_cache(maxsize=512)
def _around_goal(
    name: str, title: str, words: SafeString, classes: str
) -> tuple[SafeString, SafeString, SafeString]:
    """A button before and behind its address, and without one: each step has a dozen of them."""
    front = format_html('<a class="{}"', classes)
    end = format_html(' data-key="{}" title="{}">{}</a>', name, title, words)
    return (
        format_html('{} href="', front),
        format_html('" data-step data-goal="{}"{}', name, end),
        format_html('{} role="link" aria-disabled="true" tabindex="-1"{}', front, end),
    )


def part_link(title: str, url: str, number: int, width: int, *, is_current: bool) -> SafeString:
    """A part of the hand under the slider, as wide as its steps; `number` counts the parts."""
    here, current = (" here", ' aria-current="true"') if is_current else ("", "")
    return format_html(
        '<li class="span-{}{}"><a href="{}" data-step data-key="part-{}"{}>{}</a></li>',
        width, here, url, number, SafeString(current), chinese(title),
    )  # fmt: skip


def view_link(title: str, url: str, seal: str | None, *, is_current: bool) -> SafeString:
    """Who looks, by a word or by the character of a seat."""
    words: str = title
    if seal is not None:
        words = format_html(
            '<span class="visually-hidden">{} </span><span lang="zh-Hant" aria-hidden="true">{}'
            "</span>",
            title, seal,
        )  # fmt: skip
    current = SafeString(' aria-current="true"' if is_current else "")
    return format_html('<li><a href="{}"{} title="{}">{}</a></li>', url, current, title, words)


@lru_cache(maxsize=16)
def tick(classes: str) -> SafeString:
    """A tick of the slider at which nothing was found: for the eye alone."""
    kind = format_html(' class="{}"', classes) if classes else ""
    return format_html('<li{} aria-hidden="true"><i></i></li>', kind)


def tick_of_finding(number: int, url: str, classes: str, *, is_current: bool) -> SafeString:
    """A tick that leads to a finding."""
    title = phrase("Step {number}, finding", number=number)
    return format_html(
        '<li class="{}"><a href="{}" data-step data-key="tick-{}" title="{}"{}>'
        '<span class="visually-hidden">{}</span></a></li>',
        classes, url, number, title, SafeString(' aria-current="step"' if is_current else ""),
        title,
    )  # fmt: skip


def rule_of(rule_id: str | None) -> replay.Rule | None:
    """The rule behind an id, where the catalogue has it."""
    return _RULES.get(rule_id) if rule_id is not None else None
