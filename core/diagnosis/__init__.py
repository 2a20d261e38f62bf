"""What ``podium doctor`` and the Doctor screen look at.

finding.py    one check, and how it went
here.py       this installation, the file of a workspace, who decides there, and the terminal
entrances.py  who may come in through the server that has this file: accounts, tokens, its socket
server.py     a server, as its client meets it
"""
