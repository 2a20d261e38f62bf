"""Workflow templates.

templates.py    the list
template.py     one template
form.py         its form
new_project.py  a project from a template
"""
