"""Every key of every screen beside bare programs, and some over a slow line: ``python -m tests.benchmarks --keys``.

bare.py       the bare program: a drawn modal, one of an Input and a drawn list, and a drawn screen
project.py    the workspace: the demo, with projects of 100 and 10,000 cards
screens.py    the keys that lead to each screen, those that are not measured, and the goal of what a key opens
walk.py       the keys of one screen, each to its last byte
slow_line.py  a relay that delays and paces bytes, and the keys over it
lines.py      the tables
part.py       the parts that can be measured alone, and the tables on the page
"""
