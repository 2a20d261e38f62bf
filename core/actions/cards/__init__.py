"""Messages about the cards of a phase.

activities.py         activities
application_lists.py  lists and pages of applications
applications.py       add and change applications
ask.py                requests for consent to the end of an approval
bulk.py               many changes as one step
capture.py            tasks as people type them
comments.py           comments
details.py            one card, or one phase, in full
tasks.py              tasks
"""
