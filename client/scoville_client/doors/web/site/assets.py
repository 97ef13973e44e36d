"""Static files: read and compressed once, under a path that changes with their content."""

import gzip
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

STATIC: Final = Path(__file__).parents[1] / "static"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""Kinds of files that are served; the templates of pages are not."""

VENDORED: Final = {
    "LICENSE-addon-fit.txt": "e256f01188af527e4d06d21d06fbf785ae9c50d4b328bf03cbe0ba7f0aa4228f",
    "LICENSE-xterm.txt": "b569f629d00f2626a8100df2a1798210535621e42164dfd426a6fe5aac7b0ccd",
    "addon-fit.mjs": "2d87e1bddc73be9111de8beee5370c3bb7aac9c94e18e6f245f02ca741ef1769",
    "xterm.css": "854a7c0fb70e8b1a083c16797ab827299fb18744f5ad34f227b48337e33293c6",
    "xterm.mjs": "b336ec65a086c056d4804b3d4c2347da5663d3f23c3f25be866467bd8857ad59",
}
"""SHA-256 of the files of the npm packages @xterm/xterm 6.0.0 and @xterm/addon-fit 0.11.0, unchanged."""


class Asset(NamedTuple):
    """A file as it is sent, plain and compressed with gzip."""

    content: bytes
    compressed: bytes
    kind: str


class Assets:
    """All static files. `base` is the path under which browsers may keep them for ever."""

    @property
    def relative_base(self) -> str:
        """The same path as pages beside it name it: a proxy may put all of them under a prefix."""
        return self.base.removeprefix("/")

    def __init__(self, folder: Path = STATIC) -> None:
        self.files: Mapping[str, Asset] = {
            file.relative_to(folder).as_posix(): _load_asset(file)
            for file in sorted(folder.rglob("*"))
            if file.suffix in _TYPES
        }
        whole = sha256(b"".join(name.encode() + asset.content for name, asset in self.files.items()))
        self.base = f"/static/{whole.hexdigest()[:16]}"


def _load_asset(file: Path) -> Asset:
    content = file.read_bytes()
    return Asset(content, gzip.compress(content, mtime=0), _TYPES[file.suffix])
