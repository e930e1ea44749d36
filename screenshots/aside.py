"""What the pictures show beside hands and cases: people, rules, links, messages, what is kept.

Imported by stock.py, when Django stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from django.contrib.auth.models import User
from django.utils import timezone

import replay
from audit.models import (
    Hand,
    RecordClass,
    ReviewKind,
    Role,
    SignInOutcome,
    SignInWay,
    TermUnit,
    VisitEnd,
)
from audit.selectors.access import EVERYTHING, Access, access_of
from audit.services.erasing import erase_person
from audit.services.granting import grant_role
from audit.services.retention import begin_run, continue_run, lift_hold, place_hold, set_term
from audit.services.reviews import record_review
from audit.services.rulesets import add_ruleset, approve_ruleset
from audit.services.rulesets_force import put_in_force
from audit.services.rulesets_rehearsing import rehearse_ruleset
from audit.services.sharing import create_share_link, revoke_share_link
from audit.services.staff import close_account, name_person, open_account
from audit.services.tokens import create_token
from audit.services.visits import Caller, begin_visit, end_visit, note_attempt
from audit.services.webhooks import create_webhook, pause_webhook, try_webhook
from audit.services.webhooks_sending import due_webhooks, gather_messages, send_waiting

SECONDS = 20
RULES = "banker-pai-gow/bs-2022"
ROOM = Caller(address="192.0.2.17", port=51_022, agent="Mozilla/5.0 (X11; Linux x86_64) Firefox")
HOME = Caller(address="198.51.100.4", port=40_411, agent="Mozilla/5.0 (iPhone) Safari")

Keys = dict[str, int | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Two people who may do everything: whatever takes two is done by both."""

    ines: Access
    jun: Access

    def bring(self, *, hand: Hand, until: Callable[[int], None]) -> Keys:
        """Bring all in; gives its keys. `until` waits for a re-audit to end."""
        return {
            **self._people(),
            **self._rules(until),
            **self._links(hand),
            **self._messages(),
            **self._kept(hand),
        }

    def _people(self) -> Keys:
        for access, full_name, title in (
            (self.ines, "Inês Castro", "Head of game integrity"),
            (self.jun, "Lee Jun 李俊", "Disputes"),
        ):
            assert access.account_id is not None
            name_person(
                access=EVERYTHING, account_id=access.account_id, full_name=full_name, title=title
            )
        self._opened("wen.chan", "Chan Wen 陳文", Role.RULES_AUTHOR, None)
        sofia = self._opened("sofia.reyes", "Sofia Reyes", Role.SUPPORT, "harbour")
        grant_role(
            access=self.ines, account_id=sofia, role=Role.INVESTIGATOR, source="harbour-feed"
        )
        tom = self._opened("tom.brandt", "Tom Brandt", Role.AUDITOR, None)
        close_account(access=self.ines, account_id=tom)
        for account, name, days in (("sofia.reyes", "Room's back office", 30),
                                    ("ines.castro", "Nightly figures", 365)):  # fmt: skip
            create_token(access=self.ines, name=name, days=days, account=account)
        visit = begin_visit(account_id=sofia, caller=HOME)
        end_visit(visit_id=visit, how=VisitEnd.SIGNED_OUT)
        for name, outcome in (
            ("sofia.reyes", SignInOutcome.WRONG),
            ("sofia.reyes", SignInOutcome.GOOD),
            ("tom.brandt", SignInOutcome.CLOSED),
        ):
            note_attempt(name=name, caller=HOME, way=SignInWay.PASSWORD, outcome=outcome)
        record_review(
            access=self.jun,
            kind=ReviewKind.SIGN_INS,
            note="One wrong password of sofia.reyes, who says that it was hers.",
            first=1,
            last=3,
            facts={},
        )
        return {"account": sofia, "visit": visit}

    def _opened(self, name: str, full_name: str, role: Role, source: str | None) -> int:
        open_account(access=self.ines, name=name, full_name=full_name)
        key: int = User.objects.get(username=name).pk
        grant_role(access=self.ines, account_id=key, role=role, source=source)
        return key

    def _rules(self, until: Callable[[int], None]) -> Keys:
        """One revision that is published and in force, and a draft after it that was rehearsed."""
        wen = access_of(User.objects.get(username="wen.chan"))
        published = add_ruleset(
            access=wen,
            content=_revision(2, 'tie_rule = "banker_wins"', 'tie_rule = "push"'),
            reason="A tie gives the stakes back at this house",
        )
        approve_ruleset(
            access=self.jun,
            revision_pk=published,
            reason="As agreed in the rules meeting",
            unrehearsed_reason="No hand names it yet",
        )
        put_in_force(
            access=self.ines,
            source="harbour",
            ruleset=f"{RULES}@2",
            effective_at=timezone.now() + timedelta(days=14),
            reason="From the first of the month on",
        )
        content = _revision(3, 'rake_rate = "0.05"', 'rake_rate = "0.06"')
        add_ruleset(access=wen, content=content, reason="Rake of 6 % from March on")
        rehearsal = rehearse_ruleset(
            access=self.ines, name=f"{RULES}@3", reason="What would it have cost?"
        )
        until(rehearsal)
        draft = replay.read_ruleset(content)
        return {"draft": draft.sha256, "rehearsal": rehearsal}

    def _links(self, hand: Hand) -> Keys:
        opened, closed = (
            create_share_link(
                access=self.ines, hand=hand.pk, viewpoint=viewer, hours=168, reason=reason
            )
            for viewer, reason in (
                ("seat-2", "wong_88 asks why the trick went to the banker"),
                ("public", "For the room's floor manager"),
            )
        )
        revoke_share_link(access=self.ines, link=closed.pk)
        return {"secret": opened.secret, "closed_secret": closed.secret}

    def _messages(self) -> Keys:
        """A webhook whose messages arrive, one whose do not, and one that is paused."""
        with _listener() as address:
            told = create_webhook(
                access=self.ines, name="Disputes desk", url=f"{address}/findings",
                sources=["harbour", "simulated-3"], only_errors=False,
            )  # fmt: skip
            deaf = create_webhook(
                access=self.ines, name="Room's back office", url=f"{address}/busy", sources=None,
                codes=["net-mismatch", "rake-mismatch"],
            )  # fmt: skip
            quiet = create_webhook(
                access=self.ines, name="Old archive", url="https://archive.harbour.example/in",
                sources=["harbour"],
            )  # fmt: skip
            pause_webhook(access=self.ines, pk=quiet.pk, is_paused=True)
            for hook in (told, told, deaf):
                try_webhook(access=self.ines, pk=hook.pk)
            gather_messages()
            for pk in due_webhooks():
                send_waiting(pk, seconds=SECONDS)
        return {"webhook": told.pk}

    def _kept(self, hand: Hand) -> Keys:
        for kind, source, count, unit, reason in (
            (RecordClass.HANDS, None, 5, TermUnit.YEAR, "The usual term"),
            (RecordClass.HANDS, "harbour", 7, TermUnit.YEAR, "The licence of 2026 asks for seven"),
            (RecordClass.JOURNAL, None, 18, TermUnit.MONTH, "As the privacy notice says"),
        ):
            set_term(access=self.ines, record_class=kind, source=source, count=count, unit=unit,
                     reason=reason)  # fmt: skip
        place_hold(
            access=self.ines, source="harbour", hand_id=hand.hand_id,
            reason="Dispute before the regulator",
        )  # fmt: skip
        over = place_hold(access=self.ines, source="simulated-1", reason="Asked for by the court")
        lift_hold(access=self.jun, hold=over, reason="The court has decided")
        run = begin_run(
            access=self.jun, record_class=RecordClass.HANDS, source="harbour", reason="Yearly"
        )
        continue_run(run_id=run)
        others = Hand.objects.filter(source="simulated-2026").order_by("pk")
        erase_person(
            access=self.ines, source="simulated-2026", name=others[0].players[0],
            reason="Asked for by letter of 12 May", ground="GDPR, article 17 (1) (b)",
        )  # fmt: skip
        return {"retention_run": run}


def _revision(number: int, line: str, other: str) -> bytes:
    """A revision of the rules with one option otherwise."""
    shipped = replay.load_rulesets().get(f"{RULES}@1")
    assert shipped is not None, "the package brings it"
    text = shipped.content.decode()
    assert text.count(line) == 1
    return text.replace("revision = 1", f"revision = {number}").replace(line, other).encode()


class _Answers(BaseHTTPRequestHandler):
    """Takes every message but those to /busy."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503 if self.path == "/busy" else 204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is there
        """Say nothing: what is printed here are the keys."""


@contextmanager
def _listener() -> Iterator[str]:
    """Somebody who hears the messages; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
