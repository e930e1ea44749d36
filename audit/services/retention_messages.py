"""Forgetting what webhooks were told of findings that a retention run deletes.

That a message was sent, when, and how each attempt ended stays on record; what it said goes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from audit.models import DeliveryState, LeafKind, WebhookAttempt, WebhookDelivery

# The index of migration 0052 is over just this.
_TOLD_OF = """
SELECT d.id, array_agg(l.index) FROM audit_sealedleaf l
JOIN audit_webhookdelivery d ON audit_told_leaves(d.body) @> ARRAY[l.index]
WHERE l.kind = %s AND l.row = ANY(%s) GROUP BY d.id
"""


def forget_messages(*, findings: Sequence[int], between: Sequence[int]) -> int:
    """Take findings, and those between two hands, out of what was said of them; returns how many
    messages said less then. Inside of the transaction of a batch, before the findings go.

    A message that has nothing left to tell is not sent any more.
    """
    leaves: dict[Any, set[int]] = {}
    for kind, rows in ((LeafKind.FINDING, findings), (LeafKind.COMPARISON_FINDING, between)):
        if not rows:
            continue
        with connection.cursor() as cursor:
            cursor.execute(_TOLD_OF, [kind.value, list(rows)])
            for key, found in cursor.fetchall():
                leaves.setdefault(key, set()).update(found)
    messages = WebhookDelivery.objects.select_for_update().filter(pk__in=leaves).order_by("pk")
    return sum(_forget(message, leaves[message.pk]) for message in messages)


def _forget(message: WebhookDelivery, leaves: set[int]) -> bool:
    """Take the findings of these leaves out of one message; tells whether there were any."""
    said = json.loads(message.body)
    left = [one for one in said["findings"] if one["leaf"] not in leaves]
    gone = len(said["findings"]) - len(left)
    if not gone:
        return False
    said |= {"findings": left, "deleted": said.get("deleted", 0) + gone}
    message.body = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    if not left and message.state == DeliveryState.WAITING:
        message.state = DeliveryState.GIVEN_UP
    message.save(update_fields=["body", "state"])
    # A receiver may have answered with what it was told.
    WebhookAttempt.objects.filter(delivery=message).exclude(answer="").update(answer="")
    return True
