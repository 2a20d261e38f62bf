"""The long runs of PostgreSQL, which ``.ci/long`` starts: faults of the server, the disk and the network under load.

Each run prints a line with its figures. In all of them nothing may be lost or doubled, and a refusal is one of our
sentences. ``PODIUM_TEST_LONG=60`` is the number of seconds of each; without it, this folder is not collected.
"""
