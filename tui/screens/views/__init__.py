"""Views of a project; the Canvas has its own package.

project_view.py           the base of the views, the Canvas among them, and how they read their project
presenter.py              the base of presenters, which show the cards of a view
view_actions.py           keys of every view
table.py                  Table
table_order.py            the order of its cards
table_columns.py          its columns, and a card's cells in them
timeline.py               Timeline
timeline_rescheduling.py  moving dates on it
calendar.py               Calendar
status_board.py           Status board
charts.py                 Charts
filtering.py              the filter of a view, and saved filters
preset_menu.py            the menu of presets, and the form of one
cursor_line.py            the line of the cursor, and changes of other users
"""
