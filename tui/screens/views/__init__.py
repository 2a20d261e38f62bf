"""Views of a project beside the Canvas.

project_view.py           the base of the views
registry.py               the list of views
table.py                  Table
table_rows.py             its rows
timeline.py               Timeline
timeline_rescheduling.py  moving dates on it
calendar.py               Calendar
status_board.py           Status board
charts.py                 Charts
filtering.py              the filter of a view
saved_filters.py          saved filters
preset_view.py            a view with a preset
preset_menu.py            the menu of presets
preset_form.py            the form of a preset
live_updates.py           changes of other users
cycling.py                sort order and density
"""
