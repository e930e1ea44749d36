"""Whatever a bundle holds, it is refused with a word and never by falling over.

Each is signed well, by a key of its own: whoever takes the key that comes with a bundle is not to
be brought down by it.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import msgspec
import pytest

from replay.evidence import PrivateKey, verify_bundle
from replay.evidence.archive import Member, members_by_headers, pack
from replay.evidence.bundle import Manifest, listed, manifest_text

BUNDLE = Path(__file__).with_name("bundle-1.zip").read_bytes()
FORGER = PrivateKey(name="tilecourt/2a0ddebddc1f9a15", seed=bytes(32))
ODD = ([], {}, [[1]], {"a": {}}, None, True, -1, 0, 1 << 62, 1.5, "", "x", "9" * 64)


def signed(members: list[Member], **fields: object) -> bytes:
    """These members under a manifest that fits them."""
    old = members_by_headers(BUNDLE)[0].data.partition(b"\n")[0]
    manifest = msgspec.json.decode(old, type=Manifest)
    keys = [str(FORGER.public), *manifest.keys]
    made = msgspec.structs.replace(
        manifest, keys=keys, members=[listed(one) for one in members], **fields
    )
    return pack([Member("manifest.note", FORGER.sign(manifest_text(made)).encode()), *members])


def members() -> list[Member]:
    return members_by_headers(BUNDLE)[1:]


def with_content(name: str, content: bytes) -> list[Member]:
    return [Member(one.name, content if one.name == name else one.data) for one in members()]


def content(name: str) -> bytes:
    return next(one.data for one in members() if one.name == name)


def encoded(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def test_what_is_only_signed_anew_is_accepted():
    assert verify_bundle(signed(members())).is_accepted


@pytest.mark.parametrize("name", ["verdicts.ndjson", "custody.ndjson"])
def test_fields_of_any_kind(name):
    lines = content(name).splitlines()
    first = {json.loads(line)["leaf"]: number for number, line in reversed([*enumerate(lines)])}
    for number in first.values():
        entry = json.loads(lines[number])
        for field in entry:
            for odd in ODD:
                if entry[field] == odd and type(entry[field]) is type(odd):
                    continue
                line = encoded({**entry, field: odd})
                spoilt = b"".join(
                    one + b"\n" for one in (*lines[:number], line, *lines[number + 1 :])
                )
                assert verify_bundle(signed(with_content(name, spoilt))).problems, (field, odd)


@pytest.mark.parametrize("name", ["verdicts.ndjson", "custody.ndjson"])
def test_lines_that_are_missing_doubled_or_moved(name):
    lines = content(name).splitlines(keepends=True)
    for number, line in enumerate(lines):
        rest = [*lines[:number], *lines[number + 1 :]]
        for spoilt in (rest, [*rest, line, line], [*rest[::-1], line], [line]):
            if spoilt != lines:
                found = verify_bundle(signed(with_content(name, b"".join(spoilt))))
                assert found.problems, (number, spoilt)


DEEP = (b"[" * 100_000, b'{"a":' * 900)


@pytest.mark.parametrize("junk", [b"", b"\n", b"{}\n", b"[]\n", b"null\n", b"\xff\n", *DEEP])
def test_members_that_are_no_such_thing(junk):
    for member in members():
        found = verify_bundle(signed(with_content(member.name, junk)))
        assert found.problems, member.name


def test_members_that_are_missing_added_or_renamed():
    whole = members()
    for place, member in enumerate(whole):
        rest = [*whole[:place], *whole[place + 1 :]]
        assert verify_bundle(signed(rest)).problems, member.name
        assert verify_bundle(signed([*rest, Member(f"{member.name}.x", member.data)])).problems
    assert verify_bundle(signed([*whole, Member("more.txt", b"")])).problems
    assert verify_bundle(signed([*whole, Member("records/x.json", b"{}")])).problems
    (problem,) = verify_bundle(signed(whole[::-1])).problems
    assert str(problem) == "the archive: its members are not in their order"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bundle_that_was_made_anew_with_compressed_members_is_said_to_be_one(method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for member in members_by_headers(BUNDLE):
            archive.writestr(member.name, member.data)
    (problem,) = verify_bundle(packed.getvalue()).problems
    words = "the archive: its members are compressed; a bundle's are stored as they are"
    assert str(problem) == words


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subject", "Another hand"),
        ("at", "2026-01-01T00:00:00Z"),
        ("format", "tilecourt-bundle/9"),
    ],
)
def test_a_manifest_that_says_something_else(field, value):
    assert verify_bundle(signed(members(), **{field: value})).problems
