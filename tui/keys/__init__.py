"""Every key in one table, and the user's own keys over it.

table.py     the table of keys, and those that one screen does not have
bindings.py  the keys of one screen
ideas.py     what each letter means on every screen, and other words for it in the palette
keymap.py    the user's own keys
names.py     keys as users read them
"""
