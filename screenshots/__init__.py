"""Pictures of each page family: `python3 dev.py screenshots` makes them anew in docs/screenshots.

pages.py lists them, stock.py brings what they show into throw-away services, camera.py takes them.
"""
