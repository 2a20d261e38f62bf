"""Rules that need the database and that several messages share. No message lives here.

workflow.py        phases with their states, and who can unblock
items.py           tasks and activities
assignments.py     assigned members
ordering.py        ranks
notifications.py   creates notifications
visibility.py      projects a user can see
member_roles.py    roles of members
hierarchy.py       the hierarchy and project links
products.py        the product registry
product_fit.py     applications fit the links
project_health.py  health and next dates
open_items.py      open items over projects
canvas_history.py  what the history says of a Canvas
active_preset.py   the active preset
preset_fields.py   what is accepted of a preset
project_names.py   projects by what users call them
"""
