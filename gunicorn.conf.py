"""What gunicorn takes when it is started in this folder, whatever else it is told."""

import gc

logger_class = "audit.config.web_log.WebLog"


def post_worker_init(worker: object) -> None:
    """Let the collector leave alone what was loaded at the start and stays until the end: it would
    look through all of it again and again while pages are drawn."""
    gc.collect()
    gc.freeze()
