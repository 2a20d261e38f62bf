"""The filter language: ``assignee:me due:<friday status:todo phase:2 text``.

filter.py        a parsed filter, which matches cards, and the text of a card for its words
parser.py        the terms of a filter
context.py       the user, day and project that words refer to, and the values that completion offers
fields.py        fields and their values, such as those of ``label`` and ``priority``
custom_fields.py the custom fields of the project, and the field with a name
due_values.py    values of the field ``due``
completion.py    completions while typing
"""
