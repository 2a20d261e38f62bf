"""The steps of a request that carries a message, and its limits.

dispatcher.py            the pipeline
authentication.py        step 1: the sender
admission.py             step 2: the permission, as far as the head shows it
body_limits.py           step 3: the size of the body
decoding.py              step 4: the message
execution.py             step 5: the engine carries it out
responses.py             step 6: results and errors as JSON
fair_queue.py            around them: turns of each user in the threads
idempotent_execution.py  around step 5: the Idempotency-Key
credential_owners.py     owners of credentials seen before
running_commands.py      progress and cancellation of commands
router.py                routes by path
connection_slots.py      connections per user and address
limits.py                timeouts and sizes
correlation.py           the correlation id
product_questions.py     permission queries of products
json_log.py              JSON lines for the log
"""
