"""``python -m podium``, as ``python -I -m podium`` in services."""

from podium import main

main()
