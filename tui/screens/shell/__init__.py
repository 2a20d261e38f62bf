"""Around all screens.

navigation.py       the go-to menu and its destinations
command_palette.py  the command palette, with the records in it
elsewhere.py        the actions of other screens, for the palette
refusals.py         a refusal with its ways out
help.py             help
first_run.py        first run
doctor.py           the Doctor screen
"""
