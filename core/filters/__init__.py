"""The filter language: ``assignee:me due:<friday status:todo phase:2 text``.

filter.py        a parsed filter, which matches cards
parser.py        the terms of a filter
context.py       the user, day and project that words refer to
fields.py        fields and their values, such as those of ``label`` and ``priority``
own_fields.py    the own fields of the project, and the field with a name
due_values.py    values of the field ``due``
completion.py    completions while typing
suggestions.py   values that completion offers
card_texts.py    the text of a card for words
"""
