"""Messages about the history, and undo and redo.

history.py      the history, undo, redo
entries.py      the lines of the history, with old and new values
own_changes.py  a user's own changes: the next ones to undo and redo
undo_steps.py   the list of the next steps of undo and redo
versions.py     the check of an open form for changes of its record
revert.py       reverts one change
undo_checks.py  rules that must hold after an undo
"""
