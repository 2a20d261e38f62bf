"""Who may do what: the permission query, and the two sources that answer it.

configured_source.py  picks the source
local_source.py       answers from the database
held_permissions.py   SQL for held permissions
query_pages.py        pages of the query, over many accounts
remote_source.py      answers from the authorization service
remote_query.py       one query to the service: pages and retries
grant_cache.py        kept answers
query_schema.py       request and response
faults.py             why the service gave no answer
"""
