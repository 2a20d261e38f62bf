"""Every key in one table, and the user's own keys over it.

table.py   the ideas of the letters, the verbs below them, and the verbs of each screen
keymap.py  the user's own keys
names.py   keys as users read them
"""
