"""The steps of a request that carries a message, and its limits.

dispatcher.py        the pipeline
authentication.py    steps 1 and 2: the sender and the permission
decoding.py          step 4: the message
execution.py         step 5: the engine carries it out, once for each Idempotency-Key
responses.py         step 6: results and errors as JSON
running_commands.py  progress and cancellation of commands
correlation.py       the correlation id
json_log.py          JSON lines for the log
bounds/              the bounds of a request: time, size, connections, turns
"""
