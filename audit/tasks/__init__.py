"""What the workers do. A task takes ids, calls one service, and is safe to run twice."""

from audit.tasks.access import count_refusals, end_visits
from audit.tasks.certificates import certify, sort_refusals, sweep_certificates
from audit.tasks.chunks import judge_chunk, sweep
from audit.tasks.desk import gather_cases
from audit.tasks.evidence import check_software, seal_log
from audit.tasks.holdings import note_holdings
from audit.tasks.incidents import watch_the_clock
from audit.tasks.partitions import make_months_ahead
from audit.tasks.players import note_players
from audit.tasks.reaudits import sweep_reaudits, work_on_reaudit
from audit.tasks.reports import daily_reports, make_report, sweep_reports
from audit.tasks.tables import compare_table
from audit.tasks.webhooks import send_to_webhook, send_webhooks

__all__ = [
    "certify",
    "check_software",
    "compare_table",
    "count_refusals",
    "daily_reports",
    "end_visits",
    "gather_cases",
    "judge_chunk",
    "make_months_ahead",
    "make_report",
    "note_holdings",
    "note_players",
    "seal_log",
    "send_to_webhook",
    "send_webhooks",
    "sort_refusals",
    "sweep",
    "sweep_certificates",
    "sweep_reaudits",
    "sweep_reports",
    "watch_the_clock",
    "work_on_reaudit",
]
