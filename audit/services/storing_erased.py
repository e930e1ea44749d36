"""Lines that come again after a name was erased from what they brought first.

Their bytes are no longer known, and no hash of them: such a line is told by what it says beside the
erased names. It counts as the same, whoever it names there, and none of its bytes are kept.
"""

from __future__ import annotations

import re

import replay
from replay.evidence import is_token, names_of, veiled

_REASON = re.compile(rb'"reason"\s*:\s*"(?:[^"\\]|\\.)*"')


def has_erased_names(known: bytes) -> bool:
    """Whether a record that is kept has a token in the place of a name."""
    return b'"#' in known and any(is_token(name) for name in names_of(known))


def says_the_same(known: bytes, line: bytes) -> bool:
    """Whether a line says what a record with erased names says, but for these names, for `ext` and
    for reasons, which went with them."""
    before, names = names_of(known), names_of(line)
    if len(before) != len(names):
        return False
    if any(one != name and not is_token(one) for one, name in zip(before, names, strict=True)):
        return False
    told = veiled(line, dict(zip(names, before, strict=True)), None)
    return _meaning(told) == _meaning(known)


def _meaning(line: bytes) -> bytes:
    return replay.canonical_sha256(_REASON.sub(b'"reason":""', line), without={"ext"})
