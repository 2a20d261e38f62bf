"""Texts and dates in, texts and dates out.

sanitize.py         checks and makes text safe
document_fields.py  checks the fields of a document
dates.py            due dates
phrases.py          lists and numbers in sentences
excerpts.py         search excerpts
urls.py             addresses
"""
