"""One request that carries a message, and what bounds it.

dispatcher.py         request to answer
authentication.py     the sender
request_body.py       the body
fair_queue.py         turns per user
places.py             connections per user and address
limits.py             timeouts and sizes
router.py             routes by path
tickets.py            the Idempotency-Key
running_commands.py   commands under way
encoded_results.py    one JSON text for all who get the same result
responses.py          answers and errors as JSON
correlation.py        the correlation id
product_questions.py  permission queries of products
json_log.py           JSON lines for the log
"""
