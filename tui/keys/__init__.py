"""Every key in one table, and the user's own keys over it.

table.py        the table of keys
exceptions.py   keys that one screen does not have
bindings.py     the keys of one screen
ideas.py        what each letter means on every screen
synonyms.py     other words by which the palette finds an action
keymap.py       the user's own keys
names.py        keys as users read them
"""
