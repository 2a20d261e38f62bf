"""Workflow templates: saved, searchable workflows without people and with relative dates (spec, section 6).

model.py        the records, and what is in a template
"""
