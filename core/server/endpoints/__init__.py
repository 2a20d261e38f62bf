"""Routes that are not messages.

routes.py            the list of them
event_stream.py      server-sent events
health.py            liveness and readiness
permission_query.py  the permission query for products
"""
