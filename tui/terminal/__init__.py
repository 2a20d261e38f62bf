"""Everything that depends on the terminal: signals, input, and output in ASCII.

lifecycle.py     signals, hang-up, stop and continue
terminal_app.py  the base of both applications
key_queue.py     keys typed while the app is busy
driver.py        Textual's driver, with stop and continue
sent_cells.py     the cells that differ from what stands on the terminal
ascii_filter.py  ASCII mode
collector.py     the garbage collector while Podium starts
limits.py        the resources that Podium needs to start
fault.py         an unexpected error as one sentence and a report
escapes.py       Esc, or the beginning of a sequence
pastes.py        a pasted text as one text, not as keys
background.py    light or dark, as the terminal answers
workers.py       work beside the handlers of messages
"""
