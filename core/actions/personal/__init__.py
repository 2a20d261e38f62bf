"""Messages about one user's own view of the work.

folds.py          folds of the Canvas
inbox.py          notifications, due items, gates that wait for a decision
my_work.py        my open items in all projects
presets.py        view presets
saved_filters.py  named filters
search.py         search over everything the user can see
"""
