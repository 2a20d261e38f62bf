"""Commands on cards.

tasks.py         podium task
add.py           podium add
labels.py        podium label, and the labels and priority of cards
comments.py      podium comment
activities.py    podium activity
applications.py  podium application
edits.py         edits texts and own fields of a card
named.py         cards that are named without their project
"""
