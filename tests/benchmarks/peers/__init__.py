"""Podium beside the programs that people would pick instead: ``python -m tests.benchmarks --peers``.

installation.py  each peer in a virtual environment of its own
boards.py        the same cards for Podium, for kanban-tui and for pykantui
comparison.py    the runs and their table
page.py          the table on the page, which screenshots/ has as a chart
"""
