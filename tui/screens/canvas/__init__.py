"""The Canvas of a project.

screen.py            the screen
editing.py           adding and changing cards and phases
applications.py      applications
presets.py           presets
templates.py         templates
since_last_visit.py  what changed since the last visit
"""
