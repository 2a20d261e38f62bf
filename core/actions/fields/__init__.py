"""The own fields of projects, and their values on cards.

own_fields.py  list, add, edit, move and remove fields, and set the values of a card
"""
