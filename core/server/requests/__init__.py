"""The steps of a request that carries a message, and its limits.

dispatcher.py            the pipeline
decoding.py              step 4: the message
execution.py             step 5: the engine carries it out
responses.py             step 6: results and errors as JSON
idempotent_execution.py  around step 5: the Idempotency-Key
running_commands.py      progress and cancellation of commands
router.py                routes by path
correlation.py           the correlation id
json_log.py              JSON lines for the log
identity/                steps 1 and 2: the sender and the permission
bounds/                  the bounds of a request: time, size, connections, turns
"""
