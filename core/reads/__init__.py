"""Facts that several queries read: the parts of a Canvas, and dates, phases and items of several projects.

canvas_header.py  the header of a Canvas
waiting_cards.py  the dependencies of a Canvas, as numbers
project_state.py  the last changes of a project, what it uses, and what its health and forecast follow from
workflows.py      phases of several projects, with their counts and states
open_items.py     my open items in several projects
"""
