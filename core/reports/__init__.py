"""Answers of messages as files.

formats.py         the list of formats
status_report.py   Markdown status report
gate_decisions.py  gate decisions as Markdown or CSV
"""
