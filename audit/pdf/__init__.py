"""Documents as PDF, set by typst where that is installed (requirements/export).

What people wrote goes to the templates as data and never as markup. The same data give the same
bytes, as long as typst and the fonts of the machine are the same.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

# Optional, and without types of its own for what is used here.
typst: Any = importlib.import_module("typst") if importlib.util.find_spec("typst") else None

Template = Literal["report", "letter", "casefile"]
_HERE = Path(__file__).parent
# Those that are not there are passed over; the last ones have every Chinese character.
FONTS = {
    "en": ("Inter", "Noto Sans", "Liberation Sans", "DejaVu Sans", "Noto Sans CJK TC"),
    "zh-Hant": ("Noto Sans CJK TC", "Noto Sans CJK HK", "DejaVu Sans"),
    "zh-Hans": ("Noto Sans CJK SC", "Noto Sans CJK TC", "DejaVu Sans"),
}


class PdfRefused(Exception):
    """No PDF can be made; the text is a sentence."""


def is_installed() -> bool:
    return typst is not None


def maker() -> str:
    """What sets the documents, and in which version; empty where nothing does."""
    return "" if typst is None else f"typst {typst.__version__}"


def make_pdf(template: Template, data: Mapping[str, Any], *, made_at: datetime) -> bytes:
    """Set a document. `made_at` is the only moment that it knows. Raises: PdfRefused."""
    made = _set(template, data, made_at, "pdf")
    assert isinstance(made, bytes)
    return made


def make_pages(template: Template, data: Mapping[str, Any], *, made_at: datetime) -> list[bytes]:
    """The pages as pictures (PNG), for looking at. Raises: PdfRefused."""
    made = _set(template, data, made_at, "png")
    return made if isinstance(made, list) else [made]


def _set(
    template: Template, data: Mapping[str, Any], made_at: datetime, form: Literal["pdf", "png"]
) -> bytes | list[bytes]:
    if typst is None:
        raise PdfRefused("PDFs are not made here: typst is not installed (requirements/export).")
    given = {**data, "fonts": _known(str(data.get("lang", "en"))), "made_day": [
        made_at.year, made_at.month, made_at.day,
    ]}  # fmt: skip
    compiler = _compiler(template)
    try:
        made: bytes | list[bytes] | None = compiler.compile(
            format=form,
            sys_inputs={"data": json.dumps(given, ensure_ascii=False)},
            timestamp=int(made_at.astimezone(UTC).timestamp()),
            **({"ppi": 110.0} if form == "png" else {}),
        )
    except typst.TypstError as error:
        raise PdfRefused(f"The document could not be set: {error.message}") from error
    assert made is not None
    return made


@cache
def _fonts() -> Any:
    """The fonts of this machine, looked for once a process."""
    return typst.Fonts(include_system_fonts=True)


@cache
def _families() -> frozenset[str]:
    return frozenset(_fonts().families())


def _known(lang: str) -> list[str]:
    wanted = FONTS.get(lang, FONTS["en"])
    return [name for name in wanted if name in _families()] or ["DejaVu Sans Mono"]


def _compiler(template: Template) -> Any:
    """One for each document: it would keep what it has set."""
    return typst.Compiler(input=_HERE / f"{template}.typ", root=_HERE, font_paths=_fonts())
