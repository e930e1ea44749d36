"""The words of a PDF as a reader of the file finds them, page by page; for PDFs that typst made."""

from __future__ import annotations

import re
import zlib

_OBJECT = re.compile(rb"(?<![0-9])(\d+) 0 obj\s*")
# A font is chosen, then an array of strings begins.
_RUN = re.compile(rb"/(f\d+) [\d.]+ Tf[^\[]*\[")
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def pages_of(data: bytes) -> list[str]:
    """The words of each page in the order in which they are set; a blank stands between runs."""
    objects = _objects(data)
    pages = [head for head, _ in objects.values() if re.search(rb"/Type/Page\b(?!s)", head)]
    return [_words(page, objects) for page in pages]


def _objects(data: bytes) -> dict[int, tuple[bytes, bytes]]:
    """By number the dictionary and the inflated stream of each object."""
    found = {}
    place = 0
    while (match := _OBJECT.search(data, place)) is not None:
        end = data.index(b"endobj", match.end())
        stream = data.find(b"stream", match.end(), end)
        head, content = data[match.end() : end], b""
        if stream >= 0:
            head = data[match.end() : stream]
            length = int(re.search(rb"/Length (\d+)", head)[1])
            start = stream + len(b"stream\n")
            content = data[start : start + length]
            if b"/FlateDecode" in head:
                content = zlib.decompress(content)
            end = data.index(b"endobj", start + length)
        found[int(match[1])] = (head, content)
        place = end + len(b"endobj")
    return found


def _words(page: bytes, objects: dict[int, tuple[bytes, bytes]]) -> str:
    resources = objects[int(re.search(rb"/Resources (\d+) 0 R", page)[1])][0]
    content = objects[int(re.search(rb"/Contents (\d+) 0 R", page)[1])][1]
    fonts = {}
    for name, number in re.findall(rb"/(f\d+) (\d+) 0 R", resources):
        font = objects[int(number)][0]
        fonts[name] = _characters(objects[int(re.search(rb"/ToUnicode (\d+)", font)[1])][1])
    runs = []
    for match in _RUN.finditer(content):
        name, codes = match[1], b"".join(_strings(content, match.end()))
        pairs = (codes[place : place + 2] for place in range(0, len(codes), 2))
        runs.append("".join(fonts[name].get(pair, "\ufffd") for pair in pairs))
    return " ".join(runs)


def _strings(content: bytes, place: int) -> list[bytes]:
    """The strings of an array that begins here; a literal one may hold balanced brackets."""
    found, depth, start = [], 0, 0
    while depth or content[place : place + 1] != b"]":
        sign = content[place : place + 1]
        if sign == b"\\":
            place += 1
        elif sign == b"<" and not depth:
            end = content.index(b">", place)
            found.append(bytes.fromhex(content[place + 1 : end].decode()))
            place = end
        elif sign == b"(":
            depth += 1
            start = place + 1 if depth == 1 else start
        elif sign == b")":
            depth -= 1
            if not depth:
                found.append(_plain(content[start:place]))
        place += 1
    return found


def _plain(text: bytes) -> bytes:
    """A literal string without its escapes."""

    def escaped(match: re.Match[bytes]) -> bytes:
        told = match[1]
        return bytes([int(told, 8)]) if told.isdigit() else _ESCAPES.get(told, told)

    return re.sub(rb"\\([0-7]{1,3}|.)", escaped, text, flags=re.DOTALL)


def _characters(table: bytes) -> dict[bytes, str]:
    """What each code of a font stands for."""
    found = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for code, text in re.findall(rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>", block):
            found[bytes.fromhex(code.decode())] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for first, last, text in re.findall(
            rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>", block
        ):
            start = int(text, 16)
            for step in range(int(last, 16) - int(first, 16) + 1):
                found[(int(first, 16) + step).to_bytes(2, "big")] = chr(start + step)
    return found
