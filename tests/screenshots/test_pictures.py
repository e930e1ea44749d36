"""The list of pictures covers the site, and the files are what they were."""

import struct
import zlib
from collections import Counter
from itertools import product
from string import Formatter

import pytest
from django.urls import URLPattern, URLResolver, resolve

from audit.web.urls import urlpatterns
from screenshots.__main__ import FOLDER, INDEX, index
from screenshots.pages import DEVICES, MODES, PAGES, WITHOUT_PICTURE, file_name
from screenshots.png import SIGNATURE, squeeze


def names(patterns: list[URLPattern | URLResolver]) -> list[str]:
    """The names of all addresses of the pages, those that are included too."""
    found = []
    for one in patterns:
        found += names(one.url_patterns) if isinstance(one, URLResolver) else [one.name]
    return found


def addressed() -> set[str]:
    """The names that the pages of the pictures are found by."""
    found = set()
    for page in PAGES:
        keys = {key: 7 for _, key, _, _ in Formatter().parse(page.address) if key}
        path = page.address.format(**keys).partition("?")[0]
        found.add(resolve(path, urlconf="audit.config.urls").url_name)
    return found


def test_each_page_has_a_picture_or_a_reason() -> None:
    shown, reasoned = addressed(), set(WITHOUT_PICTURE)
    assert shown & reasoned == set()
    # One page is beside the API that it describes.
    assert sorted(shown | reasoned) == sorted({*names(urlpatterns), "api-docs"})
    assert all(WITHOUT_PICTURE.values())


def test_no_two_pages_share_a_picture() -> None:
    files = [file_name(*one) for one in product(PAGES, DEVICES, MODES)]
    assert [name for name, times in Counter(files).items() if times > 1] == []


def test_the_folder_holds_the_pictures_of_the_list_and_no_others() -> None:
    wanted = {file_name(*one) for one in product(PAGES, DEVICES, MODES)} | {INDEX}
    assert {path.name for path in FOLDER.iterdir()} == wanted
    assert (FOLDER / INDEX).read_text() == index()


def test_the_pictures_are_small_and_as_wide_as_their_window() -> None:
    total = 0
    for page, (device, size), mode in product(PAGES, DEVICES.items(), MODES):
        data = (FOLDER / file_name(page, device, mode)).read_bytes()
        total += len(data)
        width, height = struct.unpack_from(">II", data, 16)
        assert width == size[0]
        assert height <= 2_000
    assert total < 12_000_000


def part(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def paeth(left: int, up: int, corner: int) -> int:
    return min((left, up, corner), key=lambda value: abs(left + up - corner - value))


def filtered(kind: int, row: bytes, above: bytes) -> bytes:
    """A row of red, green and blue under one of the five filters."""
    left, corner = bytes(3) + row, bytes(3) + above
    guesses = {
        0: lambda at: 0,
        1: lambda at: left[at],
        2: lambda at: above[at],
        3: lambda at: (left[at] + above[at]) // 2,
        4: lambda at: paeth(left[at], above[at], corner[at]),
    }
    return bytes([kind, *((row[at] - guesses[kind](at)) % 256 for at in range(len(row)))])


def picture(rows: list[bytes], kind: int = 2) -> bytes:
    """A PNG of these rows, each under another filter, its pixels in two parts and a comment."""
    above = [bytes(len(rows[0])), *rows]
    body = b"".join(filtered(number % 5, row, above[number]) for number, row in enumerate(rows))
    packed = zlib.compress(body, 1)
    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, kind, 0, 0, 0)
    return SIGNATURE + b"".join(
        (
            part(b"IHDR", head),
            part(b"tEXt", b"Comment\0made somewhere"),
            part(b"IDAT", packed[:50]),
            part(b"IDAT", packed[50:]),
            part(b"IEND", b""),
        )
    )


def shown(data: bytes) -> list[bytes]:
    """The rows of a picture with a palette, as red, green and blue."""
    found, at = {}, len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert data[at : at + length + 12] == part(kind, body)
        found[kind] = body
        at += length + 12
    width, height, *rest = struct.unpack(">IIBBBBB", found[b"IHDR"])
    assert rest == [8, 3, 0, 0, 0]
    pixels, colours = zlib.decompress(found[b"IDAT"]), found[b"PLTE"]
    rows = [pixels[at : at + width + 1] for at in range(0, height * (width + 1), width + 1)]
    assert {row[0] for row in rows} == {0}
    return [b"".join(colours[3 * one : 3 * one + 3] for one in row[1:]) for row in rows]


def test_a_squeezed_picture_of_few_colours_has_the_same_pixels() -> None:
    rows = [bytes(x * y // 3 % 6 * 51 for x in range(96)) for y in range(40)]
    assert len({row[at : at + 3] for row in rows for at in range(0, 96, 3)}) <= 256
    assert shown(squeeze(picture(rows))) == rows


def test_a_squeezed_picture_of_many_colours_keeps_the_frequent_and_is_near_the_others() -> None:
    plain = bytes((7, 8, 9)) * 64
    many = [bytes(v for x in range(64) for v in (4 * x, 6 * y, 128)) for y in range(40)]
    rows = [plain] * 40 + many
    seen = shown(squeeze(picture(rows)))
    assert seen[:40] == rows[:40]
    off = max(abs(a - b) for mine, his in zip(rows, seen, strict=True)
              for a, b in zip(mine, his, strict=True))  # fmt: skip
    assert 0 < off < 24


def test_what_is_no_plain_png_is_refused() -> None:
    with pytest.raises(ValueError, match="no PNG"):
        squeeze(b"GIF89a")
    with pytest.raises(ValueError, match="not of plain red"):
        squeeze(picture([bytes(12)], kind=0))
