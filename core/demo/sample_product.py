"""The terminal product of the demo: a separate program that shows its launch context. It imports nothing of Podium."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any


def text_lines(context: dict[str, Any]) -> list[str]:
    """A launch context as lines for people."""
    project = context["project"]
    levels = [
        f"{level.capitalize():<10}{node['name'] if node else '–'}" for level, node in context["hierarchy"].items()
    ]
    lines = [f"Project   {project['name'] if project else '– (launched from the product list)'}", *levels]
    if project:
        lines += [f"Item      {item['type'].lower()} {item['id']}" for item in project["items"]]
        lines.append(f"Account   {context['additional']['projectAuthId']}")
    return lines


def main() -> None:
    raw = os.environ.get("PODIUM_LAUNCH_CONTEXT")
    if raw is None:
        raise SystemExit("There is no PODIUM_LAUNCH_CONTEXT here: this program is launched by Podium.")
    lines = ["", "Context viewer", "", *text_lines(json.loads(raw)), "", "Enter goes back to Podium. "]
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        input("\n".join(f"  {line}" for line in lines))


if __name__ == "__main__":
    main()
