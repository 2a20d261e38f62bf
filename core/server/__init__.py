"""The HTTP API: every message of the catalog as a route, for many users at once.

app.py           the ASGI application
run.py           the process
metrics.py       the numbers for Prometheus
requests/        from the bytes of a request to the bytes of the answer
endpoints/       routes that are not messages
openapi/         the OpenAPI document and the error pages
transport/       sockets, TLS and the HTTP protocol
"""
