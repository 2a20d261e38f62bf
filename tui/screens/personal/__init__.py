"""The user's own screens.

my_work.py       open items of the user
my_work_rows.py  its rows
inbox.py         notifications
search.py        search, and the recent searches
settings.py      settings, and the user's keys
"""
