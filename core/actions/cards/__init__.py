"""Messages about the cards of a phase.

activities.py         activities
application_lists.py  lists and pages of applications
applications.py       applications of products
bulk.py               many changes as one
comments.py           comments
details.py            one card, or one phase, in full
tasks.py              tasks
"""
