"""The fields of a form and their controls.

form_fields.py    the fields of a form
row.py            a row of a form, and its long text in the editor or in the whole window
inputs.py         the input of each kind of field, and the line that opens more
mention_input.py  a text area with @mentions
title_input.py    the title of a new card, with its meaning, and pasted lists
"""
