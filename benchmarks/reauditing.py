"""One side of a bench of re-audits, in a process with Django: hands in, then judged again.

`python -m benchmarks.reauditing FEW FILE` stores FILE and prints as JSON the seconds of judging its
hands again, by the wall and of this process alone (what PostgreSQL does besides is in the first):
`written` under another engine's name, so that each gets a new verdict that becomes
current; `confirmed` once more, so that nothing is to be written; `rehearsed` with its results
beside; and `gathered`, the freezing of the batches before the first. FEW, a few hands of the source
`few`, go first: what a process loads for its first hands is not part of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, process_time
from typing import Any
from unittest import mock

import django
import msgspec

django.setup()

import replay  # noqa: E402 - Django must stand first
from audit import services  # noqa: E402
from audit.models import Hand, Reaudit  # noqa: E402
from benchmarks.ingesting import take  # noqa: E402

ENGINE = "bench"


Seconds = tuple[float, float]


def main(few: Path, log: Path) -> dict[str, Seconds]:
    """The seconds of each part."""
    for path in (few, log):
        take(path, is_alone=True)
    with mock.patch("audit.services.queueing._queue"):
        # The one that they name: under another each hand would be searched for explanations, too.
        ruleset = str(Hand.objects.values_list("ruleset", flat=True)[0])
        source = str(Hand.objects.exclude(source="few").values_list("source", flat=True)[0])
        with _engine("warm"):
            _again({"source": "few"})
            _again({"source": "few"}, ruleset=ruleset)
        with _engine(ENGINE):
            gathered, written = _again({"source": source})
            _, confirmed = _again({"source": source})
            _, rehearsed = _again({"source": source}, ruleset=ruleset)
    return {
        "gathered": gathered,
        "written": written,
        "confirmed": confirmed,
        "rehearsed": rehearsed,
    }


def _again(query: dict[str, str], *, ruleset: str = "") -> tuple[Seconds, Seconds]:
    """The seconds of gathering and of judging."""
    start = _now()
    job = services.open_reaudit(
        user=None, sources=None, reason="a bench", query=query, ruleset=ruleset
    )
    _work(job)
    middle = _now()
    _work(job)
    end = _now()
    done = Reaudit.objects.get(pk=job)
    assert (done.state, done.aside_count) == ("done", 0), done.error
    return _between(start, middle), _between(middle, end)


def _now() -> Seconds:
    return monotonic(), process_time()


def _between(start: Seconds, end: Seconds) -> Seconds:
    return end[0] - start[0], end[1] - start[1]


def _work(job: int) -> None:
    while services.work_on_reaudit(reaudit_id=job) is not None:
        pass


@contextmanager
def _engine(name: str) -> Iterator[None]:
    """Judge by an engine of another name, which makes other verdicts of the same hands."""
    sound = replay.audit_line

    def audit_line(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        audited = sound(line, *args, **options)
        verdict = msgspec.structs.replace(audited.verdict, engine=name)
        return msgspec.structs.replace(audited, verdict=verdict)

    with (
        mock.patch.object(replay, "audit_line", audit_line),
        mock.patch.object(replay, "ENGINE", name),
    ):
        yield


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.encode(main(Path(sys.argv[1]), Path(sys.argv[2]))).decode())
