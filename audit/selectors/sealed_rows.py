"""The rows that are leaves of the log, as their leaves have them.

A leaf names what it belongs to by source, id and number, never by a key of ours: a row that is
hung under another parent behind our back no longer fits its leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import connection

from audit.models import LeafKind
from audit.selectors.months import around, in_month_of
from replay.evidence import LOST, leaf_data, leaf_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """Where the fields of a kind of leaf come from.

    `row` is the alias `t` of the table; parents are joined loosely, so that a row without them is
    seen as altered. The fields at the places in `json` are jsonb, which comes as text. Those at the
    places in `hidden` may hold a name or a hash of one: in leaves from the form `hidden_from` on a
    commitment to all of them stands behind the others, under the row's own salt. `is_veiled`: the
    rows are of hands, and their form 2 is made by `veiled_rows`.
    """

    name: str
    table: str
    fields: str
    joins: str = ""
    json: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()
    hidden_from: int = 2
    is_veiled: bool = False
    # The column that tells the partition of a row, where a row lies in the month of its key.
    month: str = ""

    def name_of(self, form: int) -> str:
        """The name of the kind in leaves of a form. There are two lists of fields of each."""
        return f"{self.name.removesuffix('/1')}/2" if self.hides_in(form) else self.name

    def hides_in(self, form: int) -> bool:
        """Whether leaves of a form have commitments in the place of what may betray a name."""
        return form >= self.hidden_from and bool(self.hidden or self.is_veiled)

    def query(self, condition: str) -> str:
        return (
            f"SELECT t.id, {self.fields} FROM {self.table} t {self.joins}"  # noqa: S608 - constants
            f" WHERE {condition} ORDER BY t.id"
        )


def _version(row: str, of: str) -> str:
    """A join with a version, for which only its key is known: its month narrows where to look."""
    month = in_month_of(f"{row}.hand_id", of)
    return f"LEFT JOIN audit_handversion {row} ON {row}.id = {of} AND {month}"


def _verdict(row: str, of: str) -> str:
    month = in_month_of(f"{row}.version_id", of)
    return f"LEFT JOIN audit_verdict {row} ON {row}.id = {of} AND {month}"


_HAND = "LEFT JOIN audit_hand h ON h.id = v.hand_id"
OF_VERSION = f"{_version('v', 't.version_id')} {_HAND}"
OF_VERDICT = f"{_verdict('w', 't.verdict_id')} {_version('v', 'w.version_id')} {_HAND}"
OF_COMPARISON = (
    "LEFT JOIN audit_comparison c ON c.id = t.comparison_id"
    f" {_verdict('w', 'c.verdict_id')} {_version('v', 'w.version_id')} {_HAND}"
)
EARLIER = (
    f" {_verdict('ew', 't.earlier_id')} {_version('ev', 'ew.version_id')}"
    " LEFT JOIN audit_hand eh ON eh.id = ev.hand_id"
    # What the leaf says of a verdict that went under a retention run.
    " LEFT JOIN audit_departedverdict d ON d.verdict = t.earlier_id"
)
FINDING = (
    "t.position, t.code, t.severity, t.event, t.seat, t.subject, t.logged, t.expected, t.rule,"
    " t.confidence, t.follows, t.explained_by, t.message"
)

SEALED: dict[LeafKind, Sealed] = {
    LeafKind.VERSION: Sealed(
        name="hand-version/1",
        is_veiled=True,
        table="audit_handversion",
        joins="LEFT JOIN audit_hand h ON h.id = t.hand_id",
        fields="h.source, h.hand_id, t.number, t.sha256, t.upload_id, t.line, t.created_at",
        month="t.hand_id",
    ),
    LeafKind.VERDICT: Sealed(
        name="verdict/1",
        is_veiled=True,
        table="audit_verdict",
        joins=OF_VERSION,
        fields="h.source, h.hand_id, v.number, t.ruleset, t.ruleset_sha256, t.engine, t.kind,"
        " t.settlement, t.digest, t.created_at",
        json=(7,),
        month="t.version_id",
    ),
    LeafKind.FINDING: Sealed(
        name="finding/1",
        is_veiled=True,
        table="audit_finding",
        joins=OF_VERDICT,
        fields=f"h.source, h.hand_id, v.number, w.ruleset_sha256, w.engine, {FINDING}",
    ),
    LeafKind.COMPARISON: Sealed(
        name="comparison/1",
        is_veiled=True,
        table="audit_comparison",
        joins=OF_VERDICT + EARLIER,
        fields="h.source, h.hand_id, v.number, w.digest, t.engine, t.kind, t.digest, t.created_at,"
        " coalesce(eh.source, d.source), coalesce(eh.hand_id, d.hand_id),"
        " coalesce(ev.number, d.number), coalesce(ew.digest, d.digest)",
    ),
    LeafKind.COMPARISON_FINDING: Sealed(
        name="comparison-finding/1",
        is_veiled=True,
        table="audit_comparisonfinding",
        joins=OF_COMPARISON,
        fields=f"h.source, h.hand_id, v.number, c.digest, c.engine, {FINDING}",
    ),
    LeafKind.RESTATEMENT: Sealed(
        name="restatement/1",
        table="audit_restatement",
        joins="LEFT JOIN audit_hand h ON h.id = t.hand_id"
        f" {_version('v', 't.version_id')} {_version('o', 't.replaced_id')}",
        fields="h.source, h.hand_id, v.number, o.number, t.upload_id, t.line, t.created_at",
    ),
    LeafKind.DUPLICATE: Sealed(
        name="duplicate/1",
        is_veiled=True,
        table="audit_duplicate",
        joins=OF_VERSION,
        fields="h.source, h.hand_id, v.number, t.upload_id, t.line, t.sha256",
    ),
    LeafKind.REFUSAL: Sealed(
        name="refusal/1",
        hidden=(4, 5),
        table="audit_refusal",
        fields='t.upload_id, t.line, t."offset", t.place, t.reason, t.sha256, t.is_our_fault',
    ),
    LeafKind.UPLOAD: Sealed(
        name="upload/1",
        hidden=(1, 3, 6),
        table="audit_upload",
        fields="t.id, t.name, t.received_by_id, t.restatement, t.feed, t.byte_count, t.sha256,"
        " t.line_count, t.created_at",
    ),
    LeafKind.SOFTWARE: Sealed(
        name="accepted-software/1",
        hidden=(1,),
        hidden_from=3,
        table="audit_acceptedsoftware",
        fields="t.actor_id, t.reason, t.engine, t.items, t.sha256, t.created_at",
        json=(3,),
    ),
    LeafKind.SOFTWARE_CHECK: Sealed(
        name="software-check/1",
        table="audit_softwarecheck",
        joins="LEFT JOIN audit_acceptedsoftware a ON a.id = t.accepted_id",
        fields="a.sha256, t.occasion, t.process, t.engine, t.is_good, t.sha256, t.differences,"
        " t.created_at",
        json=(6,),
    ),
    LeafKind.CERTIFICATE: Sealed(
        name="certificate/1",
        hidden=(12, 13, 14),
        table="audit_certificate",
        fields='t.source, t."table", t.day, t.edition, t.run_id, t.made_by_id, t.made_at, t.engine,'
        " t.is_complete, t.hand_count, t.missing_count, t.refused_count, t.facts, t.content,"
        " t.sha256",
    ),
    LeafKind.CASE_ACT: Sealed(
        name="case-act/1",
        hidden=(5,),
        table="audit_caseact",
        joins="LEFT JOIN audit_hand h ON h.id = t.hand_id",
        fields="t.case_id, t.number, t.kind, t.actor_id, t.created_at, t.text, t.state, t.decision,"
        " t.assignee_id, t.taken_until, t.count, h.source, h.hand_id, t.step, t.claim_id,"
        " t.remedy_id, t.bulk_id, t.undoes_id",
    ),
    LeafKind.CLAIM: Sealed(
        name="claim/1",
        hidden=(2, 5),
        table="audit_claim",
        fields="t.case_id, t.source, t.player, t.claimed_at, t.deadline_at, t.text,"
        " t.amount_minor::text, t.currency, t.minor_digits, t.entered_by_id, t.entered_at",
    ),
    LeafKind.CLAIM_HAND: Sealed(
        name="claim-hand/1",
        table="audit_claimhand",
        joins="LEFT JOIN audit_hand h ON h.id = t.hand_id",
        fields="t.claim_id, h.source, h.hand_id",
    ),
    LeafKind.REMEDY_ENTRY: Sealed(
        name="remedy-entry/1",
        hidden=(3,),
        table="audit_remedyentry",
        fields="t.remedy_id, t.position, t.account, t.player, t.currency, t.minor_digits,"
        " t.amount_minor::text",
    ),
    LeafKind.REMEDY_EXPORT: Sealed(
        name="remedy-export/1",
        hidden=(2, 3),
        table="audit_remedyexport",
        fields="t.made_by_id, t.made_at, sha256(t.csv), sha256(t.json)",
    ),
    LeafKind.ADMISSION: Sealed(
        name="admission/1",
        table="audit_admission",
        joins=f"{OF_VERSION} LEFT JOIN audit_refusal r ON r.id = t.refusal_id",
        fields="r.upload_id, r.line, h.source, h.hand_id, v.number, t.reaudit_id, t.created_at",
    ),
    LeafKind.BULK_ACT: Sealed(
        name="bulk-act/1",
        hidden=(3,),
        table="audit_bulkact",
        fields="t.id, t.kind, t.actor_id, t.reason, t.case_count, t.undoes_id, t.created_at",
    ),
    LeafKind.NAME_DECISION: Sealed(
        name="name-decision/1",
        hidden=(1, 2, 4),
        table="audit_namedecision",
        fields="t.source, t.name, t.other, t.is_one, t.reason, t.made_by_id, t.made_at",
    ),
    LeafKind.DAY_RULE: Sealed(
        name="day-rule/1",
        table="audit_dayrule",
        fields='t.source, t."table", t.time_zone, t.starts_at, t.numbering, t.made_by_id,'
        " t.made_at",
    ),
    LeafKind.RULESET: Sealed(
        name="ruleset/1",
        hidden=(6,),
        hidden_from=3,
        table="audit_rulesetrevision",
        fields="t.name, t.game, t.title, sha256(t.content), t.sha256, t.author_id, t.reason,"
        " t.created_at",
    ),
    LeafKind.RULESET_PUBLICATION: Sealed(
        name="ruleset-publication/1",
        hidden=(5, 7),
        hidden_from=3,
        table="audit_rulesetrevision",
        fields="t.name, t.sha256, t.publication, t.published_by_id, t.published_at,"
        " t.publish_reason, t.rehearsal_id, t.unrehearsed_reason",
    ),
    LeafKind.RULESET_SWITCH: Sealed(
        name="ruleset-switch/1",
        hidden=(10,),
        hidden_from=3,
        table="audit_rulesetswitch",
        fields="t.source, t.game, t.ruleset_id, t.kind, t.ruleset, t.sha256, t.effective_at,"
        " t.cancels_id, t.declared_by_id, t.declared_at, t.reason",
    ),
    LeafKind.JOURNAL: Sealed(
        name="journal/1",
        hidden=(4, 7, 8),
        table="audit_journal",
        fields="t.at, t.account_id, t.actor, t.act, t.subject, t.source, t.hand, t.player,"
        " t.detail, host(t.address), t.visit, t.key",
        json=(8,),
    ),
    LeafKind.SIGN_IN: Sealed(
        name="sign-in/1",
        table="audit_signin",
        fields="t.at, t.name, t.account_id, t.way, t.outcome, host(t.address), t.port, t.visit",
    ),
    LeafKind.REVIEW: Sealed(
        name="review/1",
        hidden=(5,),
        hidden_from=3,
        table="audit_review",
        fields="t.kind, t.reviewed_at, t.reviewed_by_id, t.first, t.last, t.note, t.facts",
        json=(6,),
    ),
    LeafKind.INCIDENT: Sealed(
        name="incident/1",
        hidden=(2, 3),
        hidden_from=3,
        table="audit_incident",
        fields="t.kind, t.noticed_at, t.place, t.detail",
    ),
    LeafKind.REPORT: Sealed(
        name="report/1",
        hidden=(5, 6, 7, 8, 9, 10, 11),
        table="audit_report",
        fields="t.id, t.series, t.edition, t.made_by_id, t.made_at, t.parameters, t.changes,"
        " t.body_sha256, sha256(t.json), sha256(t.csv), sha256(t.pdf), t.note",
        json=(5, 6),
    ),
    LeafKind.RETENTION_TERM: Sealed(
        name="retention-term/1",
        hidden=(5,),
        hidden_from=3,
        table="audit_retentionterm",
        fields="t.id, t.source, t.record_class, t.count, t.unit, t.reason, t.set_by_id, t.set_at",
    ),
    LeafKind.LEGAL_HOLD: Sealed(
        name="legal-hold/1",
        hidden=(4,),
        hidden_from=3,
        table="audit_legalhold",
        fields="t.id, t.source, t.hand_id, t.case_id, t.reason, t.placed_by_id, t.placed_at",
    ),
    LeafKind.HOLD_END: Sealed(
        name="hold-end/1",
        hidden=(1,),
        hidden_from=3,
        table="audit_holdend",
        fields="t.hold_id, t.reason, t.lifted_by_id, t.lifted_at",
    ),
    LeafKind.RETENTION_RUN: Sealed(
        name="retention-run/1",
        hidden=(5, 13, 14),
        hidden_from=3,
        table="audit_retentionrun",
        fields="t.id, t.record_class, t.source, t.term_id, t.cutoff_at, t.reason, t.asked_by_id,"
        " t.started_at, t.finished_at, t.item_count, t.counts, t.leaf_count, t.root,"
        " t.certificate, t.sha256",
        json=(10,),
    ),
    LeafKind.RETENTION_BATCH: Sealed(
        name="retention-batch/1",
        table="audit_retentionbatch",
        fields="t.id, t.run_id, t.items, t.deleted_at",
    ),
    LeafKind.RETENTION_DELETION: Sealed(
        name="retention-deletion/1",
        table="audit_retentiondeletion",
        fields="t.id, t.batch_id, t.kind, t.rows",
    ),
    LeafKind.ERASURE: Sealed(
        name="erasure/1",
        hidden=(3, 4),
        hidden_from=3,
        table="audit_erasure",
        fields="t.id, t.source, t.token, t.reason, t.ground, t.asked_by_id, t.started_at,"
        " t.finished_at, t.counts, t.left",
        json=(8, 9),
    ),
    LeafKind.ERASED_ROW: Sealed(
        name="erased-row/1",
        table="audit_erasedrow",
        fields="t.erasure_id, t.kind, t.row, t.kept, t.sha256",
        json=(3,),
    ),
}


def within_months(kind: LeafKind, rows: Sequence[int]) -> str:
    """SQL: what is true of these rows `t` of a kind, and tells the database their partitions."""
    column = SEALED[kind].month
    if not column:
        return "true"
    first, last = around(rows)
    return f"{column} BETWEEN {first} AND {last}"


def read_rows(kind: LeafKind, rows: Sequence[int]) -> Iterator[tuple[int, list[Any]]]:
    """The key and the fields of each of these rows that is there, by key."""
    sealed = SEALED[kind]
    with connection.cursor() as cursor:
        condition = f"t.id = ANY(%s) AND {within_months(kind, rows)}"
        cursor.execute(sealed.query(condition), [list(rows)])
        for key, *fields in cursor:
            for place in sealed.json:
                if fields[place] is not None:
                    fields[place] = msgspec.json.decode(fields[place])
            yield key, fields


def hash_row(kind: LeafKind, index: int, fields: Sequence[Any], form: int = 1) -> bytes:
    """The leaf hash of a row with these fields of a form at a place of the log."""
    return leaf_hash(leaf_data(SEALED[kind].name_of(form), index, fields))


def hash_lost(kind: LeafKind, index: int, row: int) -> bytes:
    """The leaf hash of a row that was announced and is gone."""
    return leaf_hash(leaf_data(LOST, index, (SEALED[kind].name, row)))
