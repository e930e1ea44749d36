"""What `manage.py doctor` finds: one sentence for each thing that may be wrong, and what to do."""

from __future__ import annotations

import enum
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Min, Q, Sum
from django.utils import timezone

import replay
from audit.models import Chunk, ChunkState, RulesetRevision, TableTouch, Upload, UploadState
from audit.selectors.diagnosis_evidence import seal_sentence, seal_trouble, software_trouble
from audit.selectors.partitions import partition_trouble, unguarded
from audit.selectors.references import missing_references
from audit.selectors.rulesets import current_rulesets, file_rulesets
from audit.selectors.vitals import broker_trouble, database_trouble, first_line, live_workers

POSTGRES_MIN = 14
SKEW_MAX = timedelta(seconds=5)
FREE_BYTES_MIN = 2 * 1024**3
FREE_SHARE_MIN = 0.05
# The sweeper queues a chunk again that is ten minutes old; one that is older was not swept.
STUCK_AFTER = timedelta(minutes=12)
SILENT_AFTER = timedelta(minutes=65)
FAILED_WITHIN = timedelta(days=1)
# Of each table, so that the doctor stays quick in a large store.
ROWS_LOOKED_AT = 50_000
GIB = 1024**3


class Level(enum.Enum):
    """`WARNING` wants a look, `TROUBLE` keeps the service from its work."""

    GOOD = "good"
    WARNING = "warning"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at; `sentence` says what was found and, unless good, what to do."""

    about: str
    level: Level
    sentence: str


def examine() -> Iterator[Check]:
    """Look at everything, one after the other; never raises for what is found."""
    trouble = database_trouble()
    if trouble is None:
        yield _database()
    else:
        yield _bad("database", f"The database does not answer ({trouble}): start it, or mend"
                   " DATABASE_URL.")  # fmt: skip
    trouble_of_broker = broker_trouble()
    yield _broker(trouble_of_broker)
    if trouble_of_broker is None:
        yield _workers()
    yield _rulesets(is_database_there=trouble is None)
    if trouble is None:
        migrations = _migrations()
        yield migrations
        yield _clock()
        if migrations.level is Level.GOOD:
            yield _chunks()
            yield _tables()
            yield _receiving()
            yield _references()
            yield _partitions()
            yield _seals()
            yield _software()
    yield from _disks(is_database_there=trouble is None)


def _good(about: str, sentence: str) -> Check:
    return Check(about=about, level=Level.GOOD, sentence=sentence)


def _odd(about: str, sentence: str) -> Check:
    return Check(about=about, level=Level.WARNING, sentence=sentence)


def _bad(about: str, sentence: str) -> Check:
    return Check(about=about, level=Level.TROUBLE, sentence=sentence)


def _counted(found: dict[str, Any], one: str, many: str) -> str:
    """The number that was found, with its words."""
    return f"{found['count']} {one if found['count'] == 1 else many}"


def _database() -> Check:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        version = str(cursor.fetchone()[0])
    major = int(version.split(".", 1)[0].split(" ", 1)[0])
    if major < POSTGRES_MIN:
        return _bad("database", f"The database is PostgreSQL {version}:"
                    f" move to {POSTGRES_MIN} or newer.")  # fmt: skip
    return _good("database", f"The database answers (PostgreSQL {version}).")


def _broker(trouble: str | None) -> Check:
    if trouble is None:
        return _good("broker", "The broker answers.")
    return _bad("broker", f"The broker does not answer ({trouble}): start it, or mend BROKER_URL;"
                " what is received meanwhile waits in the database.")  # fmt: skip


def _workers() -> Check:
    names = live_workers()
    if not names:
        return _bad("workers", "No worker answers: start one, or look into its log.")
    word = "worker answers" if len(names) == 1 else "workers answer"
    return _good("workers", f"{len(names)} {word}: {', '.join(names)}.")


def _rulesets(*, is_database_there: bool) -> Check:
    """Those of files, and of a database that has their table those that were published."""
    table = RulesetRevision._meta.db_table  # noqa: SLF001 - it is public
    is_stored = is_database_there and table in connection.introspection.table_names()
    try:
        count = len(current_rulesets() if is_stored else file_rulesets())
    except (replay.RulesetError, OSError) as error:
        return _bad("rulesets", f"The rulesets cannot be read ({first_line(error)}):"
                    " mend or take back the file.")  # fmt: skip
    return _good("rulesets", f"{count} rulesets are at hand.")


def _migrations() -> Check:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return _good("migrations", "The tables are those of this version.")
    first = f"{plan[0][0].app_label}.{plan[0][0].name}"
    count = "1 migration is" if len(plan) == 1 else f"{len(plan)} migrations are"
    return _bad("migrations", f"{count} not applied, {first} first: run manage.py migrate.")


def _clock() -> Check:
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        there: datetime = cursor.fetchone()[0]
    after = timezone.now()
    skew = max(before - there, there - after, timedelta(0))
    if skew > SKEW_MAX:
        return _bad("clock", f"This machine's clock and the database's differ by"
                    f" {skew.total_seconds():.1f} s: let both follow a time server,"
                    " for leases are counted in seconds.")  # fmt: skip
    return _good("clock", f"The clocks agree to {max(skew, after - before).total_seconds():.3f} s.")


def _chunks() -> Check:
    now = timezone.now()
    stuck = Q(state__in=[ChunkState.QUEUED, ChunkState.RUNNING], queued_at__lt=now - STUCK_AFTER)
    stuck &= Q(due_at__lt=now) & ~Q(upload__state=UploadState.RECEIVING)
    found = Chunk.objects.filter(stuck).aggregate(count=Count("id"), first=Min("upload_id"))
    if found["count"]:
        words = _counted(found, "chunk lies", "chunks lie")
        return _bad("chunks", f"{words} still, upload {found['first']} first:"
                    " see that beat and the workers run, then manage.py sweep.")  # fmt: skip
    failed = Chunk.objects.filter(
        state=ChunkState.FAILED, upload__finished_at__gt=now - FAILED_WITHIN
    ).aggregate(count=Count("id"), first=Min("upload_id"))
    if failed["count"]:
        words = _counted(failed, "chunk", "chunks")
        return _odd("chunks", f"{words} failed for good in the last day,"
                    f" upload {failed['first']} first: its page and the workers' log say"
                    " why.")  # fmt: skip
    aside = Upload.objects.filter(
        failed_count__gt=0, finished_at__gt=now - FAILED_WITHIN
    ).aggregate(count=Sum("failed_count"), first=Min("id"))
    if aside["count"]:
        words = _counted(aside, "line was", "lines were")
        return _odd("chunks", f"{words} set aside through a fault of ours in the last day,"
                    f" upload {aside['first']} first: its page says why.")  # fmt: skip
    waiting = Chunk.objects.filter(state__in=[ChunkState.QUEUED, ChunkState.RUNNING]).count()
    return _good("chunks", f"No chunk lies still ({waiting} are open).")


def _tables() -> Check:
    """Whether hands wait too long to be compared with the ones before them at their tables."""
    ended = ~Q(upload__state__in=[UploadState.RECEIVING, UploadState.QUEUED, UploadState.RUNNING])
    stuck = TableTouch.objects.filter(ended, queued_at__lt=timezone.now() - STUCK_AFTER)
    found = stuck.aggregate(count=Count("table", distinct=True), first=Min("table__name"))
    if found["count"]:
        words = _counted(found, "table waits", "tables wait")
        return _bad("tables", f"{words} to be compared, {found['first']!r} among them: see that"
                    " beat and the workers run, then manage.py sweep.")  # fmt: skip
    waiting = TableTouch.objects.values("table").distinct().count()
    return _good("tables", f"No table waits too long to be compared ({waiting} wait).")


def _receiving() -> Check:
    silent = Upload.objects.filter(
        state=UploadState.RECEIVING, touched_at__lt=timezone.now() - SILENT_AFTER
    ).aggregate(count=Count("id"), first=Min("id"))
    if silent["count"]:
        words = _counted(silent, "upload has", "uploads have")
        return _odd("uploads", f"{words} been silent for over an hour,"
                    f" {silent['first']} first: see that beat runs, or manage.py"
                    " sweep.")  # fmt: skip
    return _good("uploads", "No upload is stuck half-way.")


def _references() -> Check:
    """Whether rows name what is not there, where the database itself does not check it."""
    missing = [one for one in missing_references(newest=ROWS_LOOKED_AT) if one.rows]
    if missing:
        first = missing[0]
        return _bad("references", f"{first.rows} rows of {first.table}, {first.first} first, name"
                    f" in {first.column} what is not there: restore the store from its"
                    " backup.")  # fmt: skip
    return _good("references", f"The newest {ROWS_LOOKED_AT} rows of each table name what is"
                 " there.")  # fmt: skip


def _partitions() -> Check:
    """Whether what comes has a month to lie in, and each month the guards of its table."""
    trouble = partition_trouble(timezone.now().date())
    if trouble is None:
        return _good("partitions", "Months stand ready for what comes.")
    return _bad("partitions", trouble) if unguarded() else _odd("partitions", trouble)


def _seals() -> Check:
    trouble = seal_trouble()
    return _good("seals", seal_sentence()) if trouble is None else _bad("seals", trouble)


def _software() -> Check:
    trouble = software_trouble()
    if trouble is not None:
        return _bad("software", trouble)
    return _good("software", "No look at the software found it to differ from what was accepted.")


def _disks(*, is_database_there: bool) -> Iterator[Check]:
    """This machine's disks: that of the state folder, of temporary files, of a database beside."""
    places = {"state folder": Path(settings.STATE), "temporary files": Path(tempfile.gettempdir())}
    if is_database_there and (data := _data_folder()) is not None:
        places["database"] = data
    for name, path in places.items():
        if (found := _standing(path)) is not None:
            yield _disk(name, found)


def _data_folder() -> Path | None:
    """The database's folder where it is on this machine and we may know it."""
    if not str(connection.settings_dict["HOST"]).startswith("/"):
        return None
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('data_directory', true)")
            told = cursor.fetchone()[0]
    except DatabaseError:
        return None
    return Path(told) if told else None


def _standing(path: Path) -> Path | None:
    """The path or the nearest folder above it that we can look at."""
    for found in (path, *path.parents):
        try:
            if found.exists():
                return found
        except OSError:
            continue
    return None


def _disk(name: str, path: Path) -> Check:
    usage = shutil.disk_usage(path)
    words = f"{usage.free / GIB:.1f} GiB of {usage.total / GIB:.1f} GiB are free for the {name}"
    if usage.free < FREE_BYTES_MIN or usage.free < usage.total * FREE_SHARE_MIN:
        return _bad("disk", f"Only {words} ({path}): make room or move it.")
    return _good("disk", f"{words} ({path}).")
