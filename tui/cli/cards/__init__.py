"""Commands on cards.

tasks.py         podium task
add.py           podium add
labels.py        podium label, and the labels and priority of cards
comments.py      podium comment
activities.py    podium activity
applications.py  podium application
dependencies.py  podium task link, unlink, override, links
lists.py         podium task list, podium activity list
edits.py         edits all that can be changed on a card
named.py         cards that are named without their project
"""
