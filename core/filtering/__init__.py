"""The filter language: ``assignee:me due:<friday status:todo phase:2 text`` picks cards, on every view alike.

filter.py       a filter that was understood, and what its words refer to
terms.py        the terms of a text, each with its place in it
fields.py       what can stand before a colon, what it picks, and which values it has; days.py those of ``due:``
completion.py   how what is being typed may go on
texts.py        what a word is looked for in
"""
