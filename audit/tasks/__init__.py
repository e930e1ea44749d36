"""What the workers do. A task takes ids, calls one service, and is safe to run twice."""

from audit.tasks.chunks import judge_chunk, sweep

__all__ = ["judge_chunk", "sweep"]
