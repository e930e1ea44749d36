"""S44: whoever holds the auditor's role queries and takes out everything, by program alone."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from audit import services
from audit.api.docs import description
from audit.models import ApiToken, Case, Hand, ReportKind, Role, Table
from audit.selectors.access import access_of
from audit.selectors.exports_sheet import check_sheet
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import DEFINITIONS
from audit.services import certifying, desk
from audit.services.players import decide_names, note_players
from audit.services.reports import continue_report, request_report
from tests.access import with_roles
from tests.audit.test_players import at_table
from tests.web.lines import BASE, PAI_GOW, changed, with_net

LISTS = {
    "uploads/": "uploads", "hands/": "hands", "findings/": "hands", "verdicts/": "hands",
    "cases/": "cases", "claims/": "claims", "remedies/": "remedies", "rulesets/": "rulesets",
    "sources/": "sources", "players/": "players", "certificates/": "certificates",
    "reaudits/": "reaudits", "journal/": "entries", "reports/": "reports",
    "players/renames/": "renames", "players/decisions/": "decisions",
}  # fmt: skip
# One's own.
BESIDE = {"keys/"}


@pytest.fixture
def regulator(db: Any, django_user_model: Any) -> Any:
    user = django_user_model.objects.create_user("regulator")
    with_roles(user, Role.AUDITOR)
    key = services.create_token(name="regulator", days=1, account="regulator").token

    def ask(address: str) -> Any:
        return Client().get(address, headers={"Authorization": f"Bearer {key}"})

    return ask


@pytest.fixture
def everything(stored: Any, account: Any, settings: Any, tmp_path: Path) -> None:
    """Something in each list."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    stored(*BASE, with_net(changed(PAI_GOW, hand_id="wrong"), 1, "-99.00"), b"junk")
    for table in Table.objects.all():
        services.compare_table(table_id=table.pk)
    assert desk.gather_cases().is_done
    hand, case = Hand.objects.get(hand_id="wrong"), Case.objects.earliest("pk")
    desk.enter_claim(
        user=account,
        complaint=desk.Complaint(
            player=hand.players[1], claimed_at=hand.played_at, text="x", hand_ids=(hand.pk,)
        ),
        sources=None,
    )
    desk.decide_case(case_id=case.pk, user=account, decision="operator", reason="x", sources=None)
    desk.propose_remedy(
        case_id=case.pk, user=account, reason="so", scope=desk.Scope.ALL, sources=None
    )
    run = certifying.request_certificates(
        day=hand.played_on, source="", table="", user=account, sources=None
    )
    while certifying.continue_run(run_id=run):
        pass
    services.open_reaudit(user=account, sources=None, reason="x", query={})
    stored(*at_table(["Ling", "Ling2"]).splitlines())
    assert not note_players(seconds=10)
    decide_names(
        source="odd", name="Ling", other="Ling2", is_one=True, reason="x", user=account,
        sources=None,
    )  # fmt: skip
    definition, access = DEFINITIONS[ReportKind.PERFORMANCE], access_of(account)
    asked = read_request(definition, {"to": hand.played_on.isoformat()}, access)
    report = request_report(definition=definition, asked=asked, access=access)
    while continue_report(run_id=report):
        pass


def test_s44_the_auditors_role_reads_every_list_and_every_one_of_it(
    everything: None, regulator: Any
) -> None:
    lists = {path for path, methods in description()["paths"].items() if "get" in methods}
    assert {path.removeprefix("/api/v1/") for path in lists if "{" not in path} == set(
        LISTS
    ) | BESIDE
    for address in BESIDE:
        assert regulator(f"/api/v1/{address}").status_code == 200
    for address, name in LISTS.items():
        answer = regulator(f"/api/v1/{address}")
        assert answer.status_code == 200, address
        rows = answer.json()[name]
        assert rows, address
        for row in rows:
            if "url" in row:
                assert regulator(row["url"]).status_code == 200, row["url"]


def test_s44_the_auditors_role_takes_out_every_table(everything: None, regulator: Any) -> None:
    for name in ("hands", "figures", "findings", "totals"):
        answer = regulator(f"/api/v1/exports/{name}.csv")
        data = b"".join(answer.streaming_content)
        assert (answer.status_code, check_sheet(io.BytesIO(data)).rows > 0) == (200, True), name


def test_s44_the_exact_records_come_out_as_they_came_in(everything: None, regulator: Any) -> None:
    told = regulator("/api/v1/hands/?limit=100").json()["hands"]
    versions = [
        version
        for one in told
        for version in regulator(f"{one['url']}versions/").json()["versions"]
    ]
    lines = [regulator(version["record"]).content for version in versions]
    wrong = with_net(changed(PAI_GOW, hand_id="wrong"), 1, "-99.00")
    named = at_table(["Ling", "Ling2"]).splitlines()
    assert sorted(lines) == sorted([*BASE, wrong, *named])


def test_s44_it_changes_nothing(everything: None, regulator: Any) -> None:
    key = services.create_token(name="again", days=1, account="regulator").token
    headers = {"Authorization": f"Bearer {key}"}
    case = Case.objects.earliest("pk")
    for address in (f"cases/{case.pk}/acts/", "claims/", "reaudits/"):
        answer = Client().post(
            f"/api/v1/{address}", b"{}", content_type="application/json", headers=headers
        )
        assert answer.status_code == 403, address
    sent = Client().post(
        "/api/v1/uploads/", BASE[0], content_type="application/x-ndjson", headers=headers
    )
    assert sent.status_code == 403
    assert ApiToken.objects.get(name="again").revoked_at is None
