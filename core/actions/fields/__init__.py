"""The custom fields of projects, and their values on cards.

custom_fields.py  list, add, edit, move and remove fields, and set the values of a card
"""
