"""The Textual client: everything that is drawn."""

from pathlib import Path

STYLES = Path(__file__).parent / "styles"
"""The style sheets of all screens."""
