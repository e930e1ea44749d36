"""Logging: one JSON object a line on stderr, with an action and ids, never tiles or names."""

from typing import Any

import structlog

from audit.config.veiling import veiled

SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
# Of what libraries add to a line only this is kept: a request's address can hold a player's name.
EXTRA = ["status_code"]


def veil_secrets(
    _logger: Any, _name: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Cut short the secret of a link wherever a line would hold it: Django names addresses."""
    return {
        name: veiled(value) if isinstance(value, str) else value for name, value in event.items()
    }


def logging_config(level: str) -> dict[str, Any]:
    """Give the dictionary for LOGGING and point structlog at it."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*SHARED, structlog.stdlib.ExtraAdder(allow=EXTRA)],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    veil_secrets,
                    structlog.processors.JSONRenderer(),
                ],
            },
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "audit": {"level": level},
            "celery": {"level": "INFO"},
            # Django adds handlers of its own for these two: ours is enough.
            "django": {"handlers": [], "level": "INFO"},
            "django.server": {"handlers": [], "propagate": True},
        },
    }
