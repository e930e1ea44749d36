"""Where the state lives, and what is refused in one sentence."""

import os
import pwd
from pathlib import Path

import pytest

from audit.devstack import state as places
from audit.devstack.errors import StackError

CHECKOUT = Path("/srv/tilecourt")


@pytest.fixture
def bare(monkeypatch):
    for name in ("TILECOURT_HOME", "XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def home_of(checkout: Path) -> Path:
    return places.state_folder(checkout).parent


def test_the_first_of_three_variables_wins(bare):
    bare.setenv("HOME", "/home/a")
    assert home_of(CHECKOUT) == Path("/home/a/.local/state/tilecourt")
    bare.setenv("XDG_STATE_HOME", "/home/a/state")
    assert home_of(CHECKOUT) == Path("/home/a/state/tilecourt")
    bare.setenv("TILECOURT_HOME", "/data/t")
    assert home_of(CHECKOUT) == Path("/data/t")


def test_empty_and_relative_values_count_as_not_set(bare):
    home = Path(pwd.getpwuid(os.geteuid()).pw_dir).resolve()
    for value in ("", "here"):
        for name in ("TILECOURT_HOME", "XDG_STATE_HOME", "HOME"):
            bare.setenv(name, value)
        assert home_of(CHECKOUT) == home / ".local/state/tilecourt"


def test_two_checkouts_of_one_name_do_not_share_a_folder(bare):
    bare.setenv("TILECOURT_HOME", "/data")
    one = places.state_folder(Path("/srv/a/tilecourt"))
    other = places.state_folder(Path("/srv/b/tilecourt"))
    assert one != other
    assert one.name.startswith("tilecourt-")


def test_a_folder_inside_the_checkout_is_refused(bare):
    bare.setenv("TILECOURT_HOME", "/srv/tilecourt/state")
    with pytest.raises(StackError, match="inside the checkout"):
        places.state_folder(CHECKOUT)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StackError, match="set TILECOURT_HOME"):
        places.make_folder(tmp_path / "file" / "state")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_refused():
    with pytest.raises(StackError, match="set TILECOURT_HOME"):
        places.make_folder(Path("/usr/tilecourt"))


def test_a_socket_path_is_short_wherever_the_state_is(state):
    near = places.socket_folder(state)
    assert near == state / "sockets"
    deep = state / ("deep" * 30)
    far = places.socket_folder(deep)
    try:
        assert len(os.fsencode(far / ".s.PGSQL.5432")) <= 103
        assert far == places.socket_folder(deep)
        assert far.stat().st_mode & 0o777 == 0o700
    finally:
        far.rmdir()


def test_a_socket_folder_that_another_made_first_is_refused(state):
    deep = state / ("deep" * 30)
    far = places.socket_folder(deep)
    far.rmdir()
    far.symlink_to(state)
    try:
        with pytest.raises(StackError, match="another user's"):
            places.socket_folder(deep)
    finally:
        far.unlink()


def test_services_are_private_and_a_broken_file_counts_as_none(state):
    assert places.read_services(state) == {}
    places.write_services(state, {"DATABASE_URL": "postgresql:///x"})
    assert places.read_services(state) == {"DATABASE_URL": "postgresql:///x"}
    assert (state / "services.json").stat().st_mode & 0o777 == 0o600
    (state / "services.json").write_text("{")
    assert places.read_services(state) == {}


def test_only_one_holds_the_lock(state):
    with places.only_one(state) as first, places.only_one(state) as second:
        assert (first, second) == (True, False)
    with places.only_one(state) as third:
        assert third
