"""No real person is in a file of tests, samples or pages (S60)."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from audit.zstd import zstd
from tests.personal_data import KNOWN, scan

# Put together here, so that none stands in this file.
MAIL = "ling" + "@" + "house-of-games.com"
ADDRESS = "8.8." + "4.4"
TELEPHONE = "+852 " + "2345 6789"
CARD = "411111" + "1111111111"
ACCOUNT = "GB82" + "WEST12345698765432"
IDENTITY = "11010519491231" + "002X"
HONG_KONG = "A123456" + "(3)"
OF_NOBODY = (
    "b@example.org x@127.0.0.1 192.0.2.7 10.1.2.3 203.0.113.9 4111111111111112 +1 0.5 1716-1-3"
    " 110105194912310021 110105199902300021 GB82WEST12345698765431 999999999999999999"
)


def test_s60_no_file_holds_what_may_be_somebodys():
    looked, found = scan()
    assert looked > 500
    assert found == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("mail", MAIL), ("address", ADDRESS), ("telephone", TELEPHONE), ("card", CARD),
        ("account", ACCOUNT), ("identity", IDENTITY), ("identity", HONG_KONG),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "name", ["page.md", "rows.csv", "log.ndjson.gz", "log.ndjson.zst", "a.zip"]
)
def test_s60_what_has_a_form_is_found_in_whatever_file(tmp_path, kind, text, name):
    write(tmp_path / "tests" / "deep" / name, f"so said {text}, and went".encode())
    looked, found = scan(tmp_path, ("tests",))
    assert [(one.kind, one.text) for one in found] == [(kind, text)]
    assert (looked, found[0].place) == (1, f"tests/deep/{name}")


def test_s60_what_belongs_to_nobody_is_no_suspect(tmp_path):
    write(tmp_path / "tests" / "page.md", OF_NOBODY.encode())
    assert scan(tmp_path, ("tests",)) == (1, [])


@pytest.mark.parametrize("name", ["log.ndjson", "log.ndjson.gz", "answer.json"])
def test_s60_a_name_that_nobody_called_made_up_is_found(tmp_path, name):
    seats = [{"player": one} for one in ("Ann", "guest 12", "p-55", "Chan Siu Ming", "陳大文")]
    hand = {"seats": seats, "events": [{"player": "Tai Man"}]}
    write(tmp_path / "tests" / name, json.dumps(hand).encode() + b"\n")
    _, found = scan(tmp_path, ("tests",))
    assert sorted(one.text for one in found) == ["Chan Siu Ming", "Tai Man"]
    assert {one.kind for one in found} == {"name"}


def test_s60_each_made_up_name_is_of_use():
    """A list that nobody tends would let anybody in."""
    said = "".join(path.read_text("utf-8") for path in data_files())
    assert sorted(name for name in KNOWN if json.dumps(name) not in said and name not in said) == []


def data_files() -> list[Path]:
    root = Path(__file__).resolve().parents[1]
    return [
        path
        for folder in ("tests", "audit/samples")
        for path in sorted((root / folder).rglob("*.ndjson"))
        if path.is_file() and is_text(path)
    ]


def is_text(path: Path) -> bool:
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match path.suffix:
        case ".gz":
            path.write_bytes(gzip.compress(data))
        case ".zst":
            path.write_bytes(zstd.compress(data))
        case ".zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("inside.txt", data)
        case _:
            path.write_bytes(data)
