"""The software check: four occasions, one log, and nothing that can be changed unseen (S30–S33)."""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from audit.config import settings as own_settings
from audit.models import AcceptedSoftware, CheckOccasion, LeafKind, SealedLeaf, SoftwareCheck
from audit.selectors import software
from audit.selectors.diagnosis_evidence import software_trouble
from audit.selectors.software import inventory_sha256, latest_accepted, take_inventory
from audit.services import self_check
from audit.services.sealing import seal
from audit.tasks import check_software as daily

pytestmark = pytest.mark.django_db


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    """A copy of the code that may be touched."""
    root = tmp_path / "checkout"
    for folder in software.FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(own_settings.ROOT / folder, root / folder, ignore=ignored)
    for name in software.FILES:
        shutil.copy(own_settings.ROOT / name, root / name)
    monkeypatch.setattr(own_settings, "ROOT", root)
    return root


@pytest.fixture
def quick(monkeypatch) -> None:
    """Only two libraries, which is enough to look at the files of."""
    found = list(software.importlib.metadata.distributions())[:2]
    monkeypatch.setattr(software.importlib.metadata, "distributions", lambda: found)


def look(occasion=CheckOccasion.DEMAND, **how) -> SoftwareCheck:
    return self_check.check_software(occasion=occasion, process="test", **how)


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("self_check", *arguments, stdout=out, stderr=err)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_the_first_look_accepts_what_it_finds(checkout, quick):
    assert software_trouble() is None
    first = look(CheckOccasion.START)
    assert (first.occasion, first.is_good) == (CheckOccasion.INSTALL, True)
    accepted = AcceptedSoftware.objects.get()
    assert (accepted.actor, accepted.reason) == (None, "Found at the first start.")
    assert accepted.items == take_inventory()
    assert bytes(accepted.sha256) == inventory_sha256(accepted.items) == bytes(first.sha256)
    again = look(CheckOccasion.START)
    assert (again.occasion, again.is_good, again.accepted) == (CheckOccasion.START, True, accepted)


def test_what_an_inventory_covers(checkout):
    names = list(take_inventory())
    for name in (
        "code replay/audit.py", "code replay/rulesets.lock", "code templates/base.html",
        "code audit/static/css/tokens.css", "code requirements/base.txt", "code manage.py",
        "ruleset tien-gow/classic@1", "setting TILECOURT_UPLOAD_BYTES_MAX",
        "setting CONTENT_SECURITY_POLICY",
    ):  # fmt: skip
        assert name in names
    assert any(name.startswith("library Django 5.2") for name in names)
    assert any(name.startswith("python 3.") for name in names)
    assert not any("__pycache__" in name for name in names)


def test_no_secret_is_in_an_inventory_and_addresses_do_not_matter(checkout, settings):
    before = take_inventory()
    for name, value in (
        ("SECRET_KEY", "another"), ("TILECOURT_METRICS_TOKEN", "another"),
        ("CELERY_BROKER_URL", "another"), ("TILECOURT_SEAL_KEY_FILE", "another"),
    ):  # fmt: skip
        setattr(settings, name, value)
    assert take_inventory() == before
    assert not any("SECRET" in name or "TOKEN" in name for name in before)
    # A queue shows itself otherwise once it is in use.
    settings.CELERY_TASK_QUEUES = [type(one)("used") for one in settings.CELERY_TASK_QUEUES]
    assert take_inventory() == before
    settings.TILECOURT_UPLOAD_BYTES_MAX += 1
    after = take_inventory()
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"setting TILECOURT_UPLOAD_BYTES_MAX"}


@pytest.mark.parametrize(
    "path",
    [
        "replay/rulesets/tien-gow.classic.1.toml", "replay/audit.py", "templates/base.html",
        "audit/static/css/tokens.css",
    ],
)  # fmt: skip
def test_one_byte_turns_the_check_red_and_alerts(checkout, quick, caplog, path):
    look()
    file = checkout / path
    data = file.read_bytes()
    file.write_bytes(data.replace(b"e", b"f", 1))
    check = look(CheckOccasion.DAILY)
    assert not check.is_good
    name = f"code {path}"
    assert list(check.differences) == [name]
    expected, found = check.differences[name]
    assert expected == AcceptedSoftware.objects.get().items[name]
    assert expected != found
    (record,) = caplog.records
    assert (record.levelname, record.message) == ("ERROR", "self_check_failed")
    assert "1 thing differs" in software_trouble()
    file.write_bytes(data)
    assert look().is_good
    assert software_trouble() is None


def test_added_and_removed_files_are_seen(checkout, quick):
    look()
    (checkout / "audit" / "more.py").write_text("")
    (checkout / "replay" / "money.py").unlink()
    check = look()
    assert set(check.differences) == {"code audit/more.py", "code replay/money.py"}
    assert check.differences["code audit/more.py"][0] is None
    assert check.differences["code replay/money.py"][1] is None


def test_a_library_that_was_touched_is_seen_where_its_files_are_read(
    checkout, tmp_path, monkeypatch
):
    package = tmp_path / "lib" / "thing-1.0.dist-info"
    package.mkdir(parents=True)
    module = tmp_path / "lib" / "thing.py"
    module.write_text("a = 1\n")
    told = base64.urlsafe_b64encode(hashlib.sha256(b"a = 1\n").digest()).rstrip(b"=").decode()
    digest = f"sha256={told}"
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
    (package / "RECORD").write_text(f"thing.py,{digest},6\nthing-1.0.dist-info/RECORD,,\n")
    found = list(software.importlib.metadata.distributions(path=[str(tmp_path / "lib")]))
    monkeypatch.setattr(software.importlib.metadata, "distributions", lambda: found)
    assert look(with_libraries=True).is_good
    module.write_text("a = 2\n")
    assert look().is_good
    check = look(with_libraries=True)
    assert check.differences == {
        "library file thing.py": [
            hashlib.sha256(b"a = 1\n").hexdigest(), hashlib.sha256(b"a = 2\n").hexdigest(),
        ]
    }  # fmt: skip


def test_somebody_accepts_other_software_for_a_reason(checkout, quick):
    look()
    (checkout / "replay" / "money.py").write_text("x = 1\n")
    assert not look().is_good
    User.objects.create_user("ann")
    assert run("--accept", "--reason", "release 2")[0] == 64
    assert run("--accept", "--by", "ann")[0] == 64
    assert AcceptedSoftware.objects.count() == 1
    status, words, _ = run("--accept", "--by", "ann", "--reason", "release 2")
    accepted = latest_accepted()
    assert (status, words) == (
        0, f"Accepted: {accepted.items:,} things, SHA-256 {accepted.sha256}.\n",
    )  # fmt: skip
    assert (accepted.by, accepted.reason) == ("ann", "release 2")
    assert look().is_good
    status, words, _ = run()
    assert status == 0
    assert words.startswith("This is the software that ann accepted (")


def test_the_command_names_what_differs(checkout, quick):
    look()
    (checkout / "replay" / "money.py").write_text("x = 1\n")
    status, words, _ = run()
    expected = AcceptedSoftware.objects.get().items["code replay/money.py"]
    found = take_inventory()["code replay/money.py"]
    assert status == 1
    first, second = words.splitlines()
    assert first == f"code replay/money.py: expected {expected}, found {found}"
    assert second.startswith("1 in all: find out why they differ")


def test_the_list_is_checked_by_another_program(checkout):
    listed = run("--list")[1]
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet"], input=listed, text=True, capture_output=True,
        check=False, cwd=checkout,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    (checkout / "replay" / "money.py").write_text("")
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet"], input=listed, text=True, capture_output=True,
        check=False, cwd=checkout,
    )  # fmt: skip
    assert done.returncode == 1
    assert "replay/money.py: FAILED" in done.stdout


def test_four_occasions_stand_in_one_log_that_is_sealed(checkout, quick, settings, tmp_path):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    self_check.check_at_start("web")
    self_check.check_at_start("worker")
    daily()
    assert run()[0] == 0
    occasions = SoftwareCheck.objects.order_by("id").values_list("occasion", flat=True)
    assert list(occasions) == ["install", "start", "daily", "demand"]
    seal()
    kinds = SealedLeaf.objects.filter(kind=LeafKind.SOFTWARE_CHECK)
    assert kinds.count() == 4


def test_probes_and_metrics_tell_it(checkout, quick, settings):
    settings.TILECOURT_METRICS_TOKEN = "s3cret"
    shown = {"Authorization": "Bearer s3cret"}
    assert "tilecourt_software_accepted" not in metrics(shown)
    look()
    assert "\ntilecourt_software_accepted 1.0\n" in metrics(shown)
    (checkout / "replay" / "money.py").write_text("x = 1\n")
    look()
    assert "\ntilecourt_software_accepted 0.0\n" in metrics(shown)
    assert "\ntilecourt_log_waiting 3.0\n" in metrics(shown)
    answer = Client().get("/readyz", headers=shown)
    assert (answer.status_code, answer.content.decode()) == (
        200, "ready\nsoftware: differs from what was accepted in 1\n",
    )  # fmt: skip
    assert Client().get("/readyz").content == b"ready\n"


def metrics(headers: dict[str, str]) -> str:
    return Client().get("/metrics", headers=headers).content.decode()


def test_the_manifest_can_be_made_again_from_what_is_stored(checkout, quick):
    look()
    accepted = AcceptedSoftware.objects.get()
    lines = "".join(f"{value}  {name}\n" for name, value in sorted(accepted.items.items()))
    assert hashlib.sha256(lines.encode()).digest() == bytes(accepted.sha256)
