"""``python -m podium``, as ``python -I -m podium`` in services."""

from . import main

main()
