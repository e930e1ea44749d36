"""PostgreSQL and Valkey under a supervisor: what `up` and the tests both start first."""

from __future__ import annotations

import os
from pathlib import Path

from audit.devstack import broker, postgres
from audit.devstack.supervisor import Supervisor


def start_services(supervisor: Supervisor, *, is_throwaway: bool = False) -> dict[str, str]:
    """Start what the environment does not name, and give both addresses as variables."""
    return {
        "DATABASE_URL": os.environ.get("DATABASE_URL") or start_postgres(supervisor, is_throwaway),
        "BROKER_URL": os.environ.get("BROKER_URL") or start_broker(supervisor),
    }


def start_postgres(supervisor: Supervisor, is_throwaway: bool) -> str:
    server = postgres.embedded_postgres(supervisor.state, is_throwaway=is_throwaway)
    postgres.prepare_data(server)
    supervisor.start(
        "PostgreSQL",
        server.command,
        stop=postgres.STOP,
        env=postgres.server_env(),
        cwd=Path("/"),
        account=server.account,
        log=supervisor.log_of("PostgreSQL"),
    )
    supervisor.wait_ready("PostgreSQL", lambda: server.is_ready, seconds=60)
    postgres.create_database(server)
    return server.url


def start_broker(supervisor: Supervisor) -> str:
    server = broker.embedded_broker(supervisor.state)
    supervisor.start(
        "Valkey",
        server.command,
        stop=broker.STOP,
        env=dict(os.environ),
        cwd=server.home,
        log=supervisor.log_of("Valkey"),
    )
    supervisor.wait_ready("Valkey", lambda: server.is_ready, seconds=60)
    return server.url
