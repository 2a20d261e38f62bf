"""Views of a project; the Canvas has its own package.

project_view.py           the base of the views, the Canvas among them
project_reading.py        reads the project whole, and then only what changed
cursor_return.py          puts the cursor back on a card that an undo brought back
presenter.py              the base of presenters, which show the cards of a view
view_actions.py              keys of every view
view_preview.py           the preview of the card of the cursor
registry.py               the list of views
table.py                  Table
table_order.py            its order
table_rows.py             its rows
timeline.py               Timeline
timeline_rescheduling.py  moving dates on it
calendar.py               Calendar
cards_by_day.py           its cards by day
status_board.py           Status board
charts.py                 Charts
filtering.py              the filter of a view
saved_filters.py          saved filters
preset_menu.py            the menu of presets
preset_form.py            the form of a preset
cursor_line.py            the line of the cursor, and changes of other users
"""
