"""The Canvas of a project.

screen.py            the screen
board_actions.py     keys of the board: marks, folds, going to a phase, density
editing.py           adding phases, and putting cards and phases elsewhere
applications.py      applications
templates.py         templates
since_last_visit.py  what changed since the last visit
"""
