"""Veiling: a record with a commitment in the place of each name, so that names can be forgotten.

    token_of(salt, name)                  what stands for a name
    veiled(line, tokens, key)             the line with tokens, which reads as a record of its kind
    seal_key(salts), sealed(key, bytes)   a commitment to what would betray a name by being guessed

A name stands where a key of `NAME_KEYS` has it. Beside names, `ext` and reasons that hold a name go
under a commitment, for nothing of them is ever judged by. Without its salt a token says nothing
about its name, and without every salt of a record nothing can be told from its commitments. What is
veiled already stays as it is.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

SALT_BYTES = 32
# In lower case, as they are compared.
NAME_KEYS = frozenset({"player", "accounts", "account", "username", "user"})
# Findings whose subject may be a player, or a bet that bears a player's name.
NAMED_CODES = frozenset(
    {"profit-mismatch", "valid-bet-mismatch", "wager-illegal", "wager-hedged",
     "carry-discontinuity"}
)  # fmt: skip
_TOKEN = re.compile(r"#[0-9a-f]{40}")
_PURPOSE = b"tilecourt-veil/1\n"
_ENCODER = msgspec.json.Encoder()

# Nearly every line: no letter of a key is escaped, no value might hold a name in some other way.
# In a hand log a key that is not known is refused, so no key ends like one that names somebody.
_UNUSUAL = (b"\\u00", b'"reason"')
_PLAIN = re.compile(rb'("(player|bet)"\s*:\s*)("(?:[^"\\]|\\.)*")')
_EXT = re.compile(rb'"ext"\s*:\s*')
_PART = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+')


def token_of(salt: bytes, name: str) -> str:
    """What stands for a name: a commitment to it, as a name of its own."""
    mac = hmac.digest(salt, _PURPOSE + name.encode("utf-8", "surrogatepass"), "sha256")
    return f"#{mac[:20].hex()}"


def is_token(name: str) -> bool:
    """Whether a name has the form of a token."""
    return _TOKEN.fullmatch(name) is not None


def seal_key(salts: Iterable[bytes]) -> bytes:
    """The key of a record's commitments: without one of the salts there is none."""
    return hashlib.sha256(_PURPOSE + b"".join(sorted(salts))).digest()


def sealed(key: bytes, data: bytes) -> bytes:
    """A commitment to some bytes, 32 bytes."""
    return hmac.digest(key, data, "sha256")


def names_of(line: bytes) -> tuple[str, ...]:
    """The names in a record, each once, in the order in which they come.

    Raises: ValueError for bytes that are no JSON.
    """
    found: dict[str, None] = {}

    def note(name: str) -> str:
        return found.setdefault(name) or name

    _rewrite(line, note, None)
    return tuple(found)


def veiled(line: bytes, tokens: Mapping[str, str], key: bytes | None) -> bytes:
    """A record with tokens for its names. `key` is None where a name was forgotten: then what goes
    under a commitment went there before.

    Raises: LookupError for a name that has no token, ValueError for bytes that are no JSON.
    """
    return _rewrite(line, tokens.__getitem__, _Hider(tokens, key))


def veiled_value(value: Any, tokens: Mapping[str, str]) -> Any:
    """A settlement with tokens for its names."""
    if isinstance(value, Mapping):
        return {
            key: tokens.get(part, part)
            if key in ("player", "bet") and isinstance(part, str)
            else veiled_value(part, tokens)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [veiled_value(part, tokens) for part in value]
    return value


def veiled_subject(code: str, subject: str | None, tokens: Mapping[str, str]) -> str | None:
    """The subject of a finding with a token where it is a name."""
    if subject is None or code not in NAMED_CODES:
        return subject
    return tokens.get(subject, subject)


# -- the bytes of a line --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hider:
    """Puts `ext` and reasons that hold a name under a commitment."""

    tokens: Mapping[str, str]
    key: bytes | None

    def ext(self, raw: bytes) -> bytes:
        if self.key is None:
            return raw
        return b'{"sealed":"' + sealed(self.key, raw).hex().encode() + b'"}'

    def reason(self, raw: bytes, text: str) -> bytes:
        if self.key is None or not any(name in text for name in self.tokens):
            return raw
        return b'"sealed ' + sealed(self.key, raw).hex().encode() + b'"'

    def bet(self, raw: bytes, text: str) -> bytes:
        token = self.tokens.get(text)
        return raw if token is None else _ENCODER.encode(token)


class _Ext(msgspec.Struct):
    ext: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def _rewrite(line: bytes, name: Callable[[str], str], hider: _Hider | None) -> bytes:
    if b'"hand-log/1' in line and not any(mark in line for mark in _UNUSUAL):
        if b'"ext"' not in line:
            return _rewrite_plain(line, name, hider)
        ext = _ext_of(line)
        if ext is not None:
            start, end = ext
            raw = line[start:end]
            return (
                _rewrite_plain(line[:start], name, hider)
                + (raw if hider is None else hider.ext(raw))
                + _rewrite_plain(line[end:], name, hider)
            )
    return b"".join(_rewrite_parts(line, name, hider))


def _ext_of(line: bytes) -> tuple[int, int] | None:
    """Where the value of `ext` stands; None where that is not plain to see."""
    found = _EXT.search(line)
    if found is None or line.count(b'"ext"') != 1 or b'"hand-log/1"' not in line:
        return None
    try:
        ext = msgspec.json.decode(line, type=_Ext).ext
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if isinstance(ext, msgspec.UnsetType):
        return None
    end = found.end() + len(raw := bytes(ext))
    return (found.end(), end) if line[found.end() : end] == raw and raw[:1] in b"{[" else None


def _rewrite_plain(line: bytes, name: Callable[[str], str], hider: _Hider | None) -> bytes:
    def put(match: re.Match[bytes]) -> bytes:
        before, key, raw = match.groups()
        text = raw[1:-1].decode() if b"\\" not in raw else msgspec.json.decode(raw, type=str)
        if key != b"bet":
            return before + _ENCODER.encode(name(text))
        return before + (raw if hider is None else hider.bet(raw, text))

    return _PLAIN.sub(put, line)


def _rewrite_parts(  # noqa: C901 - one machine of few states
    line: bytes, name: Callable[[str], str], hider: _Hider | None
) -> Iterator[bytes]:
    """The parts of a line, those with names anew; with the blanks between them."""
    is_log = b'"hand-log/1"' in line
    frames: list[str] = []
    key: str | None = None
    is_value, end, skip_from, skip_depth = False, 0, -1, 0
    for match in _PART.finditer(line):
        part, start = match[0], match.start()
        if skip_from >= 0:
            # Inside of `ext`: only its end matters.
            skip_depth += (part in b"[{") - (part in b"]}")
            if skip_depth == 0:
                raw = line[skip_from : match.end()]
                yield raw if hider is None else hider.ext(raw)
                skip_from, end = -1, match.end()
            continue
        yield line[end:start]
        end = match.end()
        if part in b"[{":
            if is_log and len(frames) == 1 and key == "ext" and is_value:
                skip_from, skip_depth = start, 1
                continue
            frames.append(part.decode())
            key, is_value = None, part == b"["
        elif part in b"]}":
            if not frames:
                raise ValueError("a bracket closes what was not open")
            frames.pop()
            key, is_value = None, bool(frames) and frames[-1] == "["
        elif part == b":":
            is_value = True
        elif part == b",":
            key, is_value = None, bool(frames) and frames[-1] == "["
        elif part[:1] == b'"':
            text = msgspec.json.decode(part, type=str)
            if not is_value:
                key = text
            elif key is not None:
                part = _value(part, key, text, name, hider)
        yield part
    yield line[end:]
    if frames or skip_from >= 0:
        raise ValueError("it ends before it is whole")


def _value(
    part: bytes, key: str, text: str, name: Callable[[str], str], hider: _Hider | None
) -> bytes:
    """A string that stands under a key, anew where it is or holds a name."""
    kind = key.casefold()
    if kind in NAME_KEYS:
        # An agent's accounts bear its own name before the player's.
        agent, found, rest = text.partition("_") if kind == "accounts" else ("", "", text)
        if kind == "accounts" and not (found and rest):
            agent, found, rest = "", "", text
        return _ENCODER.encode(agent + found + name(rest))
    if hider is not None and key == "reason":
        return hider.reason(part, text)
    if hider is not None and key == "bet":
        return hider.bet(part, text)
    return part


# -- forgetting one name ---------------------------------------------------------------------


def erased(line: bytes, name: str, tokens: Mapping[str, str], key: bytes | None) -> bytes:
    """The line with the token of one name in its place, which is veiled as the line itself is.

    `tokens` are those of all its names, `key` that of its commitments, None where another name was
    erased before. Raises: ValueError for bytes that are no JSON.
    """
    own = {name: tokens[name]}
    return _rewrite(line, lambda one: own.get(one, one), _Eraser(tokens, key, own))


@dataclass(frozen=True, slots=True)
class _Eraser(_Hider):
    """Hides what a veil hides, but puts a token only for bets that bear the erased name."""

    own: Mapping[str, str]

    def bet(self, raw: bytes, text: str) -> bytes:
        token = self.own.get(text)
        return raw if token is None else _ENCODER.encode(token)
