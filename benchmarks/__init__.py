"""How fast the core is, and how much memory it takes: `python3 dev.py bench audit|memory`.

No test times anything. What is printed are ratios of things measured in one run, turn by turn, so
that a slow or busy machine slows both sides.
"""
