"""PostgreSQL, Valkey and the service's own processes for a laptop, the demo and the tests.

Nothing here imports Django: it starts the processes in which Django runs.
"""
