"""Styles, symbols and segments: what every widget draws with.

styles.py         symbols and styles, resolved per theme
rows.py           one line, cut and aligned
cells.py          safe text, measured in cells
card_facts.py     priorities and what a card waits for, beside it or in a sentence
labels.py         labels and their colours
people.py         short names and colours of people
health.py         the health of a project as a sign and a role
outline_lines.py  the lines of an outline
preview_rows.py   the rows of a preview
theme.py          the themes
readable.py       texts in the themes of others, made readable
markdown/         texts with Markdown as lines
"""
