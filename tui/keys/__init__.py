"""Every key in one table, and the user's own keys over it.

bindings.py  the table of keys
keymap.py    the user's own keys
"""
