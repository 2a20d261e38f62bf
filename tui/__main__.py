"""The entry of the program ``podium``, also as ``python -m tui``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Ends with its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows "?" for what it cannot show
    from tui.cli.program import podium

    podium.main(prog_name="podium")


if __name__ == "__main__":
    main()
