"""Commands on cards.

tasks.py         podium task
activities.py    podium activity
applications.py  podium application
"""
