"""Commands on the user's own work, filters and presets.

my_work.py   podium my-work, inbox, online
search.py    podium search
filters.py   podium filter
presets.py   podium preset
settings.py  podium settings
"""
