"""Fixtures for every test. PostgreSQL and Valkey come from audit/devstack/pytest_plugin.py."""
