"""Values of the domain as words on the screen: one place per value.

facts.py           rows of detail pages
hierarchy.py       clients, markets and brands as options
custom_fields.py   custom fields and their values
permissions.py     the permission source and its state, and the reason for a missing permission
platform_roles.py  platform roles
presets.py         view presets
signs.py           the legend of all signs
templates.py       templates and their differences
times.py           moments
typed_titles.py    the meaning of a typed title
"""
