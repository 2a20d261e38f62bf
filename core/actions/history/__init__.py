"""Messages about the history, and undo and redo.

A change can be undone if it is one of the sender's last, and its command ``undoable`` (own_changes.py); if the sender
holds the permissions that it needed (history.py); if no later change depends on it, and more than tokens and accounts
changed in it (revert.py); if the rules hold for the result (rules_after_undo.py); and if the sender consents where
phases lock again or approvals end (``core.rules.approvals``).

history.py           the history, undo, redo
entries.py           the lines of the history, with old and new values
own_changes.py       a user's own changes: the next ones to undo and redo
undo_steps.py        the list of the next steps of undo and redo
versions.py          the check of an open form for changes of its record
revert.py            reverts one change
rules_after_undo.py  rules that must hold after an undo
"""
