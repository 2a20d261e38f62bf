"""The bounds of a request: time, size, connections, and turns among users.

limits.py            timeouts and sizes
body_limits.py       step 3: the size of the body
connection_slots.py  connections per user and address
fair_queue.py        around them: turns of each user in the threads
unsent_answers.py    room for large answers, until they are sent
"""
