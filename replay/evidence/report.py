"""The printable report of a bundle: one page of HTML without script, out of the other members.

It says nothing that the other members do not say, and always says it in the same bytes; another
wording is another format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from replay.evidence.entries import Entry
from replay.evidence.leaves import (
    COMPARISON_FINDING,
    DUPLICATE,
    FINDING,
    RESTATEMENT,
    UPLOAD,
    VERDICT,
    VERSION,
)

REPORT_FORMAT = 1

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{border:1px solid #999;padding:.2rem .5rem;text-align:left;vertical-align:top}
code,pre,td{overflow-wrap:anywhere}pre{white-space:pre-wrap;border:1px solid #999;padding:.5rem}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}
"""

_ABOUT = (
    "<p>Evidence of Tilecourt. Whoever doubts it needs neither us nor a network:"
    " <code>python -m replay verify BUNDLE</code> makes every verdict again from the records and"
    " the rulesets, and checks the proofs. This page repeats what the bundle says.</p>"
)


def write_report(
    *,
    title: str,
    verdicts: Sequence[Entry],
    custody: Sequence[Entry],
    accounts: dict[str, str],
    heads: Sequence[str],
    records: Sequence[tuple[str, bytes]],
) -> bytes:
    """The report. `records` are SHA-256 and bytes, `heads` the signed notes, `accounts` names by
    the number of an account."""
    parts = [
        f"<h1>{_text(title)}</h1>",
        _ABOUT,
        "<h2>Verdicts</h2>",
        *_verdicts(verdicts),
        "<h2>Where the records came from</h2>",
        *_custody(custody, accounts),
        "<h2>Records</h2>",
        *(
            f"<p><code>records/{sha256}.json</code>, {len(line):,} bytes</p>"
            f"<pre>{_text(line.decode('utf-8', 'replace'))}</pre>"
            for sha256, line in records
        ),
        "<h2>Signed heads of the log</h2>",
        *(f"<pre>{_text(note)}</pre>" for note in heads),
    ]
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )
    return page.encode("utf-8")


def _text(value: object) -> str:
    return escape("" if value is None else str(value))


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f'<th scope="col">{_text(head)}</th>' for head in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table>"


def _facts(rows: Iterable[tuple[str, object]]) -> str:
    return _table(("Fact", "Value"), rows)


def _verdicts(entries: Sequence[Entry]) -> Iterable[str]:
    findings: list[Entry] = []
    for one in entries:
        if one.leaf in (FINDING, COMPARISON_FINDING):
            findings.append(one)
            continue
        if findings:
            yield _findings(findings)
            findings = []
        yield from _verdict(one) if one.leaf == VERDICT else _comparison(one)
    if findings:
        yield _findings(findings)


def _verdict(one: Entry) -> Iterable[str]:
    yield f"<h3>{_text(one['hand_id'])}, version {one['number']}: {_text(one['kind'])}</h3>"
    yield _facts(
        [
            ("Source", one["source"]),
            ("Ruleset", f"{one['ruleset']} ({one['ruleset_sha256']})"),
            ("Engine", one["engine"]),
            ("Digest", one["digest"]),
            ("Judged", one["at"]),
            ("Leaf of the log", one.index),
        ]
    )
    if one["settlement"] is not None:
        yield "<h4>Recomputed settlement</h4>"
        yield _facts(_flat("", one["settlement"]))


def _comparison(one: Entry) -> Iterable[str]:
    yield f"<h3>{_text(one['hand_id'])}, with the hand before: {_text(one['kind'])}</h3>"
    before = "none"
    if one["earlier_source"] is not None:
        before = (
            f"{one['earlier_hand_id']} of {one['earlier_source']}, version {one['earlier_number']}"
        )
    yield _facts(
        [
            ("Hand before", before),
            ("Engine", one["engine"]),
            ("Digest", one["digest"]),
            ("Compared", one["at"]),
            ("Leaf of the log", one.index),
        ]
    )


def _findings(findings: Sequence[Entry]) -> str:
    names = ("code", "severity", "event", "seat", "subject", "logged", "expected", "rule")
    heads = (
        "Code",
        "Severity",
        "Event",
        "Seat",
        "Subject",
        "Logged",
        "Expected",
        "Rule",
        "In words",
    )
    return _table(heads, ([*(one[name] for name in names), one["message"]] for one in findings))


def _flat(path: str, value: Any) -> Iterable[tuple[str, object]]:
    """The plain values inside of a settlement, each with its place."""
    if isinstance(value, dict):
        for name in sorted(value):
            yield from _flat(f"{path}.{name}" if path else name, value[name])
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _flat(f"{path}[{position}]", inner)
    else:
        yield path, "null" if value is None else value


def _custody(entries: Sequence[Entry], accounts: dict[str, str]) -> Iterable[str]:
    def of(leaf: str) -> list[Entry]:
        return [one for one in entries if one.leaf == leaf]

    def who(account: object) -> str:
        if account is None:
            return "nobody signed in"
        return f"{accounts.get(str(account), 'unknown')} (account {account})"

    yield "<h3>Files</h3>"
    yield _table(
        ("Upload", "Name", "Handed in by", "Received", "Bytes", "Lines", "SHA-256", "Restatement"),
        (
            (
                one["upload"], one["name"], who(one["account"]), one["at"], one["bytes"],
                one["lines"], one["sha256"], one["restatement"],
            )
            for one in of(UPLOAD)
        ),
    )  # fmt: skip
    yield "<h3>Versions</h3>"
    yield _table(
        ("Hand", "Version", "Upload", "Line", "Stored", "SHA-256 of the record"),
        (
            (one["hand_id"], one["number"], one["upload"], one["line"], one["at"], one["sha256"])
            for one in of(VERSION)
        ),
    )
    if duplicates := of(DUPLICATE):
        yield "<h3>The same again</h3>"
        yield _table(
            ("Hand", "Version", "Upload", "Line"),
            ((one["hand_id"], one["number"], one["upload"], one["line"]) for one in duplicates),
        )
    if restatements := of(RESTATEMENT):
        yield "<h3>Restatements</h3>"
        yield _table(
            ("Hand", "In force", "Before", "Upload", "Line", "When"),
            (
                (
                    one["hand_id"], one["number"], one["replaced"], one["upload"], one["line"],
                    one["at"],
                )
                for one in restatements
            ),
        )  # fmt: skip
