"""What a Chinese page may show in Latin letters, and how the rest is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

# Words that every language of the site writes alike: names, units, formats, keys, identifiers.
ALLOWED = frozenset(
    re.findall(
        r"\S+",
        """
        Tilecourt KindID gid Webhook Webhooks API OpenAPI JSON CSV PDF TOML NUL SHA UTC QR HKD
        CNY MOP USD EUR TOTP gzip zstd typst Home End Shift KB MB GB ms log hand pg tg wz English
        hand-log verify-store manage py requirements export Asia Macau https PG TG WZ
        """,
    )
)
# What stands in these is data: ids, names, codes, keys.
DATA_TAGS = frozenset(("bdi", "code", "pre", "kbd", "script", "style", "time", "textarea"))
# What stands in these is read out or shown, as text is.
SPOKEN = (
    "title", "aria-label", "placeholder", "alt", "data-label", "data-title", "data-sentence",
    "data-heads",
)  # fmt: skip
# Elements whose text is one piece with what surrounds it are not told apart; each text is looked
# at by itself.
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_CODE = re.compile(
    r"""
      [a-z]+(?:[-_.@/][A-Za-z0-9]+)+      # ids, keys, file names: tien-gow.classic@1
    | [A-Z]{1,3}-\d+                      # C-12, PG-21
    | \b[A-Z]+\b                          # abbreviations
    | `[^`]*`                             # a name of the log, set off
    | \#\w+ | \w+=\S*                     # options: pg.tie_rule=push
    | (?:pg|tg|wz)\.\w+
    | \b[a-f0-9]{6,}\b                    # hashes
    | \b[nM]\b
    """,
    re.X,
)


class Seen(HTMLParser):
    """The texts of a page that a person reads or hears, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self._data: list[str] = []
        self._foreign: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_foreign = given.get("lang", "").startswith("en") and tag != "html"
        is_data = tag in DATA_TAGS or "data-verbatim" in given or is_foreign
        if tag not in VOID:
            self._open.append((tag, is_data))
        if not any(data for _, data in self._open):
            self.texts += [value for name in SPOKEN if (value := given.get(name))]
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            name, _ = self._open.pop()
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        if data.strip() and not any(is_data for _, is_data in self._open):
            self.texts.append(data.strip())


VOID = frozenset(
    re.findall(r"\w+", "area base br col embed hr img input link meta source track wbr")
)


def seen(html: str) -> Seen:
    found = Seen()
    found.feed(html)
    return found


def english_in(html: str, names: frozenset[str]) -> Iterator[str]:
    """The texts that hold an English word which is neither allowed nor one of these names."""
    for text in seen(html).texts:
        bare = _CODE.sub(" ", _without(text, names))
        words = [word for word in _WORD.findall(bare) if word not in ALLOWED]
        if any(len(word) > 1 for word in words):
            yield text


def _without(text: str, names: frozenset[str]) -> str:
    """A text without its addresses and the names of the store, each as a whole."""
    bare = re.sub(r"https?://\S+", " ", text)
    for name in sorted(names, key=len, reverse=True):
        if name in bare:
            bare = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", bare)
    return bare


def inner(links: list[str], address: str) -> Iterator[str]:
    """The links of a page that stay on the site, without their fragments."""
    for link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link.startswith("#"):
            continue
        path = parts.path or urlsplit(address).path
        yield path + (f"?{parts.query}" if parts.query else "")
