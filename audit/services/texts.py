"""Texts that come from outside, made fit for the store without losing what they said."""


def storable(text: str, length_max: int) -> str:
    """Write what PostgreSQL cannot hold as an escape, and cut what is too long.

    NUL and unpaired surrogates are the only code points that a text column refuses. For words about
    a line, never for its names: those are refused before they come here.
    """
    if "\0" in text:
        text = text.replace("\0", "\\u0000")
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= length_max else f"{text[: length_max - 1]}…"
