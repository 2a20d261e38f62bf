"""Messages about the history, and undo and redo.

history.py      the history, undo, redo
own_changes.py  a user's own changes: what can be undone or redone next
revert.py       reverts one change
undo_checks.py  invariants that must hold after an undo
"""
