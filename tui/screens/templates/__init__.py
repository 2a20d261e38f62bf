"""Workflow templates.

templates.py  the list
template.py   one template
form.py       its form
"""
