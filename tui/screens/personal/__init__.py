"""The user's own screens.

my_work.py          open items of the user
my_work_rows.py     its rows
inbox.py            notifications
inbox_actions.py       keys that act on its lines, and their preview
recent_searches.py  the recent searches
search.py           search
search_rows.py      its rows
settings.py         settings
keymap_editor.py    the user's keys
"""
