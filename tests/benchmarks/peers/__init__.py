"""Podium beside the programs that people would pick instead: ``python -m tests.benchmarks --peers``.

installation.py  each peer in a virtual environment of its own
boards.py        the same cards for Podium and for kanban-tui
comparison.py    the runs and their table
"""
