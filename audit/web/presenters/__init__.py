"""Turn what selectors and the core give into what a template prints.

A presenter is a function of its arguments: it asks no database and knows no request.
"""
