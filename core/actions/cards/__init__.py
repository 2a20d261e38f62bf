"""Messages about the cards of a phase.

activities.py         activities
application_lists.py  lists and pages of applications
applications.py       add and change applications
ask.py                requests for consent to the end of an approval
bulk.py               many changes as one step
capture.py            tasks as people type them
cards.py              tasks and activities alike
comments.py           comments
details.py            one card, or one phase, in full
labels.py             labels of a project, of the workspace, and of a card
tasks.py              tasks
"""
