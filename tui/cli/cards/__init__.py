"""Commands on cards.

tasks.py         podium task
add.py           podium add
comments.py      podium comment
activities.py    podium activity
applications.py  podium application
edits.py         edits texts and own fields of a card
named.py         cards that are named without their project
"""
