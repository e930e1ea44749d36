"""The what-if page: two sides, the bisect, and nothing stored."""

import re

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

import replay
from audit import selectors
from audit.models import Hand, JournalEntry, Role, SealPending
from audit.services.rulesets import approve_ruleset
from tests.access import JOURNAL, WHO_ASKS
from tests.audit.rulesets import access_for, add, revision
from tests.web.lines import GOLDEN, PAI_GOW, TIEN_GOW, WENZHOU, changed, with_net

# The rake of its banker was rounded half up.
HALF_UP = GOLDEN.parent / "replay" / "banker_pai_gow" / "hand-7741-2.ndjson"


@pytest.fixture
def at(store):
    def run(line):
        store(line)
        return f"/hands/{Hand.objects.latest('pk').pk}/"

    return run


def rows(html):
    """Owner, figure, logged, own, other; marked where it changes."""
    body = html[html.index('id="figures"') :]
    body = body[body.index("<tbody>") : body.index("</tbody>")]
    found = []
    for row in re.findall(r"<tr(.*?)</tr>", body, re.S):
        cells = [
            re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        found.append((*cells[1:], "row-moved" in row))
    return found


@pytest.mark.parametrize("line", [PAI_GOW, TIEN_GOW, WENZHOU], ids=["pg", "tg", "wz"])
def test_without_a_choice_both_sides_are_the_record(site, at, line):
    html = site.get(f"{at(line)}what-if/").content.decode()
    walk = replay.walk(line, selectors.current_rulesets())
    shown = rows(html)
    assert len(shown) == len(walk.figures)
    assert not any(row[-1] for row in shown)
    assert "No figure would change" in html
    assert html.count("Not the record") >= 3


def test_a_change_that_explains_makes_the_other_side_right(site, at):
    line = HALF_UP.read_bytes().strip()
    verdict = replay.audit(line, selectors.current_rulesets())
    change = verdict.findings[-1].explained_by[0]
    html = site.get(f"{at(line)}what-if/", {"change": change}).content.decode()
    own = html[html.index('id="own-side"') : html.index('id="other-side"')]
    other = html[html.index('id="other-side"') : html.index('id="figures"')]
    assert "The rake differs" in own
    assert "The log is right." in other
    assert f"<code>{change}</code>" in other
    tried = replay.what_if(line, selectors.current_rulesets(), change=change)
    moved = sum(
        mine.recomputed != its.recomputed
        for mine, its in zip(tried.record.figures, tried.other.figures, strict=True)
    )
    assert sum(row[-1] for row in rows(html)) == moved > 0


def test_the_bisect_lists_every_known_ruleset_of_the_game(site, at):
    line = TIEN_GOW
    html = site.get(f"{at(line)}what-if/").content.decode()
    body = html[html.index('id="bisect"') :]
    named = re.findall(r'<a href="[^"]*rules=([^"]*)"><bdi>([^<]*)</bdi>', body)
    trials = replay.bisect(line, selectors.current_rulesets())
    assert sorted(name for _, name in named) == sorted(trial.ruleset for trial in trials)
    assert body.count("chip-clean") == sum(trial.is_right for trial in trials)
    assert body.count("named by the hand") == 1


def test_nothing_is_stored(site, at):
    line = with_net(PAI_GOW, 1, "-99.00")
    address = at(line)
    counts = {model: model.objects.count() for model in apps.get_app_config("audit").get_models()}
    raw = site.get(f"{address}record").content
    with CaptureQueriesContext(
        connection,
    ) as queries:
        site.get(f"{address}what-if/?change=pg.rake_round%3Dhalf_up")
    writes = [q["sql"] for q in queries if re.match(r"(INSERT|UPDATE|DELETE|TRUNCATE)", q["sql"])]
    # That somebody looked is written down, and nothing else.
    assert [sql for sql in writes if not sql.startswith('INSERT INTO "audit_journal"')] == []
    counts[JournalEntry] += 2
    counts[SealPending] += 2
    for model, count in counts.items():
        assert model.objects.count() == count
    assert site.get(f"{address}record").content == raw == line


@pytest.mark.parametrize(
    "query",
    ["rules=nowhere@1", "rules=wenzhou-pai-gow/live-2015@1", "change=pg.tie_rule%3Dmaybe",
     "change=tg.par%3D3", "change=%3D", "rules=%00"],
)  # fmt: skip
def test_what_is_no_rule_is_said_and_the_record_stands(site, at, query):
    answer = site.get(f"{at(PAI_GOW)}what-if/?{query}")
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_only_the_auditor_may_try(site, at):
    address = at(TIEN_GOW)
    for viewer in ("public", "seat-0"):
        assert site.get(f"{address}what-if/?as={viewer}").status_code == 403
        assert "what-if" not in site.get(f"{address}steps/3/?as={viewer}").content.decode()
    assert f'href="{address}what-if/"' in site.get(f"{address}steps/3/").content.decode()


def test_a_step_under_other_rules_leads_to_the_what_if(site, at):
    address = at(TIEN_GOW)
    own = site.get(f"{address}steps/3/?rules=tien-gow/classic@1&as=auditor")
    assert own.status_code == 200
    other = site.get(f"{address}steps/3/?rules=tien-gow/helic@1")
    assert other.headers["Location"] == f"{address}what-if/?rules=tien-gow/helic@1"
    assert site.get(f"{address}steps/3/?rules=tien-gow/helic@1&as=seat-1").status_code == 404


@pytest.mark.parametrize("hands", [1, 3])
def test_query_counts_do_not_grow(site, store, hands):
    store(*(with_id(number) for number in range(hands)))
    pk = Hand.objects.latest("pk").pk
    site.get(f"/hands/{pk}/what-if/")
    with CaptureQueriesContext(connection) as queries:
        site.get(f"/hands/{pk}/what-if/")
    assert len(queries) == COUNT


COUNT = WHO_ASKS + JOURNAL + 9


def with_id(number):
    return changed(TIEN_GOW, hand_id=f"what-{number}")


def test_the_bisect_finds_a_ruleset_that_was_handed_in(site, at, django_user_model):
    """Under none of the shipped rules is this log right; under one published later it is."""
    line = HALF_UP.read_bytes().strip()
    address = at(line)
    named = replay.read(line).hand.ruleset
    found = re.compile(r'"([^"]*)"><bdi>([^<]*)</bdi>(?:(?!</tr>).)*chip-clean', re.S)

    def right():
        html = site.get(f"{address}what-if/").content.decode()
        body = html[html.index('id="bisect"') :]
        return [name for _, name in found.findall(body)]

    assert right() == []
    author = access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)
    approver = access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)
    other = revision(7, of=named, rake_round='"half_up"')
    draft = add(author, other)
    assert right() == []
    approve_ruleset(
        access=approver, revision_pk=draft, reason="agreed", unrehearsed_reason="a test"
    )
    name = f"{named.partition('@')[0]}@7"
    assert right() == [name]
    # Tried from there the log is right, too, and the record stays as it was.
    html = site.get(f"{address}what-if/?rules={name}").content.decode()
    assert "would change" in html
    assert replay.read(site.get(f"{address}record").content.strip()).hand.ruleset == named
