"""The filter language: ``assignee:me due:<friday status:todo phase:2 text``.

filter.py      a parsed filter
parser.py      its terms
fields.py      fields and their values
due_values.py  values of ``due:``
completion.py  completions while typing
card_texts.py  texts a word matches
"""
