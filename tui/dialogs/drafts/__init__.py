"""Drafts: what a person typed into a form that closed without them, offered again in the same form.

files.py       the drafts of one person, in private files
form_draft.py  the draft of one open form
"""
