"""The API for programs, version 1, and what operators ask: health, readiness, metrics."""
