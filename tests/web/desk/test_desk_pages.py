"""The pages of the desk: what they show, how often they ask, and how they refuse."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from audit.models import BulkAct, Case, CaseAct, Claim, Decision, Hand, Remedy
from audit.services import desk
from audit.web.desk_texts import TEXTS
from tests.access import JOURNAL, WHO_ASKS
from tests.audit.desk.wrong import without_rake, wrong
from tests.web.desk.conftest import Gather
from tests.web.lines import GOLDEN, PAI_GOW, WENZHOU, changed, planted


def text_of(answer: Any) -> str:
    """The page as text: tags out, blanks in one."""
    html = re.sub(r"<(head|script|style)\b.*?</\1>", " ", answer.content.decode(), flags=re.S)
    plain = re.sub(r"<[^>]*>", " ", html)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"),
                              ("&amp;", "&")):  # fmt: skip
        plain = plain.replace(entity, character)
    return " ".join(plain.split())


def listed(answer: Any) -> list[int]:
    """The cases of a list, in its order."""
    assert answer.status_code == 200
    found = re.findall(r'class="at-h"><a href="/desk/cases/(\d+)/"', answer.content.decode())
    return [int(one) for one in found]


def claim(user: Any, name: str = "a", **fields: Any) -> Claim:
    hand = Hand.objects.get(hand_id=name)
    values = {"player": "Bo", "claimed_at": hand.played_at, "text": "too little",
              "hand_ids": (hand.pk,), "amount": "1.00"}  # fmt: skip
    return desk.enter_claim(user=user, complaint=desk.Complaint(**(values | fields)), sources=None)


def test_nobody_comes_in_without_signing_in(client: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    for address in ("", "queue/", f"cases/{case.pk}/", f"cases/{case.pk}/file/", "claims/",
                    "remedies/", "claims/new/"):  # fmt: skip
        answer = client.get(f"/desk/{address}")
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login")
    answer = client.post(f"/desk/cases/{case.pk}/act", {"act": "take"})
    assert answer.status_code == 302
    case.refresh_from_db()
    assert case.assignee is None


def test_what_is_not_there_is_404(site: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    for address in (
        "cases/999/", "cases/0/", f"cases/{10**17}/", "cases/999/history/", "cases/999/file/",
        "cases/999/letter/?player=Bo", f"cases/{case.pk}/letter/",
        f"cases/{case.pk}/letter/?player=Nobody", f"cases/{case.pk}/letter/?player=Bo&lang=fr",
        f"cases/{case.pk}/history/?before=x", "claims/999/", "claims/999/letter/", "bulk/999/",
        "remedies/999/", "remedies/999/remedy.csv",
    ):  # fmt: skip
        assert site.get(f"/desk/{address}").status_code == 404, address
    assert site.post("/desk/cases/999/act", {"act": "take"}).status_code == 404
    assert site.post(f"/desk/cases/{case.pk}/act", {"act": "drop"}).status_code == 404
    for address in ("queue/?state=lost", "queue/?cursor=x", "claims/?cursor=9", "remedies/?state=x",
                    f"cases/{case.pk}/?cursor=n.1"):  # fmt: skip
        assert site.get(f"/desk/{address}").status_code == 400, address


def test_pages_of_the_desk_are_kept_nowhere(site: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    for address in ("", "queue/", f"cases/{case.pk}/", f"cases/{case.pk}/file/"):
        header = site.get(f"/desk/{address}")["Cache-Control"]
        assert {"no-store", "private"} <= {one.strip() for one in header.split(",")}


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    ("address", "queries"),
    # What the page itself asks.
    [("", 3 + 2), ("queue/", 1), ("claims/", 2), ("remedies/", 1)],
)
def test_lists_ask_the_same_few_questions(
    site: Client, gather: Gather, auditor: Any, count: int, address: str, queries: int
) -> None:
    cases = gather(*(wrong(f"h{number}", source=f"s{number}") for number in range(count)))
    for number, case in enumerate(cases):
        claim(auditor, f"h{number}")
        desk.decide_case(
            case_id=case.pk, user=auditor, decision="operator", reason="so", sources=None
        )
        desk.propose_remedy(
            case_id=case.pk, user=auditor, reason="so", scope=desk.Scope.ALL, sources=None
        )
        desk.reopen_case(case_id=case.pk, user=auditor, reason="so", sources=None)
    with CaptureQueriesContext(connection) as asked:
        page = site.get(f"/desk/{address}")
    assert page.status_code == 200
    assert len(asked) == WHO_ASKS + JOURNAL + queries


@pytest.mark.parametrize("count", [1, 3])
def test_a_case_and_its_file_ask_the_same_few_questions(
    site: Client, gather: Gather, auditor: Any, count: int
) -> None:
    (case,) = gather(*(wrong(f"h{number}") for number in range(count)))
    for number in range(count):
        claim(auditor, f"h{number}")
        hand = Hand.objects.get(hand_id=f"h{number}")
        desk.comment_case(
            case_id=case.pk, user=auditor, text="look", hand_id=hand.pk, step=1, sources=None
        )
        desk.decide_case(
            case_id=case.pk, user=auditor, decision="operator", reason="so", sources=None
        )
        remedy = desk.propose_remedy(
            case_id=case.pk, user=auditor, reason="so", scope=desk.Scope.ALL, sources=None
        )
        desk.reject_remedy(remedy_id=remedy.pk, user=auditor, reason="no", sources=None)
        desk.reopen_case(case_id=case.pk, user=auditor, reason="so", sources=None)
    counted = {}
    for address in ("", "history/", "file/", "letter/?player=Bo"):
        with CaptureQueriesContext(connection) as asked:
            assert site.get(f"/desk/cases/{case.pk}/{address}").status_code == 200
        counted[address] = len(asked) - WHO_ASKS - JOURNAL
    assert counted == {"": 17, "history/": 3, "file/": 28, "letter/?player=Bo": 7}


def test_a_case_says_why_its_hands_stand_together(site: Client, gather: Gather) -> None:
    nets, rakes = gather(wrong("a", net="-50.00"), wrong("b", net="-50.00"), without_rake("c"))
    page = text_of(site.get(f"/desk/cases/{nets.pk}/"))
    assert "it has half of what the rules give" in page
    assert "logged = expected ÷ 2 in 2 of 2 hands" in page
    assert "“The net result differs” under PG-30" in page
    assert "Bo 2 −100.00 −200.00 CNY −100.00 kept too much" in page
    assert "Money at risk CNY 100.00 nothing owed after netting, 1 player" in page
    page = text_of(site.get(f"/desk/cases/{rakes.pk}/"))
    assert "pg.rake_rate=0 the log is right if the rate of the rake were 0" in page
    assert "Also found in these hands: net-mismatch in 1" in page


def test_what_cannot_be_recomputed_is_not_called_owed_to_nobody(
    site: Client, gather: Gather
) -> None:
    (case,) = gather(planted("tien-gow", "follow-illegal"))
    words = (
        "what is owed is not known, 4 players; 1 hand cannot be recomputed",
        "what is owed is not known Due",
    )
    for address, sentence in zip(("", "file/"), words, strict=True):
        page = text_of(site.get(f"/desk/cases/{case.pk}/{address}"))
        assert page.count(sentence) == 1
        assert "owed after netting" not in page


def test_svc_18_one_smallest_unit_is_not_rounded_away(site: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a", net="-100.01"))
    page = text_of(site.get(f"/desk/cases/{case.pk}/"))
    assert "Money at risk CNY 0.01" in page
    assert "logged − expected = −1 smallest unit" in page
    assert "Bo 1 −100.01 −100.00 CNY +0.01 is owed" in page


def test_take_decide_and_reopen_by_the_forms(site: Client, gather: Gather, auditor: Any) -> None:
    nets, rakes = gather(wrong("a"), without_rake("b"))
    assert listed(site.get("/desk/queue/")) == [rakes.pk, nets.pk]
    answer = site.post("/desk/next")
    assert answer["Location"] == f"/desk/cases/{rakes.pk}/"
    page = site.get(answer["Location"])
    assert "Yours until" in text_of(page)
    revision = re.search(r'name="revision" value="(\d+)"', page.content.decode())
    assert revision is not None
    fields = {"revision": revision[1], "act": "decide", "decision": "operator"}
    refused = site.post(f"/desk/cases/{rakes.pk}/act", fields | {"reason": "  "})
    assert refused.status_code == 400
    assert "Give a reason." in text_of(refused)
    done = site.post(f"/desk/cases/{rakes.pk}/act", fields | {"reason": "paid wrongly"})
    assert (done.status_code, done["Location"]) == (302, f"/desk/cases/{rakes.pk}/")
    page = text_of(site.get(done["Location"]))
    assert "The case is decided." in page
    assert "ines.castro decided: Operator error paid wrongly" in page
    assert listed(site.get("/desk/queue/")) == [nets.pk]
    assert listed(site.get("/desk/queue/?state=decided&decision=operator")) == [rakes.pk]
    site.post(f"/desk/cases/{rakes.pk}/act", {"act": "reopen", "reason": "look again"})
    assert listed(site.get("/desk/queue/?owner=free")) == [rakes.pk, nets.pk]


def test_svc_53_the_second_decider_gets_409_with_the_state(
    site: Client, toms: Client, gather: Gather
) -> None:
    (case,) = gather(wrong("a"))
    fields = {"act": "decide", "revision": "0"}
    address = f"/desk/cases/{case.pk}/act"
    first = site.post(address, fields | {"decision": "player", "reason": "upheld"})
    second = toms.post(address, fields | {"decision": "log", "reason": "my long words"})
    assert (first.status_code, second.status_code) == (302, 409)
    page = text_of(second)
    assert f"C-{case.pk} is decided as “Player right” by ines.castro" in page
    assert "my long words" in page  # what was typed is not lost
    assert CaseAct.objects.filter(kind="decided").count() == 1


def test_a_case_in_other_hands_is_refused(
    site: Client, toms: Client, gather: Gather, tom: Any
) -> None:
    (case,) = gather(wrong("a"))
    toms.post("/desk/next")
    page = site.get(f"/desk/cases/{case.pk}/")
    assert "With tom.reyes until" in text_of(page)
    answer = site.post(
        f"/desk/cases/{case.pk}/act", {"act": "decide", "decision": "log", "reason": "so"}
    )
    assert answer.status_code == 409
    answer = site.post(
        f"/desk/cases/{case.pk}/act", {"act": "assign", "to": str(tom.pk), "note": "keep it"}
    )
    assert answer.status_code == 302
    assert "ines.castro assigned the case to tom.reyes" in text_of(
        site.get(f"/desk/cases/{case.pk}/")
    )
    toms.post(f"/desk/cases/{case.pk}/act", {"act": "release", "note": "ask the room"})
    assert "handed the case back" in text_of(site.get(f"/desk/cases/{case.pk}/"))


def test_from_a_hand_to_its_case_or_to_a_claim(site: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a"), PAI_GOW)
    keys = {hand.hand_id: hand.pk for hand in Hand.objects.all()}
    clean = keys.pop("base-1")
    assert site.get(f"/desk/hands/{keys['a']}/")["Location"] == f"/desk/cases/{case.pk}/"
    assert site.get(f"/desk/hands/{clean}/")["Location"] == f"/desk/claims/new/?hand={clean}"
    assert site.get("/desk/hands/999/").status_code == 404


def test_nothing_waits(site: Client) -> None:
    assert site.post("/desk/next")["Location"] == "/desk/"
    assert "every open case is in somebody's hands" in text_of(site.get("/desk/"))


def test_a_comment_links_to_the_step(site: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    hand = Hand.objects.get()
    fields = {"act": "comment", "comment": "here", "hand": str(hand.pk), "step": "4"}
    assert site.post(f"/desk/cases/{case.pk}/act", fields).status_code == 302
    assert (
        f'href="/hands/{hand.pk}/steps/4/"' in site.get(f"/desk/cases/{case.pk}/").content.decode()
    )
    for wrong_field in ({"step": "x"}, {"hand": "999"}, {"hand": ""}, {"comment": ""}):
        answer = site.post(f"/desk/cases/{case.pk}/act", fields | wrong_field)
        assert answer.status_code == 400, wrong_field


def test_a_bulk_act_is_previewed_done_and_undone(
    site: Client, gather: Gather, auditor: Any
) -> None:
    cases = gather(*(wrong(f"h{number}", source=f"s{number}") for number in range(3)))
    chosen = [str(case.pk) for case in cases[:2]]
    preview = site.post("/desk/bulk/", {"case": chosen})
    assert listed(preview) == [case.pk for case in cases[:2]]
    assert BulkAct.objects.count() == 0
    seen = re.findall(r'name="seen" value="([^"]*)"', preview.content.decode())
    assert seen == [f"{case.pk}:0" for case in cases[:2]]
    fields: dict[str, Any] = {"seen": seen, "kind": "decided", "decision": "log"}
    assert site.post("/desk/bulk/do", fields | {"reason": ""}).status_code == 400
    assert site.post("/desk/bulk/do", fields | {"seen": ["x:1"], "reason": "so"}).status_code == 400
    desk.comment_case(case_id=cases[1].pk, user=auditor, text="wait", sources=None)
    done = site.post("/desk/bulk/do", fields | {"reason": "a test table"})
    bulk = BulkAct.objects.get()
    assert done["Location"] == f"/desk/bulk/{bulk.pk}/"
    page = text_of(site.get(done["Location"]))
    assert "Done for 1 case." in page
    assert f"Left out: Somebody else was quicker: C-{cases[1].pk} is open." in page
    assert "1 of 2 cases" in page
    undone = site.post(f"/desk/bulk/{bulk.pk}/undo", {"reason": "no test"})
    assert undone.status_code == 302
    assert {case.state for case in Case.objects.all()} == {"open"}
    assert site.post(f"/desk/bulk/{bulk.pk}/undo", {"reason": "again"}).status_code == 409
    for nothing in ([], ["x"], ["1"] * 91):
        answer = site.post("/desk/bulk/", {"case": nothing})
        assert (answer.status_code, answer["Location"]) == (302, "/desk/queue/")


CLAIM = {
    "player": "Bo",
    "source": "odd",
    "hands": "a",
    "claimed_at": "2025-03-01T12:00",
    "offset": "+08:00",
    "text": "I was paid too little",
    "amount": "1.00",
}


def test_a_claim_is_entered_by_its_form(site: Client, gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    hand = Hand.objects.get()
    form = site.get(f"/desk/claims/new/?hand={hand.pk}").content.decode()
    assert 'name="source" maxlength="128" required value="odd"' in form
    assert 'maxlength="6" value="+08:00"' in form
    done = site.post("/desk/claims/new/", CLAIM)
    entered = Claim.objects.get()
    assert (done.status_code, done["Location"]) == (302, f"/desk/claims/{entered.pk}/")
    assert (entered.case_id, entered.claimed_at.isoformat()) == (
        case.pk,
        "2025-03-01T04:00:00+00:00",
    )
    page = text_of(site.get(done["Location"]))
    assert "I was paid too little" in page
    assert "In time until 8 March 2025, 02:00:00 UTC" in page
    assert f"K-{entered.pk} Bo" in text_of(site.get("/desk/claims/?player=Bo"))
    assert "No claim of this player" in text_of(site.get("/desk/claims/?player=bo"))
    site.post(f"/desk/claims/{entered.pk}/withdraw", {"reason": "he was wrong"})
    assert "Withdrawn" in text_of(site.get(f"/desk/claims/{entered.pk}/"))
    again = site.post(f"/desk/claims/{entered.pk}/withdraw", {"reason": "he was wrong"})
    assert again.status_code == 409


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"claimed_at": "2025-03-08T10:00:01"}, 409),  # SVC-54: a second too late
        ({"claimed_at": "2025-03-08T10:00:00"}, 302),
        ({"claimed_at": ""}, 400),
        ({"claimed_at": "yesterday"}, 400),
        ({"claimed_at": "2025-03-01"}, 400),
        ({"claimed_at": "2025-03-01T12:00+01:00"}, 400),
        ({"offset": "8"}, 400),
        ({"offset": "+99:99"}, 400),
        ({"hands": ""}, 400),
        ({"hands": "a\r\nzz"}, 400),
        ({"source": "bs"}, 400),
        ({"player": "Nobody"}, 400),
        ({"text": ""}, 400),
        ({"amount": "one"}, 400),
        ({"amount": ""}, 302),
    ],
)
def test_what_a_claim_form_may_say(
    site: Client, gather: Gather, fields: dict[str, str], status: int
) -> None:
    gather(wrong("a"))
    answer = site.post("/desk/claims/new/", CLAIM | fields)
    assert answer.status_code == status
    if status == 409:
        assert "ended at 2025-03-08 02:00:00 UTC" in text_of(answer)
    if status != 302:
        assert CLAIM["offset"] in answer.content.decode() or "offset" in fields
        assert Claim.objects.count() == 0


def test_a_remedy_from_proposal_to_file(
    site: Client, toms: Client, gather: Gather, auditor: Any
) -> None:
    (case,) = gather(without_rake("a"))
    desk.decide_case(case_id=case.pk, user=auditor, decision="operator", reason="so", sources=None)
    fields = {"act": "propose", "scope": "all", "reason": "put right"}
    assert site.post(f"/desk/cases/{case.pk}/act", fields | {"scope": "some"}).status_code == 400
    assert site.post(f"/desk/cases/{case.pk}/act", fields).status_code == 302
    assert site.post(f"/desk/cases/{case.pk}/act", fields).status_code == 409
    remedy = Remedy.objects.get()
    address = f"/desk/remedies/{remedy.pk}/"
    page = text_of(site.get(address))
    assert "Di CNY −2.50 House CNY +5.00" in page
    assert "A second person approves it." in page
    assert site.post(f"{address}act", {"act": "approve"}).status_code == 409
    assert site.get(f"{address}remedy.csv").status_code == 404
    assert toms.post(f"{address}act", {"act": "burn"}).status_code == 404
    assert toms.post(f"{address}act", {"act": "approve"}).status_code == 302
    assert site.post(f"{address}act", {"act": "export"}).status_code == 302
    assert "Exported as X-" in text_of(site.get(address))
    csv, made = site.get(f"{address}remedy.csv"), site.get(f"{address}remedy.json")
    assert csv["Content-Disposition"] == f'attachment; filename="remedy-{remedy.pk}.csv"'
    assert toms.post(f"{address}act", {"act": "export"}).status_code == 302
    assert "the files are the same" in text_of(toms.get(address))
    assert site.get(f"{address}remedy.csv").content == csv.content
    assert sum(int(one["amount_minor"]) for one in json.loads(made.content)["entries"]) == 0


WICKED = '"><svg onload=alert(1)></textarea></script><b>'


def test_svc_64_markup_is_shown_as_text(site: Client, gather: Gather, auditor: Any) -> None:
    hand = json.loads(without_rake(WICKED, table=WICKED, source=WICKED))
    hand["seats"][0]["player"] = WICKED
    (case,) = gather(json.dumps(hand).encode())
    entered = claim(auditor, WICKED, player=WICKED, text=WICKED)
    desk.comment_case(case_id=case.pk, user=auditor, text=WICKED, sources=None)
    desk.decide_case(
        case_id=case.pk, user=auditor, decision="operator", reason=WICKED, sources=None
    )
    remedy = desk.propose_remedy(
        case_id=case.pk, user=auditor, reason=WICKED, scope=desk.Scope.ALL, sources=None
    )
    refused = site.post("/desk/claims/new/", {**CLAIM, "source": WICKED, "hands": WICKED + "x"})
    answers = [refused] + [
        site.get(f"/desk/{address}")
        for address in (
            "", "queue/?state=decided", f"queue/?source={quote(WICKED)}", f"cases/{case.pk}/",
            f"cases/{case.pk}/history/", f"cases/{case.pk}/file/",
            f"cases/{case.pk}/letter/?player={quote(WICKED)}",
            f"cases/{case.pk}/letter/?player={quote(WICKED)}&lang=zh-hans", "claims/",
            f"claims/?player={quote(WICKED)}", f"claims/{entered.pk}/",
            f"claims/{entered.pk}/letter/", "remedies/", f"remedies/{remedy.pk}/",
        )
    ]  # fmt: skip
    for answer in answers:
        html = answer.content.decode()
        assert "<svg onload" not in html
        assert "</script><b>" not in html
    shown = [WICKED in text_of(answer) for answer in answers]
    # The overview alone has no place for a name of this case.
    assert [place for place, one in enumerate(shown) if not one] == [1]


def test_every_kind_of_hand_has_its_file_and_letter(site: Client, gather: Gather) -> None:
    cases = gather(
        planted("tien-gow", "follow-illegal"),
        planted("tien-gow", "units-mismatch"),
        planted("tien-gow", "bonus-mismatch"),
        planted("small-tien-gow", "winner-mismatch"),
        planted("wenzhou-pai-gow", "profit-mismatch"),
        planted("wenzhou-pai-gow", "outcome-mismatch"),
        planted("banker-pai-gow", "result-missing"),
    )
    codes = [case.cause.code for case in cases if case.cause is not None]
    assert codes == [
        "follow-illegal", "units-mismatch", "bonus-mismatch", "winner-mismatch",
        "profit-mismatch", "outcome-mismatch", "result-missing",
    ]  # fmt: skip
    for case in cases:
        assert site.get(f"/desk/cases/{case.pk}/file/").status_code == 200
        member = case.hands.get()
        for amount in member.amounts.all()[:2]:
            for language in ("en", "zh-hant", "zh-hans"):
                address = f"letter/?player={quote(amount.player)}&lang={language}"
                assert site.get(f"/desk/cases/{case.pk}/{address}").status_code == 200


def test_a_claim_about_a_clean_hand_of_each_game(
    site: Client, gather: Gather, auditor: Any
) -> None:
    gather(PAI_GOW, WENZHOU)
    for hand in Hand.objects.all():
        entered = claim(auditor, hand.hand_id, player=hand.players[0], amount="")
        for address in ("", "letter/"):
            assert site.get(f"/desk/claims/{entered.pk}/{address}").status_code == 200
        page = site.get(f"/desk/cases/{entered.case_id}/")
        assert "A player's claim" in text_of(page)
        assert f"About {hand.hand_id}" in text_of(page)
        assert f'<option value="{hand.pk}">{hand.hand_id}</option>' in page.content.decode()
        assert hand.hand_id in text_of(site.get(f"/desk/cases/{entered.case_id}/file/"))


def test_svc_24_the_dispute_pages_tell_the_timer_from_the_player(
    site: Client, gather: Gather, auditor: Any
) -> None:
    late = (GOLDEN / "odd" / "repeats-clocks-timers.ndjson").read_bytes().splitlines()[6]
    hand = json.loads(late)
    (bet,) = [event for event in hand["events"] if event.pop("auto", False)]
    gather(late, changed(json.dumps(hand).encode(), hand_id="by-hand"))
    player = next(one["player"] for one in hand["seats"] if one["seat"] == bet["seat"])
    told = {}
    for name in (hand["hand_id"], "by-hand"):
        entered = claim(auditor, name, player=player, amount="")
        letter = text_of(site.get(f"/desk/claims/{entered.pk}/letter/"))
        file = text_of(site.get(f"/desk/cases/{entered.case_id}/file/"))
        told[name] = ("by the timer, not by you" in letter, "none by the timer" in letter,
                      file.count("by the timer"))  # fmt: skip
    assert told == {hand["hand_id"]: (True, False, 1), "by-hand": (False, True, 0)}


def figures_of(html: str) -> list[str]:
    """The numbers of the tables of a letter, in their order."""
    tables = re.findall(r"<tbody>.*?</tbody>", html, re.S)
    cell_of = re.compile(r'class="num[ "][^>]*>([^<]*)<')
    cells = [cell for table in tables for cell in cell_of.findall(table)]
    return [cell for cell in cells if cell.strip()]


def test_a_letter_has_the_same_figures_in_each_language(site: Client, gather: Gather) -> None:
    for case in gather(without_rake("a"), planted("tien-gow", "units-mismatch")):
        player = case.hands.get().amounts.all()[0].player
        pages = {
            lang: site.get(f"/desk/cases/{case.pk}/letter/?player={quote(player)}&lang={lang}")
            for lang in TEXTS
        }
        html = {lang: page.content.decode() for lang, page in pages.items()}
        figures = {lang: figures_of(one) for lang, one in html.items()}
        assert figures["en"] == figures["zh-hant"] == figures["zh-hans"]
        assert len(figures["en"]) >= 6
        # Each stage cites its rule, and each citation leads to a note.
        cited = set(re.findall(r'href="#note-(\d+)"', html["en"]))
        noted = set(re.findall(r'id="note-(\d+)"', html["en"]))
        assert cited == noted != set()
        for lang, one in html.items():
            assert f'<article class="letter" lang="{TEXTS[lang].lang}"' in one


@pytest.mark.parametrize("lang", TEXTS)
def test_a_letter_is_the_same_whatever_the_language_around_it(
    site: Client, gather: Gather, lang: str
) -> None:
    (case,) = gather(without_rake("a"))
    player = case.hands.get().amounts.all()[0].player
    letters = set()
    for around in TEXTS:
        session = site.session
        session["language"] = around
        session.save()
        page = site.get(f"/desk/cases/{case.pk}/letter/?player={quote(player)}&lang={lang}")
        html = page.content.decode()
        assert f'<html lang="{TEXTS[around].lang}">' in html
        letters.add(html[html.index("<article") : html.index("</article>")])
    translation.activate("en")
    assert len(letters) == 1
    # The way to each number is told in that language, too.
    ways = re.findall(r'<td class="numbers">(.*?)</td>', letters.pop())
    assert len(ways) >= 3
    assert all(ways)
    assert any(re.search(r"[A-Za-z]{3}", re.sub("<[^>]*>", "", way)) for way in ways) == (
        lang == "en"
    )


def test_a_letter_says_what_is_owed_and_booked(
    site: Client, toms: Client, gather: Gather, auditor: Any, tom: Any
) -> None:
    (case,) = gather(wrong("a", seat=0, net="9.00"))
    address = f"/desk/cases/{case.pk}/letter/?player=Ann"
    page = text_of(site.get(address))
    assert "CNY 0.50 is owed to you. This is a draft" in page
    assert "≠ 9.00 9.50" in page
    desk.decide_case(
        case_id=case.pk, user=auditor, decision="player", reason="you are right", sources=None
    )
    remedy = desk.propose_remedy(
        case_id=case.pk, user=auditor, reason="so", scope=desk.Scope.OWED, sources=None
    )
    assert "CNY 0.50 is proposed as a credit and waits" in text_of(site.get(address))
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    page = text_of(site.get(address))
    assert f"CNY 0.50 will be credited to you (R-{remedy.pk})." in page
    assert "Reason: you are right" in page
    assert "Decided by ines.castro" in page
    page = text_of(site.get(address + "&lang=zh-hant"))
    assert f"將補付您 CNY 0.50（R-{remedy.pk}）。" in page


def test_the_texts_are_complete() -> None:
    """Every sentence is there in each language, with the same places to fill in."""
    places = {
        lang: {key: set(re.findall(r"\{(\w+)\}", words)) for key, words in one.sentences.items()}
        for lang, one in TEXTS.items()
    }
    assert places["en"] == places["zh-hant"] == places["zh-hans"]
    assert all(words for one in TEXTS.values() for words in one.sentences.values())
    assert {one.value for one in Decision} <= set(TEXTS["en"].sentences)
