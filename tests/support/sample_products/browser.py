"""A browser for ``$BROWSER``: ``browser.py FILE URL`` notes the URL, gets the page, and does what its script would."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from urllib.parse import urldefrag
from urllib.request import Request, urlopen


def main() -> None:
    file, url = Path(sys.argv[1]), sys.argv[2]
    address, fragment = urldefrag(url)
    if address.startswith("http://127.0.0.1"):
        urlopen(address).close()
        if fragment:
            urlopen(Request(address, data=fragment.encode(), method="POST")).close()
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps({"url": url, "environ": dict(os.environ)}))
    fresh.rename(file)


if __name__ == "__main__":
    main()
