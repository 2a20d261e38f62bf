"""Dependencies between cards: linked, unlinked, overridden, listed, and due dates that follow them.

links.py   links, unlinks and overrides
lists.py   the dependencies of a project, and of one card
"""
