"""The fields of a form and their controls.

form_fields.py    the fields of a form
row.py            a row of a form: label, control, and the line under it
inputs.py         the input of each kind of field
mention_input.py  a text area with @mentions
title_input.py    the title of a new card, with its meaning, and pasted lists
more.py           the line that opens more fields
long_text.py      a long text in the editor, or in the whole window
"""
