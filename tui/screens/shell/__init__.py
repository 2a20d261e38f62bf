"""Around all screens.

navigation.py       the go-to menu and its destinations
command_palette.py  the command palette
palette_records.py  the records and presets in the palette
refusals.py         a refusal with its ways out
help.py             help
first_run.py        first run
doctor.py           the Doctor screen
"""
