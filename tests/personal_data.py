"""Looks for what may belong to a living person in the files of tests, samples and pages (S60).

What has a form of its own is found anywhere: an e-mail address, an address of the internet, a
telephone number, a payment card, a bank account, an identity card. Ranges and domains that are set
aside for examples belong to nobody. A name has no form: each name that a data file holds must stand
in `made_up_names.txt`, or be a made number such as `guest 12`, so that a file of a real table
cannot come in without somebody saying that its people are invented. Pictures are not read: they are
taken of the samples.
"""

from __future__ import annotations

import gzip
import ipaddress
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

from audit.zstd import zstd

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests", "docs", "audit/samples", "audit/importers", "benchmarks", "drills")
PICTURES = (".png",)
# Of a file that unpacks to more than this the rest is not read: such a one is made to be large.
BYTES_MAX = 16 * 2**20
NAME_FIELDS = frozenset(
    {"player", "Accounts", "UserName", "user", "account", "nick", "nickName", "realName", "name"}
)
# The customer's files of names that are made to be difficult: characters, not people.
ODD_NAMES = frozenset(
    f"tests/golden/odd/{name}.ndjson"
    for name in (
        "cjk-chunks",
        "escapes",
        "latin1-byte",
        "locale",
        "names-accepted",
        "names-refused",
    )
)
# That of example.com, and one that was never given to anybody.
NOBODYS_ADDRESSES = frozenset({"93.184.215.14", "1.2.3.4"})
MADE_NUMBER = re.compile(r"((guest|player|p|x|u|new)[ -]?)?(T?\d+(-\d+)*)?", re.ASCII)
KNOWN = frozenset((ROOT / "tests" / "made_up_names.txt").read_text("utf-8").splitlines())

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)", re.ASCII)
_NOBODYS_DOMAINS = re.compile(r"(^|\.)(example|test|invalid|localhost|example\.(com|net|org))$")
_IP = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_PHONE = re.compile(r"(?<![\w+])\+[1-9]\d{0,2}[ -]\d[\d -]{5,12}\d(?![\d-])")
_CARD = re.compile(r"(?<![\w.])(?:3[47]\d{13}|4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6\d{15})(?![\w.])")
_ACCOUNT = re.compile(r"(?<!\w)[A-Z]{2}\d{2}[A-Z0-9]{11,30}(?!\w)")
_IDENTITY = re.compile(r"(?<!\w)(\d{6})(\d{8})(\d{3}[\dX])(?!\w)")
_HONG_KONG = re.compile(r"(?<!\w)[A-Z]{1,2}\d{6}\([\dA]\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """What may be somebody's: where, of which kind, and the text itself."""

    place: str
    kind: str
    text: str


def scan(folder: Path = ROOT, folders: tuple[str, ...] = FOLDERS) -> tuple[int, list[Suspect]]:
    """Look through every file below the folders; gives how many, and what was found in them."""
    looked, found = 0, []
    for name in folders:
        for path in sorted((folder / name).rglob("*")):
            if path.is_file() and path.suffix not in PICTURES and "__pycache__" not in path.parts:
                looked += 1
                place = path.relative_to(folder).as_posix()
                for text in texts_of(path.name, path.read_bytes()):
                    found += [*forms_in(place, text), *names_in(place, path.name, text)]
    return looked, found


def texts_of(name: str, data: bytes) -> Iterator[str]:
    """What a file says, unpacked as far as it can be."""
    if data[:4] == b"PK\3\4":
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from texts_of(member, archive.read(member)[:BYTES_MAX])
        return
    while opener := next((one for start, one in _PACKED.items() if data.startswith(start)), None):
        data = _beginning(opener(BytesIO(data)))
    encoding = "utf-16" if data[:2] == b"\xff\xfe" else "utf-8"
    yield data.decode(encoding, "replace")


_PACKED: dict[bytes, Callable[[BytesIO], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\x28\xb5\x2f\xfd": zstd.open,
}


def _beginning(reader: Any) -> bytes:
    """What a packed file holds, or the beginning of it; of one that is cut what is before that."""
    parts: list[bytes] = []
    with reader:
        try:
            while sum(map(len, parts)) < BYTES_MAX and (part := reader.read(2**16)):
                parts.append(part)
        except (EOFError, OSError, zlib.error, zstd.ZstdError):
            pass
    return b"".join(parts)


def forms_in(place: str, text: str) -> Iterator[Suspect]:
    """What has a form of its own."""

    def suspect(kind: str, found: str) -> Suspect:
        return Suspect(place=place, kind=kind, text=found)

    for mail in _MAIL.finditer(text):
        if not _NOBODYS_DOMAINS.search(mail[1].lower()) and not _is_nobodys_address(mail[1]):
            yield suspect("mail", mail[0])
    for address in _IP.findall(text):
        if not _is_nobodys_address(address):
            yield suspect("address", address)
    yield from (suspect("telephone", found) for found in _PHONE.findall(text))
    yield from (suspect("card", found) for found in _CARD.findall(text) if _is_card(found))
    yield from (suspect("account", found) for found in _ACCOUNT.findall(text) if _is_iban(found))
    for identity in _IDENTITY.finditer(text):
        if _is_identity(identity):
            yield suspect("identity", identity[0])
    yield from (suspect("identity", found) for found in _HONG_KONG.findall(text))


def names_in(place: str, file_name: str, text: str) -> Iterator[Suspect]:
    """The names of a data file that nobody has called made up."""
    if place in ODD_NAMES or not re.search(r"\.(nd)?json\b", file_name):
        return
    for line in text.splitlines() if ".ndjson" in file_name else [text]:
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            # Damaged on purpose; what has a form of its own was looked for in it all the same.
            continue
        for name in _names(content):
            if name not in KNOWN and not MADE_NUMBER.fullmatch(name):
                yield Suspect(place=place, kind="name", text=name)


def _names(content: Any) -> Iterator[str]:
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield from (
                value
                for key, value in part.items()
                if key in NAME_FIELDS and isinstance(value, str)
            )
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _is_nobodys_address(text: str) -> bool:
    """Private, of this machine, or set aside for examples; or no address at all."""
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return all(part.isdigit() for part in text.split("."))
    return not address.is_global or address.is_multicast or text in NOBODYS_ADDRESSES


def _is_card(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        total += digit if place % 2 == 0 else 2 * digit - 9 * (digit > 4)
    return total % 10 == 0


def _is_iban(text: str) -> bool:
    turned = text[4:] + text[:4]
    return int("".join(str(int(one, 36)) for one in turned)) % 97 == 1


def _is_identity(found: re.Match[str]) -> bool:
    """An identity number of the People's Republic: a day of birth, and a digit that fits."""
    day = found[2]
    try:
        born = date(int(day[:4]), int(day[4:6]), int(day[6:]))
    except ValueError:
        return False
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(found[0][:17]))
    return 1900 <= born.year <= 2100 and "10X98765432"[total % 11] == found[0][17]
