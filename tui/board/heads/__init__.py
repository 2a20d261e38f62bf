"""The heads of columns and sections.

headers.py        headers of columns and sections
phase_summary.py  a phase as lines of its header
folded_column.py  a folded phase, which is all head
"""
