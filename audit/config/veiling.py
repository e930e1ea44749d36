"""What a line of a log must not hold: the secret of a link that somebody was given to a hand.

Whoever has the address of such a link has the link. Of its secret a line keeps the first characters
alone, by which the page of links tells one from another (`ShareLink.prefix`).
"""

from __future__ import annotations

import re

KEPT = 6
_SECRET = re.compile(
    rf"(shared(?:/|%2f)[\w-]{{0,{KEPT}}})[^/?#&\s\"'<>]*", re.ASCII | re.IGNORECASE
)
_QUERY = re.compile(r"\?[^\s\"'<>]*")


def veiled(text: str) -> str:
    """The same text with the secret of each link cut short, escaped or not."""
    return _SECRET.sub(r"\1…", text)


def without_query(text: str) -> str:
    """The same text without what its addresses ask for, which can be the name of a player."""
    return _QUERY.sub("?…", text)
