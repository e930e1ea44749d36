"""What the verdicts of all games share: findings, the clock, figures beside figures (FORMAT 6)."""

from tests.oracle import NotLegal, settle
from tests.oracle.common import money


class Stop(Exception):
    """The hand ends at an action that the rules refuse (FORMAT 6.3, 19)."""


class Findings:
    """The findings of one hand, in the order in which they are made."""

    def __init__(self):
        self.made = []
        self.last_ms = None

    def add(self, code, rule, **attributes):
        """Add a finding. What is given is its event, seat, subject, logged, expected, follows."""
        finding = {
            "code": code, "severity": "error", "event": None, "seat": None, "subject": None,
            "logged": None, "expected": None, "rule": rule, "follows": False, "explained_by": [],
        }  # fmt: skip
        finding.update(attributes)
        for side in ["logged", "expected"]:
            if finding[side] is not None:
                finding[side] = str(finding[side])
        self.made.append(finding)

    def stop(self, code, rule, **attributes):
        """Add a finding that ends the hand."""
        self.add(code, rule, **attributes)
        raise Stop

    def clock(self, number, event):
        """`time-backwards`: against the last event that has an `ms`, right or wrong (6.3, 22)."""
        if "ms" not in event:
            return
        if self.last_ms is not None and event["ms"] < self.last_ms:
            self.add(
                "time-backwards", None, event=number, seat=event.get("seat"),
                logged=event["ms"], expected=self.last_ms,
            )  # fmt: skip
        self.last_ms = event["ms"]

    def not_conserved(self, rule, rows, digits, explained):
        """Logged gross sums to zero, logged net to minus the logged rake; it always follows."""
        total = {name: sum(row[name] for row in rows.values()) for name in ["gross", "rake", "net"]}
        for name, expected in [("gross", 0), ("net", -total["rake"])]:
            if total[name] != expected:
                self.add(
                    "not-conserved", rule, subject=name, follows=True, explained_by=explained,
                    logged=money(total[name], digits), expected=money(expected, digits),
                )  # fmt: skip


def in_order(tiles, order):
    """Tiles as 6.4, 28 writes them."""
    return " ".join(sorted(tiles, key=order.index))


def listed(values):
    """A list as 6.4, 28 writes it."""
    return ",".join(str(value) for value in values)


def is_void(hand):
    """Whether the last event is `void` (6.3, 23)."""
    return bool(hand["events"]) and hand["events"][-1]["type"] == "void"


def explained_by(line, options, tried, prefix, is_right):
    """6.4, 30: the single changes of an option under which every figure is right.

    `is_right(settlement, options)` says whether the logged result is that of a settlement.
    """
    found = []
    for option, values in tried.items():
        for value in values:
            if value == options[option]:
                continue
            other = {**options, option: value}
            try:
                settlement = settle(line, other)
            except NotLegal:
                continue
            if is_right(settlement, other):
                text = str(value).lower() if isinstance(value, bool) else value
                found.append(f"{prefix}.{option}={text}")
    return sorted(found)
