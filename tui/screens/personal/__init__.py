"""The user's own screens.

my_work.py          open items of the user
my_work_rows.py     its rows
inbox.py            notifications
recent_searches.py  the recent searches
search.py           search
settings.py         settings, and the user's keys
"""
