"""What gunicorn takes when it is started in this folder, whatever else it is told."""

logger_class = "audit.config.web_log.WebLog"
