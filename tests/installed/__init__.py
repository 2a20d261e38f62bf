"""The built wheel in empty environments, which ``.ci/run`` starts: installed by pip and by uv, with each extra alone.

``PODIUM_TEST_WHEELS`` is a folder with the wheel and those of all that it needs; without it, this folder is not
collected.
"""
