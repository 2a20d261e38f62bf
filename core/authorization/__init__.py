"""Who decides: the permission query, and the two sources that answer it.

question.py       what is asked and what an answer is, for both sources; sources.py chooses the one in use

local.py          the embedded source
holdings.py       what somebody holds in this database, and on which accounts
account_pages.py  the query with its paging, over many accounts

remote.py         the authorization service as a source: who asks, who waits, what is believed
grants.py         the answers that are kept for a little while
asking.py         one question to the service, with its pages and tries
shapes.py         what is sent, and what counts as an answer
trouble.py        why there is no answer, in a sentence
"""
