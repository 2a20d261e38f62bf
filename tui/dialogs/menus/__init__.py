"""Dialogs that offer a choice from a list.

go_menu.py        the menu of places
key_menu.py       a menu of single letters
picker.py         one or several from a list, with a filter
preset_dialog.py  the menu of view presets
undo_steps.py     the last steps, to go back to one
"""
