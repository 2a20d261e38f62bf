"""Labels and priority.

labels.py  the labels of a project and of the workspace
cards.py   the labels and the priority of a card
"""
