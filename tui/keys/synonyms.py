"""Other words by which the palette finds an action or a place: the ordinary ones for what is done there."""

from __future__ import annotations

OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "Open the phase": ("rename phase", "edit phase", "remove phase", "delete phase"),
    "Edit name, objectives, outcomes and gate": ("rename phase", "edit phase"),
    "Go to Gate record of this project": ("audit", "minutes", "approvals", "decisions", "seals"),
    "Gate record of the phase": ("audit", "minutes", "approvals", "decisions", "seals"),
    "What changed since the last decision": ("audit", "compare with the seal", "diff"),
    "Remove the phase": ("delete phase",),
    "Edit title and description": ("rename card",),
    "Edit title, description and link": ("rename card",),
    "Archive": ("remove card", "delete card"),
    "Edit name, key, description and links": ("rename project",),
    "Go to Members of this project": ("invite member", "remove member"),
    "Go to People of the workspace": ("invite person", "add person"),
}
"""By the line in the palette."""
