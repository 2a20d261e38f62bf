"""Two small products that Podium really launches in tests, and what they need around them.

terminal.py  a terminal product: notes what it sees, and ends, or leaves the terminal, as its input says
web.py       a web product: a page that is handed the context, and the endpoint where it exchanges a code
fragments.py what the script of its page does with the fragment of the URL
browser.py   what stands in for a person's browser: notes the URL, gets the page, runs what its script would
"""
