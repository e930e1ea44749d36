"""The catalogues of the languages: extracted with Babel, written and compiled with polib.

No GNU gettext is needed. A message is what stands in `{% translate %}`, `{% blocktranslate %}` or
`_("…")` of a template, or in one of the functions of `KEYWORDS` in Python.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polib
from babel.messages import extract
from django.conf import settings
from django.utils.translation import templatize

LOCALES = ("zh_Hant", "zh_Hans")
DOMAIN = "django"
# Which arguments of which function are messages: the first where it is not said.
KEYWORDS: dict[str, tuple[Any, ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "ngettext_lazy": (1, 2),
    "say": None,
    "phrase": None,
    "phrases": (1, 2),
    "phrase_html": None,
    # A rule of a game: id, confidence, sentence.
    "_rule": (3,),
}
METADATA = {
    "Project-Id-Version": "Tilecourt",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Transfer-Encoding": "8bit",
    "Plural-Forms": "nplurals=1; plural=0;",
}


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """A message; `plural` is its English form for several, empty where it has one form.

    `context` tells apart what English calls by one word and Chinese does not.
    """

    text: str
    plural: str = ""
    context: str = ""


def folder_of(locale: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / locale / "LC_MESSAGES"


# Programs of the command line speak English, by functions of their own that say things too.
NOT_ON_PAGES = ("migrations", "management", "devstack", "evidence")


def sources(root: Path) -> Iterator[Path]:
    """The files that hold messages, in a fixed order."""
    for folder, kinds in (("replay", (".py",)), ("audit", (".py",)), ("templates", (".html",))):
        for path in sorted((root / folder).rglob("*")):
            inner = path.relative_to(root).parts[1:]
            if path.suffix in kinds and (folder == "templates" or inner[0] not in NOT_ON_PAGES):
                yield path


def extracted(root: Path) -> list[Message]:
    """Every message of the project once, in the order of the files.

    Raises: ValueError where one text stands with and without a plural.
    """
    found: dict[tuple[str, str], Message] = {}
    for path in sources(root):
        for message in _messages_of(path):
            if not message.text:
                continue
            key = (message.context, message.text)
            known = found.setdefault(key, message)
            if known.plural and message.plural and known != message:
                raise ValueError(f"{path}: “{message.text}” has two plurals.")
            if message.plural and not known.plural:
                found[key] = message
    return list(found.values())


def _messages_of(path: Path) -> Iterator[Message]:
    source = path.read_text("utf-8")
    if path.suffix == ".html":
        source = templatize(source, origin=str(path))
    keywords = cast("Any", KEYWORDS)
    for _, text, _, context in extract.extract(
        "python", io.BytesIO(source.encode()), keywords, (), {"encoding": "utf-8"}
    ):
        # A call with a name in place of a sentence gives nothing.
        if text:
            one, many = (text, "") if isinstance(text, str) else (text[0] or "", text[1] or "")
            yield Message(one, many, context or "")


def read(locale: str) -> polib.POFile:
    """The catalogue as it stands; an empty one where there is none."""
    path = folder_of(locale) / f"{DOMAIN}.po"
    return polib.pofile(str(path), wrapwidth=0) if path.exists() else polib.POFile(wrapwidth=0)


def updated(old: polib.POFile, messages: list[Message], locale: str) -> polib.POFile:
    """The catalogue with these messages: kept translations, empty new ones, none too many."""
    known = {(entry.msgctxt or "", entry.msgid): entry for entry in old}
    new = polib.POFile(wrapwidth=0)
    new.metadata = {**METADATA, "Language": locale}
    for message in messages:
        entry = polib.POEntry(msgid=message.text, msgctxt=message.context or None)
        had = known.get((message.context, message.text))
        if message.plural:
            entry.msgid_plural = message.plural
            entry.msgstr_plural = {0: _form(had)}
        else:
            entry.msgstr = _form(had)
        new.append(entry)
    return new


def _form(entry: polib.POEntry | None) -> str:
    """The only form that Chinese has, whether the message has a plural or not."""
    if entry is None:
        return ""
    return str(entry.msgstr_plural.get(0, "") if entry.msgid_plural else entry.msgstr)


def compiled(catalogue: polib.POFile) -> bytes:
    """What Django reads: the .mo of a catalogue."""
    return bytes(catalogue.to_binary())


def write(catalogue: polib.POFile, locale: str) -> None:
    """Keep a catalogue beside what it compiles to."""
    folder = folder_of(locale)
    folder.mkdir(parents=True, exist_ok=True)
    catalogue.save(str(folder / f"{DOMAIN}.po"))
    (folder / f"{DOMAIN}.mo").write_bytes(compiled(catalogue))
