"""`manage.py reaudit`: what it prints, what it leaves, how it exits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit import services
from audit.management.commands import reaudit as reaudit_command
from audit.models import Reaudit
from audit.selectors.rulesets import forget_rulesets
from audit.services.reauditing import work_on_reaudit
from tests.audit.logs import B, changed, log
from tests.audit.reauditing import OTHER, engine, know, many, without_rake, write_revision
from tests.audit.test_commands import run

WHY = ("--reason", "a test")


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


@pytest.fixture
def meanwhile(db: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Do something whenever the command sleeps; a worker's piece of work unless told otherwise."""

    def work() -> None:
        for job in Reaudit.objects.values_list("pk", flat=True):
            work_on_reaudit(reaudit_id=job)

    def do(something: Callable[[], None]) -> None:
        monkeypatch.setattr(reaudit_command.time, "sleep", lambda _: something())

    do(work)
    return do


def test_nothing_changed_is_status_0(ingest, meanwhile) -> None:
    ingest(log(B))
    status, out = run("reaudit", "--all", *WHY)
    job = Reaudit.objects.get()
    assert (status, out) == (
        0,
        f"Re-audit {job.pk}: 1 of 1 judged again: 1 confirmed; 0 flipped, 0 judged otherwise\n",
    )


def test_flipped_is_status_1_and_told(ingest, meanwhile, settings, tmp_path) -> None:
    ingest(log(*many(3)))
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    User.objects.create_user("ines.castro")
    status, out = run(
        "reaudit", "--where", "verdict=clean", "--ruleset", name, "--by", "ines.castro", *WHY
    )
    job = Reaudit.objects.get()
    assert status == 1
    assert out.splitlines() == [
        f"Re-audit {job.pk}: 3 of 3 judged again: 3 rehearsed; 3 flipped, 3 judged otherwise",
        "  3 × clean → discrepant rake-mismatch",
        "  CNY: net -15.00 → -18.00, rake 15.00 → 18.00, valid bet 600.00 → 600.00",
    ]
    assert job.requested_by is not None
    assert (job.requested_by.username, job.filter) == ("ines.castro", {"verdict": "clean"})


def test_set_aside_is_status_2(ingest, meanwhile, settings, tmp_path) -> None:
    name = write_revision(tmp_path)
    know(settings, tmp_path)
    ingest(log(B, changed(B, hand_id="gone", ruleset=name)))
    know(settings)
    status, out = run("reaudit", "--all", *WHY)
    assert status == 2
    assert "1 confirmed, 1 set aside" in out


def test_refused_lines_are_told(ingest, meanwhile, settings, tmp_path) -> None:
    ingest(log(changed(B, ruleset=OTHER), changed(B, hand_id="x", ruleset="nowhere@9")))
    write_revision(tmp_path)
    know(settings, tmp_path)
    status, out = run("reaudit", "--all", "--refused-lines", "waiting", *WHY)
    assert status == 0
    assert "1 refused lines that are hands now, 1 still refused" in out


def test_ctrl_c_stops_it_and_resume_goes_on(ingest, meanwhile, settings, capsys) -> None:
    settings.TILECOURT_REAUDIT_BATCH_MAX = 2
    with engine("0.9.0", without_rake):
        ingest(log(*many(6)))
    steps = iter(range(4))

    def interrupt() -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        work_on_reaudit(reaudit_id=Reaudit.objects.get().pk)

    meanwhile(interrupt)
    status, _ = run("reaudit", "--all", *WHY)
    job = Reaudit.objects.get()
    assert (status, job.state, job.done_count) == (130, "stopped", 4)
    assert f"manage.py reaudit --resume {job.pk}" in capsys.readouterr().err
    meanwhile(lambda: work_on_reaudit(reaudit_id=job.pk) and None)
    status, out = run("reaudit", "--resume", str(job.pk))
    assert status == 1
    assert out.startswith(f"Re-audit {job.pk}: 6 of 6 judged again: 6 new verdicts;")


def test_ctrl_c_may_leave_it_running(ingest, meanwhile, capsys) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    ingest(log(B))
    meanwhile(interrupt)
    status, _ = run("reaudit", "--all", "--leave-running", *WHY)
    job = Reaudit.objects.get()
    assert (status, job.state) == (130, "gathering")
    assert f"the workers go on with re-audit {job.pk}" in capsys.readouterr().err


def test_no_wait_and_stop(ingest, meanwhile) -> None:
    ingest(log(B))
    status, out = run("reaudit", "--all", "--no-wait", *WHY)
    job = Reaudit.objects.get()
    assert (status, out) == (0, f"Re-audit {job.pk} is under way.\n")
    assert run("reaudit", "--stop", str(job.pk)) == (0, f"Re-audit {job.pk} stopped.\n")
    assert run("reaudit", "--stop", str(job.pk)) == (0, f"Re-audit {job.pk} was not under way.\n")


def test_one_that_another_stops_is_status_3(ingest, meanwhile) -> None:
    ingest(log(B))
    meanwhile(lambda: services.stop_reaudit(reaudit_id=Reaudit.objects.get().pk) and None)
    status, out = run("reaudit", "--all", *WHY)
    assert (status, ": 0 of 0 judged again;" in out) == (3, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--all",), "Say why: the reason stays on record."),
        (WHY, "Say which hands: --all, --where KEY=VALUE or --named RULESET."),
        (("--all", "--where", "game=tien-gow", *WHY), "--all is every hand, which neither"),
        (("--all", "--named", "tien-gow/classic@1", *WHY), "--all is every hand, which neither"),
        (("--where", "table=a", "--where", "table=b", *WHY), "A filter is named once"),
        (("--where", "verdict", *WHY), "--where verdict is not KEY=VALUE."),
        (("--where", "a=b", *WHY), "There is no filter “a”"),
        (("--where", "game=x", *WHY), "The filter “game” is none of"),
        (("--all", "--ruleset", "x@1", *WHY), "The ruleset 'x@1' is not known here."),
        (("--all", "--by", "nobody", *WHY), "There is no active account nobody."),
        (("--resume", "7"), "There is no re-audit 7."),
        (("--stop", "7"), "There is no re-audit 7."),
    ],
)
def test_wrong_usage_is_status_64_with_a_sentence(
    db, capsys, words: tuple[str, ...], sentence: str
) -> None:
    status, _ = run("reaudit", *words)
    assert status == 64
    assert sentence in capsys.readouterr().err
    assert not Reaudit.objects.exists()
