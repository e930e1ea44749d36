"""Webhooks: each new finding is told once, signed, and tried again until it arrives."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from django.db import connection, transaction
from django.db.utils import IntegrityError
from django.utils import timezone

from audit.models import Finding, Grant, Role, Webhook, WebhookAttempt, WebhookDelivery
from audit.selectors.access import access_of
from audit.selectors.webhooks import deliveries, webhooks
from audit.services import webhooks as hooks
from audit.services import webhooks_posting as posting
from audit.services import webhooks_sending as sending
from audit.services.granting import end_grant, grant_role
from audit.services.sealing import seal
from audit.services.staff import close_account
from tests.bad_hosts import dripping_host, silent_host
from tests.golden_vectors import GOLDEN

ODD = GOLDEN / "odd"
ONE_UNIT = (ODD / "one-unit.ndjson").read_bytes()
BASE = (ODD / "base-hands.ndjson").read_bytes()
# For so long hosts that answer badly go on with it.
MINUTE_SECONDS = 60


class Receiver:
    """A real HTTP server that keeps what it was sent, and answers as it is told to."""

    def __init__(self):
        self.got, self.statuses = [], []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, dict(self.headers), body))
                status = receiver.statuses.pop(0) if receiver.statuses else 200
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(b"thanks" if status == 200 else b"no \x00 thanks")

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/in?from=tilecourt"


@pytest.fixture
def receiver():
    one = Receiver()
    thread = threading.Thread(target=one.server.serve_forever, daemon=True)
    thread.start()
    yield one
    one.server.shutdown()
    one.server.server_close()
    thread.join(timeout=5)


@pytest.fixture(autouse=True)
def private(settings, tmp_path):
    settings.TILECOURT_WEBHOOK_PRIVATE = True
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


@pytest.fixture
def keeper(django_user_model):
    """Give an account that manages the webhooks of every source."""
    user = django_user_model.objects.create_user("ola", password="correct horse battery")
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR, source=None)
    return access_of(user)


@pytest.fixture
def told(keeper, receiver):
    """Make a webhook that leads to the receiver."""

    def run(**changes):
        asked = {"name": "Room 1", "url": receiver.url, "sources": None} | changes
        return hooks.create_webhook(access=keeper, **asked)

    return run


def send():
    """Seal what waits, and tell of it."""
    seal()
    made = sending.gather_messages()
    deliver()
    return made


def deliver():
    """Let each webhook have what is due, as the tasks do."""
    for pk in sending.due_webhooks():
        assert sending.send_waiting(pk, seconds=30) is False


def findings_of(receiver):
    return [one for _, _, body in receiver.got for one in json.loads(body)["findings"]]


def test_each_new_finding_is_told_once_with_what_the_verdict_says(ingest, told, receiver):
    told()
    ingest(ONE_UNIT)
    send()
    found = findings_of(receiver)
    stored = Finding.objects.filter(severity="error").count()
    assert stored >= 8
    assert len(found) == stored
    assert len({(one["hand"], one["code"], one["seat"], one["subject"]) for one in found}) == stored
    first = Finding.objects.filter(severity="error").order_by("pk")[0]
    match = next(one for one in found if one["code"] == first.code)
    assert match["source"] == "odd"
    assert match["verdict"] == "discrepant"
    assert {match["logged"], match["expected"]} & {first.logged, first.expected}
    assert send() == 0
    assert len(findings_of(receiver)) == stored


def test_what_was_found_before_the_webhook_was_made_is_not_told(ingest, told, receiver):
    ingest(ONE_UNIT)
    seal()
    told()
    send()
    assert receiver.got == []
    ingest(BASE)
    assert send() == 0


def test_a_message_is_signed_by_the_secret_over_its_id_time_and_bytes(ingest, told, receiver):
    secret = told().secret
    ingest(ONE_UNIT)
    send()
    _, headers, body = receiver.got[0]
    key = base64.b64decode(secret.removeprefix("whsec_"))
    head = {name.lower(): value for name, value in headers.items()}
    signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert head["webhook-signature"] == f"v1,{wanted}"
    assert head["content-type"] == "application/json"
    assert receiver.got[0][0] == "/in?from=tilecourt"


def test_a_refused_message_is_sent_again_later_with_the_same_id_and_bytes(ingest, told, receiver):
    told()
    receiver.statuses = [500, 503]
    ingest(ONE_UNIT)
    begun = timezone.now()
    send()
    [row] = WebhookDelivery.objects.all()
    assert row.state == "waiting"
    soonest, latest = (at + timedelta(seconds=sending.RETRIES[0]) for at in (begun, timezone.now()))
    assert soonest <= row.next_at <= latest
    deliver()
    assert len(receiver.got) == 1
    for _ in range(2):
        WebhookDelivery.objects.update(next_at=timezone.now())
        deliver()
    row.refresh_from_db()
    assert row.state == "delivered"
    assert len({headers["webhook-id"] for _, headers, _ in receiver.got}) == 1
    assert len({body for _, _, body in receiver.got}) == 1
    [shown] = deliveries(row.webhook_id)
    assert [one.status for one in shown.attempts] == [500, 503, 200]
    assert [one.answer for one in shown.attempts] == ["no � thanks", "no � thanks", "thanks"]


def test_after_the_last_attempt_a_message_is_given_up_and_can_be_sent_again(told, receiver, keeper):
    hook = told()
    hooks.try_webhook(access=keeper, pk=hook.pk)
    receiver.statuses = [500] * (len(sending.RETRIES) + 1)
    for _ in range(len(sending.RETRIES) + 1):
        WebhookDelivery.objects.update(next_at=timezone.now())
        deliver()
    row = WebhookDelivery.objects.get()
    assert row.state == "given-up"
    assert webhooks(sources=None)[0].given_up == 1
    deliver()
    assert WebhookAttempt.objects.count() == len(sending.RETRIES) + 1
    hooks.send_again(access=keeper, pk=hook.pk, delivery=str(row.pk))
    deliver()
    row.refresh_from_db()
    assert row.state == "delivered"
    assert [a.number for a in row.attempts.order_by("number")] == list(
        range(1, len(sending.RETRIES) + 3)
    )


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.0 200 OK\r\n\r\n"])
def test_whoever_answers_letter_by_letter_is_cut_off(told, keeper, monkeypatch, beginning):
    """In the middle of the head or of the body: others have their turn."""
    monkeypatch.setattr(posting, "READ_SECONDS", 0.5)
    with dripping_host(beginning) as place:
        hook = told(url=f"http://{place}/")
        hooks.try_webhook(access=keeper, pk=hook.pk)
        begun = time.monotonic()
        deliver()
        assert time.monotonic() - begun < MINUTE_SECONDS / 2
    [attempt] = WebhookAttempt.objects.all()
    assert attempt.number == 1
    assert WebhookDelivery.objects.get().attempt_count == 1


def test_whoever_shakes_hands_letter_by_letter_is_cut_off(told, keeper, monkeypatch):
    """Within TLS, too, where no timeout is for more than one read."""
    monkeypatch.setattr(posting, "CONNECT_SECONDS", 0.5)
    with dripping_host(b"\x16\x03\x03\x3f\xff") as place:
        hook = told(url=f"https://{place}/")
        hooks.try_webhook(access=keeper, pk=hook.pk)
        begun = time.monotonic()
        deliver()
        assert time.monotonic() - begun < MINUTE_SECONDS / 2
    assert WebhookAttempt.objects.get().status is None


def test_whoever_is_looked_up_for_long_is_left(told, keeper, monkeypatch):
    """Nothing stops a look-up of a name that its servers do not answer."""
    told_so = threading.Event()
    monkeypatch.setattr(posting, "LOOK_UP_SECONDS", 0.2)
    monkeypatch.setattr(
        posting.socket, "getaddrinfo", lambda *_, **__: told_so.wait(MINUTE_SECONDS) and []
    )
    hook = told(url="https://example.org/")
    hooks.try_webhook(access=keeper, pk=hook.pk)
    begun = time.monotonic()
    deliver()
    told_so.set()
    assert time.monotonic() - begun < MINUTE_SECONDS / 2
    assert WebhookAttempt.objects.get().error == "Nobody says in time where example.org is."


def test_a_certificate_that_nobody_vouches_for_is_not_believed(told, keeper, tmp_path):
    made = tmp_path / "made.pem"
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1))  # noqa: DTZ001 - as certificates have it
        .not_valid_after(datetime(2100, 1, 1))  # noqa: DTZ001
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, SHA256())
        .public_bytes(Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made)
    got = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            line, _ = server.accept()
            with suppress(OSError), context.wrap_socket(line, server_side=True) as safe:
                got.append(safe.recv(1))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        hook = told(url=f"https://localhost:{server.getsockname()[1]}/")
        hooks.try_webhook(access=keeper, pk=hook.pk)
        deliver()
        thread.join(timeout=MINUTE_SECONDS)
    assert got in ([], [b""])
    assert "certificate verify failed" in WebhookAttempt.objects.get().error


def test_a_redirect_is_not_followed(told, receiver, keeper):
    hook = told()
    hooks.try_webhook(access=keeper, pk=hook.pk)
    receiver.statuses = [302]
    deliver()
    assert [path for path, _, _ in receiver.got] == ["/in?from=tilecourt"]
    assert WebhookAttempt.objects.get().error == "The answer was 302."


def test_nobody_there_is_an_attempt_with_its_reason(told, keeper):
    hook = told(url="http://127.0.0.1:9/")
    hooks.try_webhook(access=keeper, pk=hook.pk)
    deliver()
    attempt = WebhookAttempt.objects.get()
    assert attempt.status is None
    assert attempt.error


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.1.2.3", "169.254.169.254", "192.168.0.9"]
)
def test_an_address_inside_is_never_called(told, keeper, settings, receiver, host):
    port = receiver.server.server_port
    hook = told(url=f"http://{host}:{port}/")
    hooks.try_webhook(access=keeper, pk=hook.pk)
    settings.TILECOURT_WEBHOOK_PRIVATE = False
    deliver()
    assert receiver.got == []
    assert "lies inside" in WebhookAttempt.objects.get().error


@pytest.mark.parametrize(
    "address",
    ["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::1",
     "::ffff:0:127.0.0.1", "0.0.0.0", "100.64.0.1", "224.0.0.1", "ff02::1", "fec0::1",
     "fe80::1%eth0", "fd00:ec2::254"],
)  # fmt: skip
def test_a_name_that_leads_inside_by_another_spelling_is_never_called(
    told, keeper, settings, receiver, monkeypatch, address
):
    """What a name server can answer: the number of a machine inside, wrapped in IPv6."""
    hook = told(url="https://example.org/")
    hooks.try_webhook(access=keeper, pk=hook.pk)
    settings.TILECOURT_WEBHOOK_PRIVATE = False
    found = [(0, 0, 0, "", (address, 443))]
    monkeypatch.setattr(posting.socket, "getaddrinfo", lambda *asked, **how: found)
    monkeypatch.setattr(posting, "CONNECT_SECONDS", 0.1)
    deliver()
    assert "lies inside" in WebhookAttempt.objects.get().error


def test_machines_on_the_public_network_are_outside():
    outside = ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")
    assert [posting._is_outside(one) for one in outside] == [True, True]


@pytest.mark.parametrize(
    "url",
    ["http://example.org/", "ftp://example.org", "https://", "https://a:b@example.org/",
     "https://example.org/#x", "https://exa mple.org/", "https://example.org:99999/", "x" * 3000,
     "https://例.org/"],
)  # fmt: skip
def test_what_is_no_address_is_refused(told, settings, url):
    settings.TILECOURT_WEBHOOK_PRIVATE = False
    with pytest.raises(hooks.WebhookRefused):
        told(url=url)
    assert Webhook.objects.count() == 0


def test_a_webhook_tells_of_its_sources_and_codes_alone(ingest, told, receiver):
    told(sources=["elsewhere"])
    ingest(ONE_UNIT)
    send()
    assert receiver.got == []
    code = Finding.objects.filter(severity="error").values_list("code", flat=True)[0]
    told(name="Room 2", sources=["odd"], codes=[code])
    ingest(ONE_UNIT.replace(b'"hand_id":"', b'"hand_id":"again-'))
    send()
    found = findings_of(receiver)
    assert found
    assert {one["code"] for one in found} == {code}
    assert {one["source"] for one in found} == {"odd"}


def test_nobody_hands_out_more_than_their_own_sources(django_user_model, receiver, told):
    user = django_user_model.objects.create_user("mei", password="correct horse battery")
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR, source="odd")
    access = access_of(user)
    asked = {"access": access, "name": "Mine", "url": receiver.url}
    for sources in (None, ["elsewhere"], ["odd", "elsewhere"], []):
        with pytest.raises(hooks.WebhookRefused, match=r"sources"):
            hooks.create_webhook(**asked, sources=sources)
    mine = hooks.create_webhook(**asked, sources=["odd"])
    other = told(name="All")
    assert [row.name for row in webhooks(sources=frozenset({"odd"}))] == ["Mine"]
    for act in (hooks.end_webhook, hooks.try_webhook):
        with pytest.raises(hooks.WebhookRefused, match="There is no such webhook"):
            act(access=access, pk=other.pk)
    hooks.end_webhook(access=access, pk=mine.pk)


def test_a_pause_keeps_what_is_found_meanwhile_and_an_end_does_not(ingest, told, receiver, keeper):
    hook = told()
    hooks.pause_webhook(access=keeper, pk=hook.pk, is_paused=True)
    ingest(ONE_UNIT)
    send()
    assert receiver.got == []
    hooks.pause_webhook(access=keeper, pk=hook.pk, is_paused=False)
    send()
    assert findings_of(receiver)
    count = len(receiver.got)
    hooks.end_webhook(access=keeper, pk=hook.pk)
    ingest(ONE_UNIT.replace(b'"hand_id":"', b'"hand_id":"again-'))
    send()
    assert len(receiver.got) == count
    with pytest.raises(hooks.WebhookRefused, match="has ended"):
        hooks.pause_webhook(access=keeper, pk=hook.pk, is_paused=False)


def test_with_its_makers_account_a_webhook_is_paused_and_nothing_is_lost(
    ingest, told, receiver, keeper, django_user_model
):
    """Whoever has left is told no more; another administrator looks at it and lets it go on."""
    hook = told()
    boss = django_user_model.objects.create_user("boss")
    Grant.objects.create(account=boss, role=Role.ADMINISTRATOR, source=None)
    close_account(access=access_of(boss), account_id=keeper.account_id)
    ingest(ONE_UNIT)
    send()
    assert receiver.got == []
    assert [row.state for row in webhooks(sources=None)] == ["paused"]
    hooks.pause_webhook(access=access_of(boss), pk=hook.pk, is_paused=False)
    send()
    assert findings_of(receiver)


@pytest.fixture
def boss(django_user_model):
    """Give somebody else who manages accounts and the webhooks of every source."""
    user = django_user_model.objects.create_user("boss")
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR, source=None)
    return access_of(user)


def taken_away(boss, account_id):
    for grant in Grant.objects.filter(account_id=account_id, ended_at=None):
        end_grant(access=boss, grant_id=grant.pk)


def test_whoever_may_tell_of_nothing_more_tells_nothing(ingest, told, receiver, keeper, boss):
    """Without its role the webhook is paused at once and says why; another one takes it up."""
    hook = told()
    ingest(ONE_UNIT)
    seal()
    sending.gather_messages()
    taken_away(boss, keeper.account_id)
    [row] = webhooks(sources=None)
    assert (row.state, row.paused_because, row.owner) == ("paused", "nothing", "ola")
    deliver()
    assert receiver.got == []
    hooks.pause_webhook(access=boss, pk=hook.pk, is_paused=False)
    [row] = webhooks(sources=None)
    assert (row.state, row.paused_because, row.owner) == ("on", "", "boss")
    send()
    assert findings_of(receiver)


def test_a_message_is_made_of_what_its_owner_may_tell_when_it_is_made(
    ingest, told, receiver, keeper, boss
):
    told(sources=None)
    taken_away(boss, keeper.account_id)
    grant_role(access=boss, account_id=keeper.account_id, role=Role.ADMINISTRATOR, source="hall")
    Webhook.objects.update(paused_at=None, paused_because="")
    ingest(ONE_UNIT)
    ingest(ONE_UNIT.replace(b'"source":"odd"', b'"source":"hall"'))
    send()
    assert {one["source"] for one in findings_of(receiver)} == {"hall"}
    [row] = webhooks(sources=None)
    assert (row.sources, row.tells) == (None, frozenset({"hall"}))


def test_what_may_not_be_told_any_more_is_withheld_when_it_is_sent(
    ingest, told, receiver, keeper, boss
):
    """Made while it might be told, and not sent afterwards; the other source goes on."""
    hook = told(sources=["odd", "hall"])
    ingest(ONE_UNIT)
    ingest(ONE_UNIT.replace(b'"source":"odd"', b'"source":"hall"'))
    seal()
    assert sending.gather_messages() == 2
    grant_role(access=boss, account_id=keeper.account_id, role=Role.ADMINISTRATOR, source="hall")
    whole = Grant.objects.get(account_id=keeper.account_id, source=None, ended_at=None)
    end_grant(access=boss, grant_id=whole.pk)
    deliver()
    assert {one["source"] for one in findings_of(receiver)} == {"hall"}
    states = dict(WebhookDelivery.objects.values_list("state", "pk"))
    assert sorted(states) == ["delivered", "withheld"]
    hooks.send_again(access=boss, pk=hook.pk, delivery=str(states["withheld"]))
    deliver()
    assert len(receiver.got) == 1
    assert WebhookDelivery.objects.get(pk=states["withheld"]).state == "withheld"
    grant_role(access=boss, account_id=keeper.account_id, role=Role.ADMINISTRATOR, source="odd")
    hooks.send_again(access=boss, pk=hook.pk, delivery=str(states["withheld"]))
    deliver()
    assert {one["source"] for one in findings_of(receiver)} == {"hall", "odd"}


def test_a_message_tells_of_one_source(ingest, told, receiver):
    told()
    ingest(ONE_UNIT)
    ingest(ONE_UNIT.replace(b'"source":"odd"', b'"source":"hall"'))
    send()
    bodies = [json.loads(body)["findings"] for _, _, body in receiver.got]
    assert [{one["source"] for one in body} for body in bodies] == [{"odd"}, {"hall"}]
    assert [body[0]["leaf"] for body in bodies] == sorted(body[0]["leaf"] for body in bodies)


def test_nobody_learns_of_the_webhooks_of_others(told, keeper, boss, receiver, monkeypatch):
    """Not by a name that is taken, and not by a limit that is reached."""
    monkeypatch.setattr(hooks, "HOOKS_MAX", 2)
    told(name="Room 1")
    with pytest.raises(hooks.WebhookRefused, match="You have a webhook named Room 1 already"):
        told(name="Room 1")
    told(name="Room 2")
    with pytest.raises(hooks.WebhookRefused, match="You have 2 webhooks already"):
        told(name="Room 3")
    asked = {"access": boss, "url": receiver.url, "sources": None}
    hooks.create_webhook(**asked, name="Room 1")
    hooks.create_webhook(**asked, name="Room 3")


@pytest.fixture
def hole():
    with silent_host() as address:
        yield address


def test_whoever_does_not_answer_rests_and_is_asked_less_and_less_often(
    told, keeper, monkeypatch, hole, receiver
):
    hook = told(url=hole)
    for _ in range(2):
        hooks.try_webhook(access=keeper, pk=hook.pk)
    for count, seconds in ((1, sending.RESTS[0]), (2, sending.RESTS[1])):
        begun = timezone.now()
        with monkeypatch.context() as patch:
            patch.setattr(posting, "READ_SECONDS", 0.2)
            deliver()
        row = Webhook.objects.get()
        assert row.silent_count == count
        soonest, latest = (at + timedelta(seconds=seconds) for at in (begun, timezone.now()))
        assert soonest <= row.rests_until <= latest
        assert WebhookAttempt.objects.count() == count
        assert sending.due_webhooks() == []
        Webhook.objects.update(rests_until=timezone.now())
    Webhook.objects.update(url=receiver.url)
    WebhookDelivery.objects.update(next_at=timezone.now())
    deliver()
    row = Webhook.objects.get()
    assert (row.silent_count, row.rests_until, len(receiver.got)) == (0, None, 2)


def test_a_person_who_tries_a_resting_webhook_need_not_wait(told, keeper, monkeypatch, hole):
    monkeypatch.setattr(posting, "READ_SECONDS", 0.2)
    hook = told(url=hole)
    hooks.try_webhook(access=keeper, pk=hook.pk)
    deliver()
    assert sending.due_webhooks() == []
    hooks.try_webhook(access=keeper, pk=hook.pk)
    assert sending.due_webhooks() == [hook.pk]


def test_many_findings_go_in_several_messages_in_the_order_of_the_log(
    ingest, told, receiver, monkeypatch
):
    monkeypatch.setattr(sending, "FINDINGS_AT_ONCE", 3)
    monkeypatch.setattr(sending, "LEAVES_AT_ONCE", 4)
    told(only_errors=False)
    ingest(ONE_UNIT)
    send()
    found = findings_of(receiver)
    assert len(found) == Finding.objects.count()
    assert sorted(one["leaf"] for one in found) == [one["leaf"] for one in found]
    assert len(receiver.got) > 2


def test_a_worker_that_was_killed_at_it_costs_time_and_no_message(told, keeper, receiver):
    hook = told()
    hooks.try_webhook(access=keeper, pk=hook.pk)
    assert sending._take(hook.pk)
    assert sending.due_webhooks() == []
    assert sending.send_waiting(hook.pk, seconds=5) is False
    assert receiver.got == []
    Webhook.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    deliver()
    assert len(receiver.got) == 1


@contextmanager
def refused():
    with pytest.raises(IntegrityError), transaction.atomic():
        yield


def test_the_log_of_attempts_stays(told, keeper, receiver):
    hook = told()
    hooks.try_webhook(access=keeper, pk=hook.pk)
    deliver()
    for statement in (
        "UPDATE audit_webhookattempt SET error = ''",
        "DELETE FROM audit_webhookattempt",
        "DELETE FROM audit_webhookdelivery",
        "DELETE FROM audit_webhook",
    ):
        with refused(), connection.cursor() as cursor:
            cursor.execute(statement)
