"""Questions to the person: each is a modal screen that is dismissed with a value.

dialog.py    the panel they all stand in: title, message line, key hints
rows.py      a list of rows with a cursor, which several of them, and some pages, show
fields.py    what a form asks for
controls.py  how each kind of field is filled in
form.py      a form that stays open until its answer is accepted
pick.py      one or several out of a list, with a filter
confirm.py   yes or no, for what cannot be undone
waiting.py   how far a long command is, and a way to stop it
why.py       the rule that stands in the way, as a jump list
key_menu.py  a menu of single letters
"""
