"""What a name looks like, and what is unusual about it. Names themselves are never changed.

Two names look alike when a reader could take one for the other: in another case, another width,
with characters that are not seen, or with letters of another script that have the same shape.
"""

from __future__ import annotations

import unicodedata

# Long enough for a reader, short enough for an index.
SKELETON_MAX = 200
MARKS_MAX = 2
_JOINER = "\u200d"
# Cyrillic and Greek letters that have the shape of a Latin one, after folding the case.
_SHAPES = str.maketrans(
    {
        **dict(zip("авекмнорстухіјѕԛԝһԁ", "abekmhopctyxijsqwhd", strict=True)),
        **dict(zip("αβεηικνορτυχ", "abehikvoptux", strict=True)),
        "ı": "i",
    }
)
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK")


def skeleton(name: str) -> str:
    """What a name looks like: equal for names that look alike, cut to SKELETON_MAX."""
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_SHAPES)
    seen = "".join(one for one in folded if not _is_unseen(one))
    return " ".join(unicodedata.normalize("NFC", seen).split())[:SKELETON_MAX]


def oddities(name: str) -> tuple[str, ...]:
    """What is unusual about the characters of a name, in words; nothing for a usual one."""
    words = {
        "characters that are not seen": any(map(_is_unseen, _without_joined(name))),
        "blanks at its ends, doubled or of an unusual kind": _has_odd_blanks(name),
        "characters in another form than usual": unicodedata.normalize("NFKC", name) != name,
        "letters of several scripts": len(_scripts(name)) > 1,
        "many marks on one letter": _most_marks(name) > MARKS_MAX,
        "characters that are none": any(
            unicodedata.category(one) in ("Cn", "Co", "Cs") for one in name
        ),
    }
    return tuple(word for word, holds in words.items() if holds)


def spelled(name: str) -> str:
    """A name with each character as its number that a reader would not see or would mistake."""
    is_mixed = len(_scripts(name)) > 1
    has_odd_blanks = _has_odd_blanks(name)
    return "".join(
        f"‹U+{ord(one):04X}›"
        if _is_mistaken(one, is_mixed) or (has_odd_blanks and one == " ")
        else one
        for one in name
    )


def _is_mistaken(one: str, is_mixed: bool) -> bool:
    if one.isascii():
        return not one.isprintable()
    if not one.isalnum() or unicodedata.normalize("NFKC", one) != one:
        return True
    return is_mixed and not unicodedata.name(one, "").startswith("LATIN")


def _has_odd_blanks(name: str) -> bool:
    """Whether blanks stand at its ends, twice, or are of another kind than the usual one."""
    others = (one for one in name if one != " ")
    return (
        name != name.strip()
        or "  " in name
        or any(unicodedata.category(one) in ("Zs", "Zl", "Zp") for one in others)
    )


def _is_unseen(one: str) -> bool:
    return unicodedata.category(one) == "Cf"


def _without_joined(name: str) -> str:
    """Without the joiners between two pictures, which make one picture of them."""
    kept = []
    for position, one in enumerate(name):
        around = name[position - 1 : position] + name[position + 1 : position + 2]
        is_joined = len(around) == 2 and all(unicodedata.category(two) == "So" for two in around)
        if not (one == _JOINER and is_joined):
            kept.append(one)
    return "".join(kept)


def _scripts(name: str) -> set[str]:
    names = (unicodedata.name(one, "") for one in name if one.isalpha())
    return {script for one in names for script in _SCRIPTS if one.startswith(script)}


def _most_marks(name: str) -> int:
    most = here = 0
    for one in name:
        here = here + 1 if unicodedata.combining(one) else 0
        most = max(most, here)
    return most
