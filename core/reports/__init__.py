"""Answers of messages as files.

formats.py         the list of formats
sections.py        the structure of a report for people, and Markdown
html_page.py       the same as a page of HTML, by its template page.html
status_report.py   the status report in sections
plan_xml.py        a project as XML of Microsoft Project
gate_decisions.py  gate decisions in sections or as CSV
"""
