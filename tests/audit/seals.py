"""Hands of every kind for the log, and the log against a tree made anew from its leaves."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from audit.models import LeafKind, SealedLeaf, SealNode, Table, TreeHead
from audit.selectors.seal_keys import read_keys
from audit.selectors.sealed_rows import hash_lost, hash_row
from audit.selectors.veiled_rows import read_leaves
from audit.services import compare_table
from replay.evidence import Frontier, open_head
from tests.audit.chains import golden
from tests.audit.logs import B, Ingest, W, changed, log, respelt, with_net


def ingest_all_kinds(ingest: Ingest) -> None:
    """Store hands so that every table of hands that the log covers has rows of at least two."""
    ingest(log(B, W, changed(B, hand_id="B2"), with_net(B, 1, "0.00"), b"{}", b"[]"))
    ingest(log(B, respelt(W)))
    ingest(log(*golden("tien-gow", "continuity-gaps")))
    # Of one hand the record before holds again, of another a new one.
    user = User.objects.create_user("ann")
    for reason, line in (
        ("wrong net", with_net(B, 1, "1.00")),
        ("rather so", changed(W, stake="2")),
    ):
        ingest(log(line), user=user, restatement=reason)
    ingest(log(changed(W, table="T 77")), user=user, restatement="another table")
    for table in Table.objects.all():
        while compare_table(table_id=table.pk):
            pass


def leaf_kinds() -> dict[str, int]:
    """How many leaves there are of each kind, by the kind's name."""
    found: dict[str, int] = {}
    for kind in SealedLeaf.objects.values_list("kind", flat=True):
        found[LeafKind(kind).name] = found.get(LeafKind(kind).name, 0) + 1
    return dict(sorted(found.items()))


def check_log() -> None:
    frontier, nodes = Frontier(), {}
    heads: dict[int, Any] = {head.size: head for head in TreeHead.objects.all()}
    keys = read_keys()
    leaves = SealedLeaf.objects.order_by("index")
    for place, leaf in enumerate(leaves):
        kind = LeafKind(leaf.kind)
        if leaf.is_lost:
            expected = hash_lost(kind, place, leaf.row)
        else:
            ((_, fields),) = read_leaves(kind, [leaf.row], form=leaf.form)
            expected = hash_row(kind, place, fields, leaf.form)
        assert (leaf.index, bytes(leaf.hash)) == (place, expected)
        for level, number, value in frontier.grow(expected):
            if level % 8 == 0:
                nodes[level, number] = value
        head = heads.pop(frontier.size, None)
        if head is not None:
            told = open_head(head.note, *keys.public).head
            assert (told.size, told.root) == (frontier.size, frontier.root())
            assert bytes(head.root) == frontier.root()
    assert heads == {}
    stored = SealNode.objects.values_list("level", "number", "hash")
    assert nodes == {(level, number): bytes(value) for level, number, value in stored}
