"""Living with a terminal.

lifecycle.py     signals, hang-up, stop and continue
terminal_app.py  what the two applications share
key_queue.py     keys typed while the app is busy
driver.py        the driver of Textual, stopped and continued
ascii_filter.py  ASCII mode
limits.py        refuses a start without resources
fault.py         an unforeseen error as a sentence
pastes.py        a pasted text is one text, and never keys
"""
