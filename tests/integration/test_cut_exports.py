"""Large tables over the wire: whole, in bounded memory, and cut when the store is lost."""

from __future__ import annotations

import http.client
import io
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pyarrow import parquet

from audit import services
from audit.devstack.supervisor import Supervisor
from audit.models import Chunk, Hand
from audit.selectors.exports_bulk import ROWS_A_GROUP, check_lines
from audit.selectors.exports_sheet import SheetBroken, check_sheet
from tests.access import trusted
from tests.audit.logs import B, log
from tests.integration.web import PATIENCE_SECONDS, Web, memory_peak

pytestmark = pytest.mark.integration

HANDS = 50_000
CUT_AT = 20_000
ADDRESS = "/api/v1/exports/hands.csv"
# What a form is read by, and how many rows it has.
READERS: dict[str, Callable[[bytes], int]] = {
    "csv": lambda data: check_sheet(io.BytesIO(data)).rows,
    "ndjson": lambda data: check_lines(data.splitlines(keepends=True)),
    "parquet": lambda data: int(parquet.read_metadata(io.BytesIO(data)).num_rows),
}
MEMORY_GROWTH_MAX = 32 << 20

# So many hands beside the stored one, which share its record and its verdict.
COPIES = """
INSERT INTO audit_hand (source, hand_id, version_id, verdict_id, game, ruleset, "table", players,
    played_at, played_on, started_at, currency, minor_digits, verdict_kind, error_code,
    finding_codes, finding_count, is_conflict)
SELECT source, 'copy-' || number, version_id, verdict_id, game, ruleset, "table", players,
    played_at + number * interval '1 second', played_on, started_at, currency, minor_digits,
    verdict_kind, error_code, finding_codes, finding_count, is_conflict
FROM audit_hand, generate_series(1, %s) AS number
"""
# Everyone else's connection to this database.
TERMINATE = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


@pytest.fixture
def web(transactional_db: Any) -> Iterator[Web]:
    supervisor = Supervisor(Path(os.environ["TILECOURT_HOME"], f"web-{os.getpid()}"))
    yield Web(supervisor)
    supervisor.stop_all()


@pytest.fixture
def headers(transactional_db: Any, django_user_model: Any) -> dict[str, str]:
    trusted(django_user_model.objects.create_user("feed"))
    return {"Authorization": f"Bearer {services.create_token(name='feed', days=1).token}"}


@pytest.fixture
def many_hands(transactional_db: Any) -> None:
    services.receive_upload(name="b.ndjson", stream=io.BytesIO(log(B)))
    assert services.judge_chunk(chunk_id=Chunk.objects.get().pk) is None
    with connection.cursor() as cursor:
        cursor.execute(COPIES, [HANDS - 1])
    assert Hand.objects.count() == HANDS


@pytest.mark.parametrize("form", READERS)
def test_a_large_table_is_whole_and_memory_stays(
    web: Web, headers: dict[str, str], many_hands: None, form: str
) -> None:
    """Five times as many rows as before take no more memory, whatever the form."""
    address, rows_of = f"/api/v1/exports/hands.{form}", READERS[form]
    status, _, data = web.ask("GET", f"{address}?q=copy-1", **headers)
    assert status == 200
    # More than Parquet writes at once.
    assert ROWS_A_GROUP < rows_of(data) < HANDS / 4
    (worker,) = web.workers()
    before = memory_peak(worker)
    status, named, data = web.ask("GET", address, **headers)
    assert (status, named["Transfer-Encoding"]) == (200, "chunked")
    assert rows_of(data) == HANDS
    if form != "parquet":
        assert len(data) > HANDS * 150
    assert memory_peak(worker) - before < MEMORY_GROWTH_MAX


def test_svc_72_a_table_that_loses_the_store_does_not_end_as_a_whole_one(
    web: Web, headers: dict[str, str], many_hands: None
) -> None:
    line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE_SECONDS)
    # With little room on the way the server waits for whoever reads, however long that takes.
    line.sock = socket.socket()
    line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    line.sock.settimeout(PATIENCE_SECONDS)
    line.sock.connect(("127.0.0.1", web.port))
    line.request("GET", ADDRESS, headers=headers)
    answer = line.getresponse()
    data = b""
    while data.count(b"\r\n") < CUT_AT:
        data += answer.read(64 * 1024)
    with connection.cursor() as cursor:
        cursor.execute(TERMINATE)
        assert cursor.fetchone()[0] >= 1
    with pytest.raises(http.client.IncompleteRead) as cut:
        answer.read()
    line.close()
    data += cut.value.partial
    assert CUT_AT <= data.count(b"\r\n") < HANDS
    with pytest.raises(SheetBroken, match="was cut"):
        check_sheet(io.BytesIO(data))
    # The next one is whole again.
    assert check_sheet(io.BytesIO(web.ask("GET", ADDRESS, **headers)[2])).rows == HANDS
