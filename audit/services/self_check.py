"""The software check: what lies here against what was accepted, kept whatever comes out."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

import replay
from audit.models import AcceptedSoftware, CheckOccasion, SoftwareCheck
from audit.selectors.software import differing_libraries, inventory_sha256, take_inventory
from audit.services.texts import written

logger = logging.getLogger(__name__)

LOCK = 0x50F7
DIFFERENCES_KEPT = 500
PROCESS_MAX = 128


class AcceptanceRefused(Exception):
    """The software cannot be accepted so; the text is a sentence."""


def accept_software(*, actor: User, reason: str) -> SoftwareCheck:
    """Declare what lies here to be the right software; gives the look that goes with it.

    Raises: AcceptanceRefused.
    """
    said = written(reason)
    if not said:
        raise AcceptanceRefused("Accepting software needs a reason.")
    items = take_inventory()
    with transaction.atomic():
        accepted = _accept(items, said, actor)
        return _keep(accepted, items, {}, CheckOccasion.INSTALL, "command")


def check_software(
    *,
    occasion: CheckOccasion,
    process: str,
    with_libraries: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> SoftwareCheck:
    """Compare the software with what was accepted, and keep the outcome.

    The first look of an installation accepts what it finds. `with_libraries` reads every file of
    the libraries, too, which takes seconds.
    """
    items = take_inventory()
    differences = differing_libraries(on_progress) if with_libraries else {}
    with transaction.atomic():
        accepted = AcceptedSoftware.objects.order_by("-id").first()
        if accepted is None:
            accepted, occasion = _accept_first(items, occasion)
        found = {**_compare(accepted.items, items), **differences}
        check = _keep(accepted, items, found, occasion, process)
    if not check.is_good:
        logger.error(
            "self_check_failed",
            extra={"check": check.pk, "differences": len(found), "occasion": str(occasion)},
        )
    return check


def check_at_start(process: str) -> None:
    """Look once when a process starts; what keeps it from looking does not keep it from starting,
    for the doctor names a missing database or a damaged ruleset."""
    try:
        check_software(occasion=CheckOccasion.START, process=process)
    except (DatabaseError, OSError, replay.RulesetError):
        logger.exception("self_check_not_made", extra={"what": process})


def _accept_first(
    items: dict[str, str], occasion: CheckOccasion
) -> tuple[AcceptedSoftware, CheckOccasion]:
    """Accept what is found; of two first starts at once, one does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    accepted = AcceptedSoftware.objects.order_by("-id").first()
    if accepted is not None:
        return accepted, occasion
    return _accept(items, "Found at the first start.", None), CheckOccasion.INSTALL


def _accept(items: dict[str, str], reason: str, actor: User | None) -> AcceptedSoftware:
    return AcceptedSoftware.objects.create(
        actor=actor,
        reason=reason,
        engine=replay.ENGINE,
        items=items,
        sha256=inventory_sha256(items),
    )


def _compare(expected: dict[str, str], found: dict[str, str]) -> dict[str, list[str | None]]:
    names = sorted(expected.keys() | found.keys())
    return {
        name: [expected.get(name), found.get(name)]
        for name in names
        if expected.get(name) != found.get(name)
    }


def _keep(
    accepted: AcceptedSoftware,
    items: dict[str, str],
    differences: dict[str, list[str | None]],
    occasion: CheckOccasion,
    process: str,
) -> SoftwareCheck:
    kept = dict(list(differences.items())[:DIFFERENCES_KEPT])
    return SoftwareCheck.objects.create(
        accepted=accepted,
        occasion=occasion,
        process=f"{process} on {platform.node()}"[:PROCESS_MAX],
        engine=replay.ENGINE,
        is_good=not kept,
        sha256=inventory_sha256(items),
        differences=kept,
    )
