"""A bundle that was made long ago still verifies: another report or steps need another format.

It holds a hand of banker Pai Gow with two versions, a restatement, the hand before it and findings
of both kinds. Where this fails, do not make it anew: raise `REPORT_FORMAT` or `STEPS_FORMAT`, and
keep another bundle beside it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from replay.evidence import PublicKey, verify_bundle
from replay.evidence.archive import members_by_directory, members_by_headers, pack
from replay.evidence.command import told, verify_files
from replay.verdict import ENGINE

BUNDLE = Path(__file__).with_name("bundle-1.zip")
KEY = PublicKey.parse(
    "tilecourt/2a0ddebddc1f9a15+22130663+AacvOUU40914JRQ2LlQMV9ljrfZTu7lVD/cG1wHLU1rN"
)


def test_it_is_accepted():
    verified = verify_bundle(BUNDLE.read_bytes(), [KEY])
    assert verified.problems == ()
    assert verified.signer == KEY
    if ENGINE == "1.0.0":
        assert verified.notes == ()
    else:
        assert any("1.0.0" in note for note in verified.notes)


def test_both_ways_to_its_members_agree_and_give_its_bytes():
    data = BUNDLE.read_bytes()
    members = members_by_headers(data)
    assert members == members_by_directory(data)
    assert pack(members) == data


def test_without_a_key_its_own_is_named_to_be_compared():
    verified = verify_bundle(BUNDLE.read_bytes())
    assert verified.is_accepted
    assert verified.is_own_key
    assert told("x", verified)[-1].startswith("  note   the key came with the bundle")


def test_the_worst_of_several_is_the_exit_status(tmp_path):
    said: list[str] = []
    spoilt = tmp_path / "spoilt.zip"
    data = bytearray(BUNDLE.read_bytes())
    data[700] ^= 4
    spoilt.write_bytes(data)
    assert verify_files([str(BUNDLE)], [KEY], said.append) == 0
    assert verify_files([str(spoilt), str(BUNDLE)], [KEY], said.append) == 1
    assert verify_files([str(tmp_path), str(spoilt)], [], said.append) == 2
    assert said[0] == f"{BUNDLE}: accepted"
    assert f"{spoilt}: NOT ACCEPTED" in said


@pytest.mark.parametrize("size", [0, 1, 3, 21, 22, 30, 100, 1000, 20_000, 51_000])
def test_a_file_that_was_cut_off_is_never_accepted(size):
    assert not verify_bundle(BUNDLE.read_bytes()[:size]).is_accepted
