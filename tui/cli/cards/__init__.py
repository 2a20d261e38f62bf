"""Commands on cards.

tasks.py         podium task
add.py           podium add
comments.py      podium comment
activities.py    podium activity
applications.py  podium application
dependencies.py  podium task link, unlink, override, links
named.py         cards that are named without their project
"""
