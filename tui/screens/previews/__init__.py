"""Previews: the words of the preview pane for each kind of record.

kinds.py     the query and the page of each kind
cards.py     tasks, activities and applications
projects.py  projects and phases
records.py   people, products and templates
lines.py     lines that several kinds share
"""
