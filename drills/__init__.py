"""Drills: what the service must come through, with real processes that are really killed.

`python3 dev.py crash-test` loads hands while workers, web server, broker and database are killed,
and compares what then stands in the store with what the log itself says.
"""
