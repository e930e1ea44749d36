import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from audit.config.services import broker_from_url, database_from_url


@pytest.mark.django_db
def test_tests_run_on_postgresql():
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        assert int(cursor.fetchone()[0]) >= 140000
    assert connection.settings_dict["NAME"].startswith("test_")


def test_database_url_is_read_in_full():
    assert database_from_url("postgresql://a%40b:p%2Fw@db.example:6432/hands?sslmode=require") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "hands",
        "USER": "a@b",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6432",
        "OPTIONS": {"sslmode": "require"},
    }


def test_database_url_with_a_socket_folder():
    read = database_from_url("postgresql://tilecourt@/tilecourt?host=/run/some%20where")
    assert (read["HOST"], read["PORT"], read["OPTIONS"]) == ("/run/some where", "", {})


@pytest.mark.parametrize("url", ["sqlite:///x", "postgresql://host", "postgresql://h:port/name"])
def test_a_wrong_database_url_is_refused_in_a_sentence(url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        database_from_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost:6379/0", "rediss://:p%40@broker/1", "redis+socket:///run/x/valkey.sock",
        "amqp://user:password@host:5672//", "sentinel://a:26379;sentinel://b:26379",
    ],
)  # fmt: skip
def test_a_broker_of_a_known_kind_is_taken_as_it_is_written(url: str) -> None:
    assert broker_from_url(url) == url


@pytest.mark.parametrize("url", ["nonsense://x", "localhost:6379", "x", "redis://localhost:abc/0"])
def test_a_broker_of_no_kind_is_told_in_a_sentence(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="BROKER_URL"):
        broker_from_url(url)
