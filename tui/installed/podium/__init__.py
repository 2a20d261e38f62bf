"""The one package that an installation has. ``core`` and ``tui`` lie below it, where they clash with no other package.

The wheel has them in ``_app`` (``force-include`` in ``pyproject.toml``). A checkout, also an editable installation of
one, has no ``_app``: there they are imported from its top level.

__main__.py  ``python -m podium``
"""

import sys
from pathlib import Path


def main() -> None:
    """Run the command line, and exit with its exit status."""
    if (app := Path(__file__).parent / "_app").is_dir():
        sys.path.insert(0, str(app))  # before the folder of “python -m”, which can have a “core” of its own
    from tui.__main__ import main

    main()
