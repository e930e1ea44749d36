"""The embedded PostgreSQL: data folders that are whole, and servers that a killed run left."""

import os

import psycopg
import pytest

from audit.devstack import postgres
from audit.devstack.errors import StackError
from audit.devstack.processes import look
from audit.devstack.services import start_services
from audit.devstack.supervisor import Supervisor, reap

pytestmark = pytest.mark.usefixtures("no_services")


@pytest.fixture
def server(state):
    return postgres.embedded_postgres(state, is_throwaway=True)


def test_an_interrupted_initdb_is_begun_anew(server):
    draft = server.home / "data.making"
    draft.mkdir()
    (draft / "half").touch()
    postgres.prepare_data(server)
    assert (server.data / "PG_VERSION").exists()
    assert not draft.exists()


def test_a_half_made_data_folder_is_one_sentence(server):
    server.data.mkdir()
    with pytest.raises(StackError, match="is only half there"):
        postgres.prepare_data(server)


def test_data_of_another_version_says_how_to_move_it(server):
    server.data.mkdir()
    (server.data / "PG_VERSION").write_text("14\n")
    with pytest.raises(StackError, match=r"PostgreSQL 14's .* set TILECOURT_PG_BIN .* pg_dump"):
        postgres.prepare_data(server)


def test_missing_programs_are_one_sentence(state, monkeypatch):
    monkeypatch.setenv("TILECOURT_PG_BIN", str(state))
    with pytest.raises(StackError, match="holds no initdb and postgres"):
        postgres.embedded_postgres(state)


def test_the_services_start_stop_and_leave_nothing(state):
    supervisor = Supervisor(state)
    services = start_services(supervisor, is_throwaway=True)
    pids = [known.pid for known, _ in supervisor.running]
    with psycopg.connect(services["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert [known.name for known, _ in supervisor.running] == ["PostgreSQL", "Valkey"]
    supervisor.stop_all()
    assert [look(pid) for pid in pids] == [None, None]
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(services["DATABASE_URL"])


def test_a_server_that_was_never_written_down_is_found_by_its_data(state, server):
    lost = Supervisor(state)
    start_services(lost, is_throwaway=True)
    (state / "processes.json").unlink()
    postgres.prepare_data(server)
    assert lost.process("PostgreSQL").wait() == 0
    assert not (server.data / "postmaster.pid").exists()
    lost.stop_all()


def test_a_pid_file_with_another_process_s_number_harms_nobody(state, server):
    postgres.prepare_data(server)
    (server.data / "postmaster.pid").write_text(f"{os.getpid()}\n")
    supervisor = Supervisor(state)
    start_services(supervisor, is_throwaway=True)
    supervisor.stop_all()
    assert reap(state) == []


def test_addresses_in_the_environment_start_nothing(state, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql:///elsewhere")
    monkeypatch.setenv("BROKER_URL", "redis://elsewhere/0")
    supervisor = Supervisor(state)
    assert start_services(supervisor) == {
        "DATABASE_URL": "postgresql:///elsewhere",
        "BROKER_URL": "redis://elsewhere/0",
    }
    assert supervisor.running == []


def test_the_same_copy_that_another_made_meanwhile_is_used_and_left(state, monkeypatch):
    """Several launchers that start at once each copy; an older version's copy goes away."""
    shared, package = state / "shared", state / "found" / "embedded_postgres"
    binaries = package / "pginstall" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "postgres").write_text("program")
    monkeypatch.setattr(postgres, "SHARED", shared)
    first = postgres.copy_binaries(binaries)
    made = first.parents[2]
    old = made.with_name(made.name.rpartition("-")[0] + "-old")
    old.mkdir()
    set_aside = made.rename(state / "by another")

    def ends_first(*_, **__):
        set_aside.rename(made)
        (made / "his").touch()

    monkeypatch.setattr(postgres.subprocess, "run", ends_first)
    assert postgres.copy_binaries(binaries) == first
    assert sorted(path.name for path in shared.iterdir()) == [made.name]
    assert (made / "his").exists()
