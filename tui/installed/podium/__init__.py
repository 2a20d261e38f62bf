"""The one package that an installation has. ``core`` and ``tui`` lie below it, where they clash with no other package.

The wheel has them in ``_app`` (``force-include`` in ``pyproject.toml``). A checkout has no ``_app``: there they are
imported from its top level. So they are in an editable installation, though it has a copy of that moment in ``_app``.

__main__.py  ``python -m podium``
"""

import sys
from pathlib import Path


def main() -> None:
    """Run the command line, and exit with its exit status."""
    here = Path(__file__).parent
    is_editable = (here.parent / "_podium_tui.pth").exists()  # which leads Python to the checkout
    if (app := here / "_app").is_dir() and not is_editable:
        sys.path.insert(0, str(app))  # before the folder of “python -m”, which can have a “core” of its own
    from tui.__main__ import main

    main()
