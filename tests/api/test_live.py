"""The live server is asked everything that its description allows, and much that it does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit import services
from audit.devstack.supervisor import Supervisor
from audit.models import ApiToken, Chunk
from audit.services import desk
from tests.integration.web import ROOT, Web, environment
from tests.web.lines import BASE, PAI_GOW, changed, with_net

# What makes no sense beside what is stored is 400, too, however well it is formed: no schema can
# say which hand a player was in, or that a source is named for a feed alone.
SEED = "20261130"
CONFIG = """
hooks = "tests.api.wild"
[generation]
database = "none"
[[operations]]
include-operation-id = [
    "claim_lodge", "case_act", "reaudit_begin", "certificates_make", "upload", "export",
    "export_lines", "export_parquet",
]
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 422]
"""


@pytest.fixture
def web(transactional_db: Any) -> Iterator[Web]:
    supervisor = Supervisor(Path(os.environ["TILECOURT_HOME"], f"wild-{os.getpid()}"))
    unbounded = {
        "TILECOURT_API_KEY_PER_MINUTE": "1000000",
        "TILECOURT_API_ACCOUNT_PER_MINUTE": "1000000",
        "TILECOURT_WRONG_KEYS_MAX": "1000000",
    }
    try:
        yield Web(supervisor, **unbounded)
    finally:
        supervisor.stop_all()


def ask_wildly(web: Web, token: str, folder: Path, seconds: int, *further: str) -> None:
    """Raises: AssertionError with what was found."""
    config = folder / "schemathesis.toml"
    config.write_text(CONFIG)
    key = ApiToken.objects.get(prefix=token[:9]).pk
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")),
            *("--config-file", str(config), "run", f"http://127.0.0.1:{web.port}/api/schema/"),
            *("--header", f"Authorization: Bearer {token}", "--checks", "all"),
            # Python 3.11 parses in several threads at once to its own confusion.
            *("--max-time", str(seconds), "--workers", "1", "--no-color", "--max-failures", "20"),
            *("--request-timeout", "120", "--warnings", "off", *further),
        ],
        cwd=ROOT,
        env={**os.environ, "TILECOURT_WILD_KEY": str(key), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds + 240,
        check=False,
    )
    (folder / "told.txt").write_text(done.stdout)
    assert done.returncode == 0, done.stdout[-20_000:]


@pytest.fixture
def filled(stored: Any) -> None:
    """Something of everything: hands, a conflict, a case."""
    stored(*BASE, with_net(changed(PAI_GOW, hand_id="wrong"), 1, "-99.00"))
    stored(with_net(PAI_GOW, 1, "-99.00"), b"junk")
    assert desk.gather_cases().is_done
    assert not Chunk.objects.filter(state="queued").exists()


def test_the_first_five_minutes_go_as_they_are_written(
    web: Web, token: str, tmp_path: Path
) -> None:
    """Each command of the page, on a real server; the log is judged here."""
    page = (ROOT / "docs" / "api.md").read_text()
    block = page.partition("## In five minutes")[2].partition("```")[2].partition("```")[0]
    lines = [line for line in block.splitlines() if line.startswith("api ")]
    assert len(lines) == 8
    told = []
    for line in lines:
        command = line.replace(" figures.csv", f" {tmp_path}/figures.csv")
        if told:
            command = command.replace("uploads/1/", f"uploads/{told[0]['id']}/")
            command = command.replace("upload=1", f"upload={told[0]['id']}")
        if "hands/12/" in command:
            command = command.replace("hands/12/", f"hands/{told[3]['hands'][0]['id']}/")
        if "cursor=" in command:
            command = command.replace("cursor=bi4x…", f"cursor={told[3]['next'] or ''}")
        told.append(run_command(command, web, token))
        for chunk in Chunk.objects.filter(state="queued"):
            services.judge_chunk(chunk_id=chunk.pk)
    assert told[1]["state"] == "done"
    assert told[2]["hands"][0]["findings"]
    assert told[4]["verdict"] == "discrepant"
    assert [one["index"] for one in told[5]["events"]] == list(range(len(told[5]["events"])))
    assert told[7].startswith(f"{tmp_path}/figures.csv: whole, ")


def run_command(command: str, web: Web, token: str) -> Any:
    """What a command of the page prints, as JSON where it is that."""
    start = 'api() { curl -sS -H "Authorization: Bearer $KEY" "$@"; }\n'
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", start + command],
        cwd=ROOT,
        env={**environment(), "KEY": token, "SERVER": f"http://127.0.0.1:{web.port}"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, (command, done.stderr)
    return json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_minute_of_anything_finds_nothing(
    web: Web, token: str, filled: None, tmp_path: Path
) -> None:
    # The same minute each time: it tells whether a change broke something. The long run roams.
    ask_wildly(web, token, tmp_path, 60, "--seed", SEED)


@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_ten_minutes_of_anything_find_nothing(
    web: Web, token: str, filled: None, tmp_path: Path
) -> None:
    services.create_token(name="spare", days=1, account="feed")
    ask_wildly(web, token, tmp_path, 600)
