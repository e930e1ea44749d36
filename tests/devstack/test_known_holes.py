"""Known holes in dependencies fail the check; a machine that can ask nobody says so."""

import json

from audit.devstack import known_holes

CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
HOLE = {
    "name": "urllib3",
    "version": "1.0",
    "vulns": [{"id": "GHSA-1", "fix_versions": ["2.0"]}, {"id": "GHSA-2", "fix_versions": []}],
}
UNSEEN = {"name": "vine", "skip_reason": "vine (5.1.0) could not be audited"}


def answer(*entries):
    return json.dumps({"dependencies": entries})


def test_nothing_found_is_good():
    assert known_holes.report("base", answer(CLEAN), "") == (
        ["base: 1 packages, no hole is known."],
        True,
    )


def test_each_hole_is_named_with_the_release_that_mends_it():
    assert known_holes.report("base", answer(CLEAN, HOLE), "") == (
        [
            "base: urllib3 1.0: GHSA-1 (mended in 2.0)",
            "base: urllib3 1.0: GHSA-2 (mended in no release)",
        ],
        False,
    )


def test_a_package_that_was_not_looked_at_is_not_called_good():
    assert known_holes.report("export", answer(UNSEEN), "") == (
        ["export: vine (5.1.0) could not be audited"],
        False,
    )


def test_a_failure_of_the_tool_is_a_failure():
    assert known_holes.report("base", "", "Traceback\nboom\n") == (
        ["base: pip-audit failed: boom"],
        False,
    )


def test_nobody_to_ask_is_said_and_fails_nothing(monkeypatch, capsys):
    monkeypatch.setattr(known_holes, "SERVICE", "https://localhost:1/v1/query")
    assert known_holes.main() == 0
    assert capsys.readouterr().out.startswith("Skipped: https://localhost:1/v1/query cannot be")
