"""Growth with the size of a project or of the workspace: ``python -m tests.benchmarks --growth``.

sizes.py     two workspaces, of which one has more of everything
screens.py   starts, keys, moves, views and lists in a program on a terminal
messages.py  the statements, rows and steps of SQLite of the messages behind them
matrix.py    the table: what is done, at each size
"""
