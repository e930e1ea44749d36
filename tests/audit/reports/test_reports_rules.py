"""Changes of rules, and hands that name rules not in force, as significant events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from audit.models import Role
from audit.services.rulesets_force import put_in_force
from tests.audit.logs import B, Ingest, changed, log
from tests.audit.reports.conftest import Make, rows_of
from tests.audit.rulesets import NAMED, OTHER, access_for, publish, revision


def test_a_change_of_the_rake_and_who_goes_on_without_it(
    ingest: Ingest, make: Make, django_user_model: Any
) -> None:
    """S24: the row has time, item, user, reason, value before and value after."""
    author = access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)
    approver = access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)
    publish(author, approver, revision(rake_rate='"0.06"'))
    ingest(
        log(B, changed(B, hand_id="right", ruleset=OTHER), changed(B, hand_id="away", table="T2"))
    )
    for month, ruleset in ((1, NAMED), (2, OTHER)):
        put_in_force(
            access=approver, source="odd", ruleset=ruleset, reason="agreed with the house",
            effective_at=datetime(2025, month, 1, tzinfo=UTC),
        )  # fmt: skip
    today = datetime.now(UTC).date().isoformat()
    changes = [
        (row["source"], row["subject"], row["by"], row["detail"])
        for row in rows_of(make("significant-events", to=today), "events")
        if row["event"] == "Change of rules" and "rake_rate" in row["subject"]
    ]
    item, moved = f"{OTHER} rake_rate", "rake_rate 0.05 → 0.06"
    assert [(source, subject, by) for source, subject, by, _ in changes] == [
        ("odd", item, "pia.prueft"),
        (None, item, "pia.prueft"),
    ]
    assert [detail.partition(": ")[2] for *_, detail in changes] == [
        f"{moved} (agreed with the house)",
        f"{moved} (agreed)",
    ]

    def marked(**query: str) -> list[tuple[str, str]]:
        report = make("significant-events", to="2025-03-01", **query)
        return [
            (row["subject"], row["detail"])
            for row in rows_of(report, "events")
            if row["event"] == "Hand that names rules not in force"
        ]

    named = f"Names {NAMED}; in force: {OTHER}"
    assert sorted(marked()) == [("away", named), ("base-1", named)]
    assert marked(table="T2") == [("away", named)]
    assert sorted(marked(source="odd")) == [("away", named), ("base-1", named)]
