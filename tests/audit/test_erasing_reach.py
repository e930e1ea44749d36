"""What an erasure reaches: every column that can hold a text is one, or it is said why not."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus, urlencode

import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models

from audit.models import LeafKind
from audit.selectors.erasures import REWRITTEN
from audit.selectors.sealed_rows import SEALED
from audit.services.erasing_free_texts import PLACES
from audit.services.erasing_words import Words

TOKEN = "#" + "0" * 40
# What is no person is called by these wherever it stands (ADR 10: names of hands, tables, sources
# and accounts are taken for no person's).
OF_NO_PERSON = {
    "code", "codes", "currency", "engine", "explained_by", "feed", "finding_codes", "game",
    "hand_id", "limited_to", "rule", "ruleset", "ruleset_id", "ruleset_sha256", "rulesets",
    "source", "sources", "started_at", "table",
}  # fmt: skip
# Rewritten by rules of their own, beside the leaves.
BY_ITSELF = {
    "audit_caseamount": {"player"},
    "audit_feeddrift": {"example"},
    "audit_hand": {"players"},
    "audit_namesalt": {"name"},
    "audit_player": {"name", "skeleton"},
    "audit_reaudit": {"filter"},
    "audit_reauditamount": {"player"},
    "audit_reauditresult": {"digest", "settlement"},
    "audit_rename": {"new_name", "old_name"},
    "audit_reportpart": {"content"},
    "audit_reportrun": {"parameters"},
    "audit_rowsalt": {"salt"},
    "audit_savedfilter": {"name", "query"},
    "audit_webhookdelivery": {"body"},
}
# Names of accounts and of what they made, secrets, and what the service makes of no names.
WITHOUT_NAMES = {
    "audit_acceptedsoftware": {"items", "sha256"},
    "audit_apitoken": {"acts", "name", "prefix", "sha256"},
    "audit_cause": {"key", "relation"},
    # Counted by the act where it holds the name: what is not judged yet becomes a hand.
    "audit_chunk": {"payload"},
    "audit_comparisonfinding": {"confidence", "expected", "logged", "message"},
    "audit_dayrule": {"time_zone"},
    # Of a verdict whose record is gone with its names.
    "audit_departedverdict": {"digest"},
    "audit_docket": {"contending_verdicts"},
    "audit_erasedrow": {"kept", "sha256"},
    "audit_erasure": {"counts", "left", "token"},
    "audit_feeddrift": {"field"},
    "audit_finding": {"confidence", "expected", "logged", "message"},
    "audit_gathermark": {"stream"},
    "audit_hand": {"contending", "contending_verdicts", "error_code"},
    "audit_holding": {"features", "nets"},
    "audit_journal": {"act", "actor"},
    "audit_namesalt": {"salt"},
    "audit_partialrecord": {"gaps"},
    "audit_passwordrecord": {"hash"},
    "audit_reaudit": {"named"},
    "audit_reauditbatch": {"rows"},
    "audit_reauditresult": {"code_before", "kind", "kind_before"},
    "audit_recoverycode": {"sha256"},
    "audit_refusal": {"place"},
    "audit_refusedminute": {"act"},
    "audit_replacement": {"name"},
    "audit_report": {
        "changes", "definition", "facts", "log_root", "pdf_maker", "software", "title",
    },
    "audit_reportpart": {"facts"},
    "audit_retentionbatch": {"items"},
    "audit_retentiondeletion": {"rows"},
    "audit_retentionrun": {"counts", "root"},
    "audit_review": {"facts"},
    # Published rules never change, and name nobody.
    "audit_rulesetrevision": {"content", "name", "sha256", "title"},
    "audit_rulesetswitch": {"sha256"},
    "audit_sealedleaf": {"hash"},
    "audit_sealnode": {"hash"},
    "audit_sealpending": {"rows"},
    "audit_secondstep": {"secret"},
    "audit_sharelink": {"prefix", "sha256", "viewpoint"},
    "audit_signin": {"name"},
    "audit_softwarecheck": {"differences", "process", "sha256"},
    "audit_staff": {"full_name", "title"},
    "audit_submission": {"key", "sender"},
    "audit_table": {"name"},
    "audit_treehead": {"note", "root"},
    "audit_upload": {"feed_facts"},
    "audit_visit": {"agent"},
    "audit_webhook": {"name", "secret", "url"},
}  # fmt: skip
TEXTS = (models.CharField, models.TextField, models.JSONField, models.BinaryField, ArrayField)


def bare(name: str) -> str:
    """The column of which a sum is taken."""
    return name.removeprefix("sha256(").rstrip(")").removeprefix("t.")


def named(columns: dict[str, set[str]]) -> set[str]:
    return {f"{table}.{name}" for table, names in columns.items() for name in names}


def test_every_column_of_texts_is_reached_or_known_to_name_nobody() -> None:
    """Whoever adds a text says here what an erasure does about it."""
    reached = {f"{place.table}.{name}" for place in PLACES for name in place.columns}
    reached |= {f"{SEALED[kind].table}.{bare(name)}" for kind, names in REWRITTEN.items()
                for name in names}  # fmt: skip
    known = reached | named(BY_ITSELF) | named(WITHOUT_NAMES)
    fields = [
        (f"{model._meta.db_table}.{field.column}", field.column)
        for model in apps.get_app_config("audit").get_models()
        for field in model._meta.local_fields
        if isinstance(field, TEXTS) and not field.choices
    ]
    every = {name for name, _ in fields}
    assert [name for name, column in fields if name not in known and
            column not in OF_NO_PERSON] == []  # fmt: skip
    assert known - every == set()
    assert reached & named(WITHOUT_NAMES) == set()


@pytest.mark.parametrize("kind", [kind for kind in SEALED if SEALED[kind].hidden])
def test_what_an_erasure_rewrites_of_a_leaf_is_under_its_commitment(kind: LeafKind) -> None:
    """Else the leaf would betray the name, or not fit its row any more."""
    sealed = SEALED[kind]
    fields = [one.strip() for one in sealed.fields.split(",")]
    hidden = {bare(fields[place]) for place in sealed.hidden}
    rewritten = {bare(name) for name in REWRITTEN[kind]}
    # A series of before was a hash; of refused lines the leaf has no bytes.
    assert rewritten - hidden <= {"series", "raw"}
    assert hidden - rewritten <= {"changes"}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("Ann", "Ann, Ann's; (Ann) ANN", f"{TOKEN}, {TOKEN}'s; ({TOKEN}) ANN"),
        ("Ann", "Announced by Joann; Ann\u0301a", "Announced by Joann; Ann\u0301a"),
        ("Ann", "agent_Ann Ann_2", f"agent_{TOKEN} {TOKEN}_2"),
        ("gold7", "gold77 gold7 7gold7", f"gold77 {TOKEN} 7gold7"),
        ("陳大文", "請問陳大文先生", f"請問{TOKEN}先生"),
        ("Nguyễn An", "Nguyễn An đã thắng", f"{TOKEN} đã thắng"),
        ("(x)", "a(x)b", f"a{TOKEN}b"),
        ("aa", "aaa aa", f"aaa {TOKEN}"),
        ("Q\"uote\\", "{\"a\": \"Q\\\"uote\\\\\"}", f"{{\"a\": \"{TOKEN}\"}}"),
        ("Åsa Öst", f"/hands/?player={quote_plus('Åsa Öst')}&x", f"/hands/?player={TOKEN}&x"),
        ("Åsa Öst", f"next=%3Fplayer%3D{quote('Åsa Öst')}", f"next=%3Fplayer%3D{TOKEN}"),
        ("Li", "%4ci", "%4ci"),
        ("Zoë", json.dumps(["Zoë"]), f"[\"{TOKEN}\"]"),
    ],
)  # fmt: skip
def test_a_name_goes_where_it_stands_as_a_whole_word(name: str, text: str, told: str) -> None:
    assert Words(name, TOKEN).told(text) == told


def test_keys_and_what_is_called_alike_are_no_person() -> None:
    words = Words("7", TOKEN)
    value = {"7": "7", "table": "7", "source": "7", "n": 7, "list": ["7", "17", None, True]}
    assert words.told_json(value) == {
        "7": TOKEN, "table": "7", "source": "7", "n": 7, "list": [TOKEN, "17", None, True],
    }  # fmt: skip


def test_a_list_that_was_asked_for_names_people_in_few_places() -> None:
    words = Words("T1", TOKEN)
    asked = {"player": "T1", "met": "T1", "q": "T1", "table": "T1", "from": "2025-03-01"}
    told = asked | {"player": TOKEN, "met": TOKEN, "q": TOKEN}
    assert words.told_query("a", asked) == told
    assert words.told_query("a", asked | {"source": "b"}) == asked | {"source": "b"}
    assert words.told_query("a", asked | {"source": "a"}) == told | {"source": "a"}
    assert words.told_address("a", urlencode(asked)) == urlencode(told)
    assert words.told_address("a", "table=T1&x=%20") == "table=T1&x=%20"


@pytest.mark.parametrize("text", ["Announced", "x%41nn", "Ann"])
def test_letters_of_a_name_are_noticed_also_in_a_longer_word(text: str) -> None:
    assert Words("Ann", TOKEN).stand_in(text) == ("Ann" in text)
