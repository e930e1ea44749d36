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

# The counter-clockwise order of play, drawn with 東 at the bottom, 南 right, 西 top, 北 left.
SEAT_SEALS = ("東", "南", "西", "北")
SEAT_NAMES = ("East", "South", "West", "North")
SEAT_PLACES = ("east", "south", "west", "north")
# The positions of Wenzhou Pai Gow by their codes.
POSITIONS = {"bank": "莊 Bank", "shun": "順門 Shun", "chu": "出門 Chu", "dao": "到門 Dao"}

CONFIDENCE = {
    "A": "stated outright by a source document",
    "B": "two or more independent sources agree",
    "C": "one other source",
    "D": "derived, no source",
}

_CHINESE = re.compile(r"[\u2e80-\u303f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
_NAMES = {kind.code: f"{kind.code} {kind.hant} {kind.english}" for kind in replay.KINDS}
_RULES = {rule.id: rule for game in replay.GAMES.values() for rule in game.rules.values()}


@lru_cache(maxsize=1)
def sprite() -> str:
    """The address of the file that holds all tiles and icons."""
    return static("tiles/tiles.svg")


def minus(text: str) -> str:
    """Write the sign of negative numbers as U+2212, which lines up and is read as minus."""
    return _MINUS.sub("−", text)


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
    return code if known is None else known.title


def chinese(text: str) -> SafeString:
    """Our own words, escaped, with each Chinese run marked as such and real minus signs."""
    parts: list[str] = []
    end = 0
    text = minus(text)
    for match in _CHINESE.finditer(text):
        parts.append(escape(text[end : match.start()]))
        parts.append(f'<span lang="zh-Hant">{match.group()}</span>')
        end = match.end()
    parts.append(escape(text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - each part is escaped above


@lru_cache(maxsize=512)
def tile(code: str, size: str = "m", extra: str = "") -> SafeString:
    """One tile, `size` xs to xl; `extra` is `down` or `gone`, which its name says too.

    A tile that is not shown (`replay.BACK`) is a back, whatever stands beside it.
    """
    if code == replay.BACK:
        return format_html(
            '<svg class="tile tile-{}{}" role="img" aria-label="Tile face down">'
            '<use href="{}#tback"></use></svg>',
            size, " tile-gone" if extra == "gone" else "", sprite(),
        )  # fmt: skip
    name = _NAMES.get(code, code)
    suffix = {"down": ", face down", "gone": ", played"}.get(extra, "")
    return format_html(
        '<svg class="tile tile-{}{}" role="img" aria-label="{}{}"><use href="{}#t{}"></use></svg>',
        size, " tile-gone" if extra == "gone" else "", name, suffix, sprite(), code,
    )  # fmt: skip


def tiles(codes: Iterable[str], size: str = "m", extra: str = "") -> SafeString:
    """Tiles in the order given, close together."""
    return mark_safe("".join(tile(code, size, extra) for code in codes))  # noqa: S308


def linked_tiles(codes: Iterable[str], size: str = "m", extra: str = "") -> SafeString:
    """Tiles of the board, each a link to where its kind went; a back leads nowhere."""
    return mark_safe("".join(_linked_tile(code, size, extra) for code in codes))  # noqa: S308


@lru_cache(maxsize=512)
def _linked_tile(code: str, size: str, extra: str) -> SafeString:
    drawn = tile(code, size, extra)
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


@lru_cache(maxsize=16)
def seal(seat: int, *, is_banker: bool = False) -> SafeString:
    """A seat's square with its character; its English name is there for a screen reader."""
    return format_html(
        '<span class="seal{}" title="{}"><span class="visually-hidden">{} </span>'
        '<span lang="zh-Hant" aria-hidden="true">{}</span></span>',
        " seal-bank" if is_banker else "", SEAT_NAMES[seat], SEAT_NAMES[seat], SEAT_SEALS[seat],
    )  # fmt: skip


@lru_cache(maxsize=16)
def confidence_mark(letter: str) -> SafeString:
    return format_html(
        '<abbr class="conf conf-{}" title="Confidence {}: {}">{}</abbr>',
        letter.lower(), letter, CONFIDENCE.get(letter, "unknown"), letter,
    )  # fmt: skip


def rule_link(rule_id: str | None, confidence: str | None = None) -> SafeString:
    """A rule id that leads to its sentence, with how sure we are of it."""
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
        reverse("rules"), rule_id, rule.sentence, rule_id, mark,
    )  # fmt: skip


def rule_of(rule_id: str | None) -> replay.Rule | None:
    """The rule behind an id, where the catalogue has it."""
    return _RULES.get(rule_id) if rule_id is not None else None
