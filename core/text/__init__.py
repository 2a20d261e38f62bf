"""Checking, parsing and formatting of texts and dates.

sanitize.py         checks of texts, and safe display
document_fields.py  checks of the fields of a document
dates.py            due dates
amounts.py          numbers as people write them
phrases.py          lists and numbers in sentences
excerpts.py         search words and excerpts
folding.py          letters without case and accents, as people type them
word_match.py       how well typed words fit a line
urls.py             checks of URLs
short_keys.py       keys of projects and cards
label_names.py      names and signs of labels
markdown.py         typed texts in Markdown
markdown_budget.py  the processor time for reading and drawing Markdown
naming.py           records by their names, and names like a mistyped one
typed_titles.py     titles of new cards with their shorthand, and pasted lists
"""
