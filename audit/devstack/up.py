"""`dev.py up`: the whole service, from an empty state folder to a page that answers.

    PostgreSQL → Valkey → migrate → first account → static files → workers → web → sample logs

Ctrl-C, SIGTERM and a closed terminal end what was started, in the opposite order, and nothing else.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from audit.devstack.errors import StackError, StopRequested
from audit.devstack.processes import Stop
from audit.devstack.services import start_services
from audit.devstack.state import make_state, only_one, state_folder, write_services
from audit.devstack.supervisor import Interrupts, Supervisor, reap

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
STEP_STOP: Stop = ((signal.SIGTERM, 5.0),)
# A worker that is told to end finishes the task it has; the second signal drops the task, whose
# lease ends and which is then done again.
WORKER_STOP: Stop = ((signal.SIGTERM, 20.0), (signal.SIGQUIT, 5.0))
WEB_STOP: Stop = ((signal.SIGTERM, 12.0), (signal.SIGQUIT, 2.0))
WORKERS_MAX = 4


def say(text: str) -> None:
    # A closed terminal must not keep us from stopping what runs.
    with suppress(OSError):
        print(text, flush=True)


def up(port: int) -> int:
    """Run the service until it is told to stop; gives the exit status."""
    state = make_state(state_folder(ROOT))
    with only_one(state) as is_free:
        if not is_free:
            raise StackError(
                f"Another `dev.py up` of this checkout is already running (its data: {state})."
            )
        supervisor = Supervisor(state, Interrupts())
        supervisor.interrupts.install()
        if left := reap(state):
            say(f"Stopped what an earlier run had left behind: {', '.join(left)}.")
        check_port(port)
        try:
            Launch(supervisor, port).run()
            supervisor.watch()
        except StopRequested:
            say("")
        finally:
            supervisor.stop_all(say)
            reap(state)
    say("Everything that was started has stopped.")
    return 0


def check_port(port: int) -> None:
    """See that the port is free before anything is started on its account."""
    with socket.socket() as probe:
        # As gunicorn does: a port whose last connections are still closing counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise StackError(
                f"Port {port} on {HOST} cannot be used ({error.strerror}):"
                " stop the program that has it, or choose another with --port."
            ) from error


@dataclass(slots=True)
class Launch:
    supervisor: Supervisor
    port: int
    env: dict[str, str] | None = None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def run(self) -> None:
        say("Starting PostgreSQL and Valkey …")
        services = start_services(self.supervisor)
        write_services(self.supervisor.state, services)
        self.env = {**os.environ, **services, "PYTHONUNBUFFERED": "1"}
        say("Bringing the database and the static files up to date …")
        self.step("migrate", "migrate", "--no-input")
        account = self.step("first account", "first_account")
        if account:
            say(account)
        self.step("static files", "collectstatic", "--no-input", "--clear")
        say("Starting the workers and the web server …")
        self.start_worker()
        self.start_web()
        self.ingest()
        say(f"\nTilecourt is at {self.address}")
        say(account or "Log in with the account that the first start printed.")
        say("Ctrl-C stops it.")

    def step(self, name: str, *arguments: str) -> str:
        """Run a manage.py command to its end and give what it printed."""
        log = self.supervisor.log_of(name)
        log.unlink(missing_ok=True)
        self.manage(name, *arguments, log=log)
        said = log.read_text(errors="replace").strip()
        # The first account's password is to be on the screen only.
        log.unlink()
        return said

    def manage(self, name: str, *arguments: str, log: Path | None) -> None:
        command = [sys.executable, "manage.py", *arguments]
        self.supervisor.start(name, command, stop=STEP_STOP, env=self.env or {}, cwd=ROOT, log=log)
        if status := self.supervisor.wait_done(name):
            reason = self.supervisor.last_words(name) if log else "its message stands above"
            raise StackError(f"The step '{name}' failed (status {status}): {reason}")

    def ingest(self) -> None:
        """Read the sample logs in; the command shows its progress in our terminal itself."""
        self.manage("sample logs", "ingest", "--bundled", log=None)

    def start_worker(self) -> None:
        concurrency = min(os.cpu_count() or 1, WORKERS_MAX)
        self.supervisor.start(
            "worker",
            [
                *(sys.executable, "-m", "celery", "--app", "audit.config.celery", "worker"),
                *("--concurrency", str(concurrency), "--loglevel", "INFO"),
                *("--without-gossip", "--without-mingle"),
                # The clock that has lost messages looked for; its few entries need no file.
                *("--beat", "--scheduler", "celery.beat:Scheduler"),
            ],
            stop=WORKER_STOP,
            env=self.env or {},
            cwd=ROOT,
            log=self.supervisor.log_of("worker"),
        )

    def start_web(self) -> None:
        self.supervisor.start(
            "web",
            [
                *(sys.executable, "-m", "gunicorn", "audit.config.wsgi:application"),
                *("--bind", f"{HOST}:{self.port}", "--worker-class", "gthread"),
                *("--workers", "1", "--threads", "8", "--timeout", "120"),
                *("--graceful-timeout", "8", "--no-control-socket"),
            ],
            stop=WEB_STOP,
            env=self.env or {},
            cwd=ROOT,
            log=self.supervisor.log_of("web"),
        )
        self.supervisor.wait_ready("web", self.is_answering, seconds=30)

    def is_answering(self) -> bool:
        """Ask for the first page, which leads a stranger to the log-in page.

        Raises: StackError when one of the two is an error.
        """
        place = "/"
        for _ in range(2):
            connection = http.client.HTTPConnection(HOST, self.port, timeout=5)
            try:
                connection.request("GET", place)
                answer = connection.getresponse()
            except OSError:
                return False
            finally:
                connection.close()
            if answer.status >= 400:
                words = self.supervisor.last_words("web")
                raise StackError(f"The site answers {place} with {answer.status}: {words}")
            place = answer.headers.get("Location", place)
        return True
