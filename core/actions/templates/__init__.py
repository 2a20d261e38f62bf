"""Messages about workflow templates.

apply.py      create a project from a template, save one, merge a version
templates.py  list, read, import, rename, remove
"""
