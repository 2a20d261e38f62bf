"""Permissions: the permission query, and the two sources that answer it.

configured_source.py  picks the source
local_source.py       answers from the database
held_permissions.py   SQL for held permissions
query_pages.py        pages of the query, over many accounts
remote_source.py      answers from the authorization service: cache control, single-flight
grant_cache.py        fresh and stale grants
remote_query.py       one query to the service, page by page
query_schema.py       request and response of the query
faults.py             failures of the service, as sentences
"""
