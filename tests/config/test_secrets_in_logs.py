"""No line of a log holds the secret of a link, and none of the web server what was asked for."""

from __future__ import annotations

import json
import logging
import logging.config
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.conf import settings
from gunicorn.config import Config

from audit.config.veiling import veiled, without_query
from audit.config.web_log import WebLog
from audit.devstack.state import make_folder
from audit.devstack.supervisor import Supervisor
from tests.integration.web import Web

# Fixed, since it stands in the names of tests, which must be the same in each process of a run.
SECRET = "q-7Zk_0wXv3bT9s-Lr1UeM5yHc8_JnAa2DgFoPi4QtE"
CUT = f"/shared/{SECRET[:6]}…"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (f"/shared/{SECRET}/", f"{CUT}/"),
        (f"/shared/{SECRET}/steps/9/?step=2", f"{CUT}/steps/9/?step=2"),
        (f"Not Found: /shared/{SECRET}", f"Not Found: {CUT}"),
        (f"https://a.example/shared/{SECRET}/ and /shared/{SECRET}/",
         f"https://a.example{CUT}/ and {CUT}/"),
        (f"next=%2Fshared%2F{SECRET}%2Fsteps", f"next=%2Fshared%2F{SECRET[:6]}…"),
        (f"/SHARED/{SECRET}/", f"/SHARED/{SECRET[:6]}…/"),
        (f"/shared/%41{SECRET}/", "/shared/…/"),
        ("/hands/7/steps/9/", "/hands/7/steps/9/"),
    ],
)  # fmt: skip
def test_a_text_keeps_the_beginning_of_a_secret_alone(text, seen):
    assert veiled(text) == seen


def test_what_an_address_asks_for_goes():
    line = "GET /hands/?player=Ling&q=2 HTTP/1.1"
    assert without_query(line) == "GET /hands/?… HTTP/1.1"


@pytest.fixture
def lines(tmp_path):
    """Log as the service does, into a file; gives what was written."""
    path = tmp_path / "log"
    config = {**settings.LOGGING, "handlers": {
        "stderr": {"class": "logging.FileHandler", "filename": path, "formatter": "json"},
    }}  # fmt: skip
    logging.config.dictConfig(config)
    yield lambda: [json.loads(line) for line in path.read_text().splitlines()]
    logging.config.dictConfig(settings.LOGGING)


def test_django_names_an_address_that_is_none_without_its_secret(client, db, lines):
    assert client.get(f"/shared/{SECRET}/").status_code == 404
    (line,) = lines()
    assert (line["event"], line["status_code"]) == (f"Not Found: {CUT}/", 404)
    assert SECRET not in str(lines())


def test_a_traceback_holds_no_secret_either(lines):
    try:
        {}[f"/shared/{SECRET}/"]
    except KeyError:
        logging.getLogger("audit.web").exception("failed at /shared/%s/", SECRET)
    (line,) = lines()
    assert line["event"] == f"failed at {CUT}/"
    assert line["exception"].splitlines()[-1] == f"KeyError: '{CUT}/'"


@pytest.fixture
def web_log(tmp_path):
    """Make a log of gunicorn's that writes into two files, its requests in the given form."""
    made = []

    def make(access_format="%(r)s"):
        config = Config()
        config.set("accesslog", str(tmp_path / "access"))
        config.set("errorlog", str(tmp_path / "error"))
        config.set("access_log_format", access_format)
        made.append(WebLog(config))
        return made[-1]

    yield make
    for log in made:
        for logger in (log.access_log, log.error_log):
            for handler in list(logger.handlers):
                logger.removeHandler(handler)
                handler.close()
            logger.filters.clear()


def environ_of(path, query):
    return {
        "REQUEST_METHOD": "GET", "RAW_URI": f"{path}?{query}", "SERVER_PROTOCOL": "HTTP/1.1",
        "PATH_INFO": path, "QUERY_STRING": query, "REMOTE_ADDR": "192.0.2.7",
        "HTTP_REFERER": f"https://a.example{path}?{query}", "HTTP_COOKIE": "sessionid=of-ours",
        "HTTP_AUTHORIZATION": "Token key-of-ours",
    }  # fmt: skip


def test_no_form_of_a_line_tells_a_secret_or_a_question(web_log, tmp_path):
    """A line may be set up to hold any part of a request."""
    names = (*"rUqf", "{raw_uri}e", "{path_info}e", "{query_string}e", "{http_referer}e",
             "{http_authorization}e", "{http_cookie}e", "{authorization}i", "{cookie}i",
             "{referer}i", "{location}o", "{set-cookie}o")  # fmt: skip
    log = web_log(" | ".join(f"%({name})s" for name in names))
    path = f"/shared/{SECRET}/"
    headers = [("Authorization", "Token key-of-ours"), ("Cookie", "sessionid=of-ours"),
               ("Referer", f"https://a.example{path}")]  # fmt: skip
    answer = SimpleNamespace(
        status="302 Found", sent=0,
        headers=[("Location", f"{path}steps/2/?q=Ling"), ("Set-Cookie", "sessionid=of-ours")],
    )  # fmt: skip
    request = SimpleNamespace(headers=headers)
    log.access(answer, request, environ_of(path, "q=Ling"), timedelta(milliseconds=3))
    shown = (tmp_path / "access").read_text().strip().split(" | ")
    assert dict(zip(names, shown, strict=True)) == {
        "r": f"GET {CUT}/?… HTTP/1.1", "U": f"{CUT}/", "q": "…", "f": f"https://a.example{CUT}/?…",
        "{raw_uri}e": f"{CUT}/?…", "{path_info}e": f"{CUT}/", "{query_string}e": "-",
        "{http_referer}e": f"https://a.example{CUT}/?…", "{http_authorization}e": "-",
        "{http_cookie}e": "-", "{authorization}i": "-", "{cookie}i": "-",
        "{referer}i": f"https://a.example{CUT}/", "{location}o": f"{CUT}/steps/2/?…",
        "{set-cookie}o": "-",
    }  # fmt: skip


def test_a_request_that_fails_is_told_without_its_secret(web_log, tmp_path):
    log = web_log()
    log.error("Error handling request %s", f"/shared/{SECRET}/?q=Ling")
    assert (tmp_path / "error").read_text().endswith(f"Error handling request {CUT}/?…\n")


def test_the_web_server_takes_this_log_when_it_is_started_here(transactional_db, tmp_path):
    """gunicorn as it is started in service, with a log of requests, and a link that is none."""
    supervisor = Supervisor(make_folder(tmp_path / "state"))
    try:
        web = Web(supervisor, GUNICORN_CMD_ARGS="--access-logfile - --log-level debug")
        referer = f"http://127.0.0.1/shared/{SECRET}/"
        assert web.ask("GET", f"/shared/{SECRET}/?q=Ling", Referer=referer)[0] == 404
    finally:
        supervisor.stop_all()
    text = web.log.read_text()
    assert f'"GET {CUT}/?… HTTP/1.1" 404' in text
    assert f'"http://127.0.0.1{CUT}/"' in text
    assert f"Not Found: /shared/{SECRET[:6]}" in text
    assert (text.count(SECRET), text.count("Ling")) == (0, 0)
