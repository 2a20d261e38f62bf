"""Facts that several queries read: the parts of a Canvas, and dates, phases and items of several projects.

canvas_header.py   the header of a Canvas, and what of it changed
canvas_history.py  the records of a Canvas since a change
first_cards.py     the first cards of each section of a large Canvas
waiting_cards.py   the dependencies of a Canvas, as numbers
project_state.py   the last changes of a project, and what it uses
project_dates.py   the dates and numbers that health and forecast follow from, and link names
workflows.py       phases of several projects, with their counts and states
open_items.py      my open items in several projects
"""
