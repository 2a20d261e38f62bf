"""Values of the domain as words on the screen: one place per label.

facts.py           rows of detail pages
hierarchy.py       clients, markets and brands to choose from
permissions.py     who decides on permissions, and why one is missing
platform_roles.py  platform roles
presets.py         view presets
templates.py       templates and their differences
times.py           moments
"""
