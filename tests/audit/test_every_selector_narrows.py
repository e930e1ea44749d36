"""No selector reads what belongs to a source without being told in which sources it may look.

Found by reading the code: a function that touches a table of a source, itself or through what it
uses of its module, has a parameter `sources`, or stands below with the reason why not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import audit

ROOT = Path(audit.__file__).parent
# The models that belong to a source, and their tables.
MODELS = frozenset(
    re.findall(
        r"\w+",
        """Admission BulkAct Case CaseAct CaseAmount CaseHand CaseMoney Cause Certificate
    CertificateRun Chunk Claim ClaimHand Comparison ComparisonFinding DayRule Docket Duplicate
    FeedDrift Finding
    Hand HandVersion NameDecision PartialRecord Player Reaudit ReauditBatch ReauditFault
    ReauditResult Refusal Remedy RemedyEntry Rename Restatement ShareLink SortedRefusal SortedUpload
    Table TableTouch Upload UploadSource Verdict""",
    )
)
TABLES = re.compile(rf"\baudit_(?:{'|'.join(sorted(one.lower() for one in MODELS))})\b")

BY_A_ROW = "asked with keys out of rows that were narrowed"
BY_A_CASE = "asked for a case that was found within the sources"
BY_A_REAUDIT = "asked for a re-audit that was found within the sources"
RULES = "rulesets belong to no source; what is counted beside them names none"
WORKING = "reads for what the service itself works out, and shows nothing"
EXCEPTIONS: Mapping[str, str] = {
    "accounts.known_sources": "for whoever gives out roles, in the service as a whole",
    "api_hands.comparison_row": BY_A_ROW,
    "api_hands.finding_rows": BY_A_ROW,
    "api_hands.findings_of_verdict": BY_A_ROW,
    "api_hands.verdict_rows": BY_A_ROW,
    "certificates_census.facts_digests": BY_A_ROW,
    "certificates_census.tables_with_something": BY_A_ROW,
    "certificates_days.current_rules": WORKING,
    "certificates_facts.raw_of": BY_A_ROW,
    "certificates_facts.read_facts": "of one table, named by a certificate or a run",
    "certificates_sequence.numbers_known": "of one source, named by a certificate or a run",
    "comparisons.comparisons_of": BY_A_ROW,
    "comparisons.open_touches": "a number, for whoever waits for an upload of his own",
    "desk_books.claimed_in_case": BY_A_CASE,
    "desk_books.remedies_of": BY_A_CASE,
    "desk_cases.claims_of": BY_A_CASE,
    "desk_exposure.exposure_of_case": BY_A_CASE,
    "desk_letters.booked_for": BY_A_CASE,
    "desk_letters.decision_of": BY_A_CASE,
    "desk_letters.letter_hands": BY_A_ROW,
    "desk_letters.members_of": BY_A_CASE,
    "desk_members.list_members": BY_A_CASE,
    "desk_members.list_standing": BY_A_CASE,
    "desk_zones.zone_of": WORKING,
    "players.same_player": "of one source, named by a row that was narrowed",
    "primaries.primary_findings": BY_A_ROW,
    "reaudits.admitted_later": "numbers beside uploads that were found within the sources",
    "reaudits.list_admissions": BY_A_REAUDIT,
    "reaudits.list_faults": BY_A_REAUDIT,
    "reaudits.replaced_refusals": BY_A_ROW,
    "reaudits_report.every_change": BY_A_REAUDIT,
    "reaudits_report.get_change": BY_A_REAUDIT,
    "reaudits_report.list_changes": BY_A_REAUDIT,
    "reaudits_report.list_flips": BY_A_REAUDIT,
    "reports_asking.read_request": "narrows by the access that it is given",
    "rulesets_force.count_out_of_force": "of one source, named by a page that was narrowed",
    "rulesets_revisions.find_revision": RULES,
    "rulesets_revisions.list_revisions": RULES,
    "sharing.open_link": "of the link that a secret opens",
    "sources.feed_record": BY_A_ROW,
    "twins.twins_of": BY_A_ROW,
    "uploads.known_files": "for the command that takes files in",
    "uploads.upload_of_key": "of a sender's own key",
    "versions.differences_of": BY_A_ROW,
    "versions.restatements_of": BY_A_ROW,
    "versions.version_rows": BY_A_ROW,
    "versions.versions_of": BY_A_ROW,
}
# Where a page asks for all sources, having seen that who asks may see all of them.
WIDE = {"web/journal.py": 1}

# What holds the sources, and is made with them.
CARRIERS = frozenset(("Scope", "TotalsQuery"))
# Modules that read for the service as a whole: its health, its figures and the log of evidence,
# which are shown to whoever may see everything, and what is deleted when its time has come.
WHOLE = frozenset(
    re.findall(
        r"\w+",
        """census diagnosis diagnosis_evidence evidence metrics partitions references retention
    retention_due sealed_rows veiled_rows verifying verifying_heads verifying_rows vitals""",
    )
)

Names = dict[str, ast.AST]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def parts_of(module: ast.Module) -> Names:
    """What stands at the top of a module, by name."""
    parts: Names = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts[node.name] = node
        elif isinstance(node, ast.Assign):
            parts |= {one.id: node for one in node.targets if isinstance(one, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            parts[node.target.id] = node
    return parts


def is_reader(node: ast.AST) -> bool:
    """Whether it names a table of a source in SQL, or asks a model of one."""
    for one in ast.walk(node):
        if (
            isinstance(one, ast.Constant)
            and isinstance(one.value, str)
            and TABLES.search(one.value)
        ):
            return True
        if (
            isinstance(one, ast.Attribute)
            and one.attr == "objects"
            and isinstance(one.value, ast.Name)
            and one.value.id in MODELS
        ):
            return True
    return False


def reached(name: str, parts: Names) -> Iterator[ast.AST]:
    """A part of a module and all parts that it uses."""
    seen, left = set(), [name]
    while left:
        at = left.pop()
        if at in seen or at not in parts:
            continue
        seen.add(at)
        yield parts[at]
        left += [one.id for one in ast.walk(parts[at]) if isinstance(one, ast.Name)]


def is_told(function: ast.FunctionDef) -> bool:
    """Whether a parameter says in which sources it may look."""
    return any(
        one.arg == "sources"
        or (isinstance(one.annotation, ast.Name) and one.annotation.id in CARRIERS)
        for one in (*function.args.args, *function.args.kwonlyargs)
    )


def readers_without_sources() -> Iterator[str]:
    for path in sorted((ROOT / "selectors").glob("*.py")):
        if path.stem in WHOLE:
            continue
        parts = parts_of(tree_of(path))
        for name, node in parts.items():
            if name.startswith("_") or not isinstance(node, ast.FunctionDef):
                continue
            if not is_told(node) and any(is_reader(part) for part in reached(name, parts)):
                yield f"{path.stem}.{name}"


def test_whatever_reads_what_belongs_to_a_source_is_told_in_which_it_may_look() -> None:
    assert sorted(readers_without_sources()) == sorted(EXCEPTIONS)


def test_no_parameter_stands_for_every_source_by_itself() -> None:
    found = []
    for path in sorted((ROOT / "selectors").glob("*.py")):
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.FunctionDef):
                continue
            with_default = node.args.args[len(node.args.args) - len(node.args.defaults) :]
            with_default += [
                one
                for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                if value is not None
            ]
            found += [f"{path.stem}.{node.name}" for one in with_default if one.arg == "sources"]
    assert found == []


def test_pages_and_the_api_never_ask_for_every_source() -> None:
    found: dict[str, int] = {}
    for layer in ("web", "api"):
        for path in sorted((ROOT / layer).rglob("*.py")):
            wide = [
                node
                for node in ast.walk(tree_of(path))
                if isinstance(node, ast.keyword)
                and node.arg == "sources"
                and isinstance(node.value, ast.Constant)
                and node.value.value is None
            ]
            if wide:
                found[path.relative_to(ROOT).as_posix()] = len(wide)
    assert found == WIDE


def test_pages_and_the_api_read_through_selectors_alone() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for layer in ("web", "api")
        for path in sorted((ROOT / layer).rglob("*.py"))
        if is_reader(tree_of(path))
    ]
    assert found == []


# What changes the store for somebody, and must be told within which sources.
ACTS = frozenset(
    re.findall(
        r"\w+",
        """receive_upload receive_feed open_reaudit request_certificates set_day_rule decide_names
    bundle_hand take_next""",
    )
)


def test_whoever_hands_in_or_orders_something_says_in_which_sources() -> None:
    missing = []
    for layer in ("web", "api"):
        for path in sorted((ROOT / layer).rglob("*.py")):
            for node in ast.walk(tree_of(path)):
                if not isinstance(node, ast.Call):
                    continue
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                named = {one.arg for one in node.keywords}
                if name in ACTS and not named & {"sources", None}:
                    missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert missing == []
