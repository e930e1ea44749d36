"""What the site tells of a hand in conflict does not depend on which of its records came first.

The same files are taken in in one order and in another; then every address of docs/access.md is
asked, and the list of hands under each filter. Told apart may be only who came when: the number of
an upload, a version, a verdict, and the time of a stamp.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import override_settings

from audit import services
from audit.models import (
    CaseHand,
    Certificate,
    Chunk,
    Comparison,
    Hand,
    HandKind,
    HandVersion,
    Player,
    ReauditResult,
    Report,
    ReportKind,
    ReportRun,
    Upload,
    Verdict,
)
from audit.selectors.access import Access, access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import DEFINITIONS
from audit.services import desk
from audit.services.certifying import continue_run, request_certificates
from audit.services.players import note_players
from audit.services.reports import continue_report, request_report
from tests.access import signed_in, trusted
from tests.audit.chains import compare_all
from tests.audit.desk.wrong import without_rake
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.logs import GOLDEN, B, changed, void, with_net
from tests.audit.reauditing import engine, reaudited
from tests.audit.reauditing import without_rake as judged_without_rake
from tests.golden_vectors import rulesets
from tests.web.access_rows import NOT_TAKEN, written
from tests.web.operators import hand_in

Answers = dict[str, list[str]]
NAME = json.loads(B)["hand_id"]
PLAYED = json.loads(B)["seats"]
CLEAN = (GOLDEN / "banker-pai-gow" / "worked.ndjson").read_bytes().split(b"\n")
STRANGERS = [{**one, "player": f"stranger {one['seat']}"} for one in PLAYED]
PAIRS: Mapping[str, tuple[bytes, ...]] = {
    "clean or discrepant": (B, with_net(B, 1, "-99.00")),
    "discrepant for different reasons": (with_net(B, 1, "-99.00"), without_rake(NAME)),
    "clean with other money, at another table": (B, changed(CLEAN[0], source="odd", hand_id=NAME)),
    "void or discrepant": (void(B), with_net(B, 0, "1.00")),
    "other players at another time": (
        B,
        changed(
            with_net(B, 1, "-99.00"), seats=STRANGERS, started_at="2025-03-02T00:30:00+08:00",
            ended_at="2025-03-02T00:31:00+08:00",
        ),
    ),
    "three records": (B, with_net(B, 1, "-99.00"), changed(void(B), seats=STRANGERS)),
}  # fmt: skip
# One hand before and one behind, so that there is something to be compared with.
AROUND = (
    changed(B, hand_id="before", started_at="2025-03-01T09:00:00+08:00"),
    changed(B, hand_id="behind", started_at="2025-03-01T11:00:00+08:00",
            ended_at="2025-03-01T11:01:00+08:00"),
)  # fmt: skip
# What is about who came when, or about accounts, whatever was handed in.
WHO_CAME_WHEN = {
    "uploads", "api-uploads", "journal", "api-journal", "visits", "sign-ins", "evidence",
    "heads-text", "heads-json", "bundle", "access-review", "accounts", "accounts-csv", "keys",
    "api-keys", "own-account", "second-step", "second-step-picture", "second-step-codes", "links",
    "webhooks", "retention", "log-reviews", "logout", "api-docs", "api-schema", "api-nowhere",
    "account-new", "ruleset-new", "api-export-parquet", "report-file", "api-report-file",
}  # fmt: skip

# What must be asked for by more than a key: a step, a letter, a number.
NEEDS_MORE = {"steps", "case-letter", "case-letter-pdf", "api-hand-version", "api-hand-record",
              "case-file-pdf"}  # fmt: skip


@pytest.fixture(autouse=True)
def golden_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service know the test rulesets, too."""
    for module in ("audit.services.judging", "audit.services.comparing"):
        monkeypatch.setattr(f"{module}.current_rulesets", rulesets)


@pytest.fixture
def auditor(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("ines.castro"))


@pytest.mark.parametrize("kind", PAIRS)
def test_each_address_tells_the_same_in_any_order(auditor: Any, kind: str) -> None:
    records = PAIRS[kind]
    told = [in_order(auditor, order, records) for order in permutations(records)]
    assert_same(told)


def test_records_of_a_feed_tell_the_same_in_any_order(auditor: Any) -> None:
    records = [ky_answer(ky_row()), ky_answer(ky_row(AllBet="11.00"))]

    def take(name: str, data: bytes) -> None:
        received = services.receive_feed(
            name=name, stream=io.BytesIO(data), feed="ky-730", source="op", user=auditor
        )
        for chunk in Chunk.objects.filter(upload_id=received.upload_id):
            assert services.judge_chunk(chunk_id=chunk.pk) is None

    told = [walked(auditor, order, records, take) for order in permutations(records)]
    assert_same(told, missing=r"/(what-if|events|steps/1)/$|^/reaudits/\d+/hands/version ")


def in_order(auditor: Any, order: Sequence[bytes], records: Sequence[bytes]) -> Answers:
    def take(name: str, data: bytes) -> None:
        hand_in(auditor, name, data)

    return walked(auditor, order, records, take)


def assert_same(told: Sequence[Answers], *, missing: str = "(?!)") -> None:
    """`missing` fits addresses at which there is nothing for these hands."""
    first = told[0]
    nothing = {address for address, (status, *_) in first.items() if status != "200"}
    assert {one for one in nothing if not re.search(missing, one)} == set()
    for other in told[1:]:
        assert other.keys() == first.keys()
        different = {
            address: list(unified_diff(first[address], other[address], n=0))[2:]
            for address in first
            if first[address] != other[address]
        }
        assert not different, "\n".join(
            f"{address}\n  {line.strip()}" for address, lines in different.items() for line in lines
        )


def walked(
    auditor: Any,
    order: Sequence[bytes],
    records: Sequence[bytes],
    take: Callable[[str, bytes], None],
) -> Answers:
    """What every address tells when the records came in this order; nothing of it stays."""
    answers = {}
    with (
        transaction.atomic(),
        TemporaryDirectory() as heads,
        override_settings(TILECOURT_SEAL_HEADS=Path(heads)),
    ):
        count_from_anew()
        hand_in(auditor, "around.ndjson", *AROUND)
        for record in order:
            take(f"record {records.index(record)}", record)
        compare_all()
        assert not note_players(seconds=240)
        keys = made_of(auditor, Hand.objects.get(is_conflict=True))
        visitor = Visitor(auditor)
        names = names_of(records)
        for address in addresses(keys):
            told = told_of(address, visitor.answer(address), names)
            answers[named(address, names)] = told
        transaction.set_rollback(True)
    return answers


def count_from_anew() -> None:
    """Let each table count from a number of its own, the same in every order: what differs then is
    an order, and no number is taken for another. Not the journal: a table that is streamed to its
    end writes there what stays."""
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT setval(oid::regclass, 1000000 * (200 + row_number() OVER (ORDER BY relname)))
            FROM pg_class WHERE relkind = 'S' AND relname LIKE 'audit\\_%'
                AND relname NOT LIKE 'audit\\_journal\\_%'
        """)


def made_of(auditor: Any, hand: Hand) -> dict[str, Any]:
    """All that is made of the hands: a case, certificates, reports, a re-audit."""
    access = access_of(auditor)
    assert desk.gather_cases().is_done
    with engine(alter=judged_without_rake):
        reaudit = reaudited(user=auditor, query={"source": hand.source}).pk
        compare_all()
        assert desk.gather_cases().is_done
    hand.refresh_from_db()
    member = CaseHand.objects.filter(hand=hand, left_at=None).first()
    run = request_certificates(
        sources=None, day=hand.played_on, source=hand.source, table=hand.table, user=auditor
    )
    assert not continue_run(run_id=run)
    keys: dict[str, Any] = {
        "hand": hand.pk, "source": hand.source, "reaudit": reaudit, "verdict": hand.verdict_id,
        "certificate": Certificate.objects.get(run=run).pk, "certificate-run": run, "number": 1,
        "name": "changes", "version": hand.version_id, "played": hand.played_on.isoformat(),
    }  # fmt: skip
    if member is not None:
        keys["case"] = member.case_id
    return keys | {f"report-{kind.value}": reported(kind, hand, access) for kind in REPORTED}


REPORTED = (ReportKind.PERFORMANCE, ReportKind.DISCREPANCIES, ReportKind.COMPLETENESS,
            ReportKind.EVENTS, ReportKind.STATEMENT)  # fmt: skip


def reported(kind: ReportKind, hand: Hand, access: Access) -> int:
    query = {"source": hand.source, "basis": "life-to-date", "to": hand.played_on.isoformat()}
    if kind == ReportKind.STATEMENT:
        query["player"] = min(hand.players)
    asked = read_request(DEFINITIONS[kind], query, access)
    run = request_report(definition=DEFINITIONS[kind], asked=asked, access=access)
    while continue_report(run_id=run):
        pass
    made = ReportRun.objects.get(pk=run)
    assert made.report_id is not None, made.error
    return made.report_id


def addresses(keys: Mapping[str, Any]) -> Iterator[str]:
    """Every address of the document that is looked at and needs nothing but these keys, and those
    that narrow a list."""
    for row in written():
        if row.looking != NOT_TAKEN and not row.is_public and row.name not in WHO_CAME_WHEN:
            words = set(re.findall(r"<(\w+)>", row.route))
            if words <= keys.keys() and row.name not in NEEDS_MORE:
                yield re.sub(r"<(\w+)>", lambda word: str(keys[word[1]]), row.route)
    yield f"/certificates/runs/{keys['certificate-run']}/"
    for kind in REPORTED:
        yield f"/reports/{keys[f'report-{kind.value}']}/"
        yield f"/api/v1/reports/{keys[f'report-{kind.value}']}/"
    for report in ("hands", "findings", "figures"):
        yield f"/api/v1/exports/{report}.csv"
        yield f"/exports/{report}.csv"
    for number in HandVersion.objects.filter(hand=keys["hand"]).values_list("number", flat=True):
        yield f"/api/v1/hands/{keys['hand']}/versions/{number}/"
        yield f"/api/v1/hands/{keys['hand']}/versions/{number}/record"
        yield f"/hands/{keys['hand']}/record?version={number}"
    yield f"/overview/?to={keys['played']}"
    for query in narrowed():
        yield f"/hands/?{query}"
        yield f"/api/v1/hands/?{query}"
        yield f"/exports/findings.csv?{query}"


def narrowed() -> Iterator[str]:
    yield from (f"verdict={kind}" for kind in HandKind.values)
    codes = {code for hand in Hand.objects.all() for code in hand.finding_codes}
    yield from (f"code={code}" for code in sorted(codes))
    yield from (f"player={name}" for name in sorted(Player.objects.values_list("name", flat=True)))
    yield from ("conflict=1", "open=1", "risk=0", "tile=66", "net=-100", "from=2025-03-02")


class Visitor:
    """The auditor, by a browser and by a key."""

    def __init__(self, user: Any) -> None:
        self.browser = signed_in(user)
        token = services.create_token(name="mine", days=1, account=user.get_username()).token
        self.headers = {"Authorization": f"Bearer {token}"}

    def answer(self, address: str) -> Any:
        headers = self.headers if address.startswith("/api/") else {}
        return self.browser.get(address, headers=headers, follow=True)


def names_of(records: Sequence[bytes]) -> dict[str, str]:
    """The keys that differ with the order, by what they belong to whatever came when."""
    names: dict[int, str] = {}
    shas: dict[int, str] = {}
    for upload in Upload.objects.filter(name__startswith="record "):
        names[upload.pk] = f"upload of {upload.name}"
    for version in HandVersion.objects.select_related("upload"):
        shas[version.pk] = f"{version.hand.hand_id} {version.sha256.hex()[:8]}"
        names[version.pk] = f"version {shas[version.pk]}"
    for verdict in Verdict.objects.all():
        names[verdict.pk] = f"verdict {shas[verdict.version_id]} {verdict.engine}"
    for one in Comparison.objects.all():
        names[one.pk] = f"comparison of {names[one.verdict_id]} {names.get(one.earlier_id or 0)}"
    for result in ReauditResult.objects.all():
        names[result.pk] = f"result {shas[result.version_id]}"
    told = {str(key): name for key, name in names.items()}
    # Over the keys and stamps that are in them.
    over = list(Certificate.objects.values_list("sha256", flat=True))
    over += Report.objects.filter(kind=ReportKind.COMPLETENESS).values_list(
        "body_sha256", flat=True
    )
    for sha256 in over:
        told |= {sha256.hex()[:size]: "digest" for size in (16, 64)}
    hand = Hand.objects.get(is_conflict=True)
    told |= {"hand": str(hand.pk), "hand_id": hand.hand_id}
    numbers = HandVersion.objects.filter(hand=hand).values_list("number", "sha256")
    return told | {f"version {number}": f"number {sha256.hex()[:8]}" for number, sha256 in numbers}


_STAMP = re.compile(
    r"\b\d{1,2} \w{3}, \d\d:\d\d|"
    r"\b\d{1,2} \w+ 20(?:2[6-9]|[3-9]\d)\b(?:, \d\d:\d\d(?::\d\d)?)?|"
    r"\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d[.\d]*)?(?:Z|[+]00:00)?|"
    # How old a case is.
    r"\b\d+[ \xa0]minutes?\b"
)
_NUMBER = re.compile(
    r'([Vv]ersions? |/versions/|[?&]version=|-version-|"version": |[.]version",|'
    r'"base-1",(?=\d+,"(?:yes|no)",))(\d+)\b'
)
# What is drawn for each answer; what is over stamps and keys; where the log of seals stands; and
# the place of an upload among the others, which is when it came.
_DRAWN = re.compile(
    r'(csrfmiddlewaretoken" value=|nonce-|nonce=|cursor=|[?]v=|end,rows,\d+,sha256:)[\w"=%-]+|'
    r"((?:csv|json|pdf|log \d+) )[0-9a-f]{64}(?: \d+)?|(, root )[0-9a-f]{16}|(— tilecourt/).*|"
    r"([.]files[.](?:csv|pdf)[.]bytes = )\d+|([.]uploads[.])\d+"
)


def named(text: str, names: Mapping[str, str]) -> str:
    """The same with what keys and numbers belong to in their place."""
    text = _NUMBER.sub(lambda found: found[1] + names.get(f"version {found[2]}", found[2]), text)
    return re.sub(r"\b\w{9,}\b", lambda found: names.get(found[0], found[0]), text)


def told_of(address: str, answer: Any, names: Mapping[str, str]) -> list[str]:
    """The status, and the parts of what is told in an order of their own."""
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    kind = answer.get("Content-Type", "").partition(";")[0]
    status = str(answer.status_code)
    if kind == "application/json" and address.startswith("/api/"):
        parts = list(flat(json.loads(content), names, is_of_hand=names["hand"] in address))
    else:
        parts = re.split(r"(?=<)|\n", content.decode(errors="backslashreplace"))
    # A digit in front has a sheet of numbers take it for a text.
    parts = [part.replace("\"'", '"') for part in parts]
    parts = [named(_DRAWN.sub(r"\1\2\3\4\5\6", _STAMP.sub("…", part)), names) for part in parts]
    return [status, *sorted(parts)]


def flat(value: Any, names: Mapping[str, str], *, is_of_hand: bool, at: str = "") -> Iterator[str]:
    """The leaves of an answer by their names; the numbers of the records of the hand by record."""
    if isinstance(value, list):
        for one in value:
            yield from flat(one, names, is_of_hand=is_of_hand, at=f"{at}[]")
    elif isinstance(value, dict):
        if "hand" in value or "hand_id" in value:
            is_of_hand = names["hand"] in (value.get("hand"), value.get("id")) or (
                value.get("hand_id") == names["hand_id"]
            )
        for key, told in value.items():
            is_number = key in ("version", "replaced") or (key == "number" and "record" in value)
            one = told
            if is_of_hand and is_number and isinstance(told, int):
                one = names[f"version {told}"]
            yield from flat(one, names, is_of_hand=is_of_hand, at=f"{at}.{key}")
    else:
        yield f"{at} = {json.dumps(value)}"
