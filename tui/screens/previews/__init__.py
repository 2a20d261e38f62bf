"""Previews: the words of the preview pane for each kind of record.

cards.py     tasks, activities and applications
phases.py    phases
projects.py  projects
records.py   people, products and templates
lines.py     lines that several kinds share
"""
