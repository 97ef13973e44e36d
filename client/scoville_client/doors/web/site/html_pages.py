"""Pages as HTML, in the language that the browser asks for, the files that they need, and what browsers must not do.

Files are read and compressed once, under a path that changes with their content.
"""

import gzip
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from scoville_client.i18n.language import Translator, choose_language, tr, translator, written_here

_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
COMMON: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of every response."""


def content_policy(origin: str, nonce: str) -> str:
    """Return the Content-Security-Policy of the page: everything from this host, and styles that carry the nonce.

    Args:
        origin: The page's own origin. Older browsers do not count a WebSocket as 'self'.
        nonce: Mark of the style elements that the terminal makes; empty for a page without one.
    """
    socket = origin.replace("http", "ws", 1)
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    own = {"style-src": styles, "connect-src": f"'self' {socket}"}
    return "; ".join(f"{name} {value}" for name, value in {**_POLICY, **own}.items())


def closed_policy() -> str:
    """Return the Content-Security-Policy of responses that are no page: nothing may be loaded or run."""
    return "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


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
    # Without a time: the same file is the same bytes after each start.
    return Asset(content, gzip.compress(content, mtime=0), _TYPES[file.suffix])


_LONGEST: Final = 256
_MARKED: Final = re.compile(r"`([^`]*)`")


def preferred_language(accepted: str) -> str:
    """Return the language of an Accept-Language header that the client knows best, or a server may know.

    >>> preferred_language("it, de-AT;q=0.8, fr;q=0.5")
    'de'
    """
    # By the first part of each tag alone: Scoville has one German for all countries.
    weighted: list[tuple[float, str]] = []
    for entry in accepted[:_LONGEST].split(","):
        name, _, quality = entry.strip().partition(";q=")
        try:
            weight = float(quality) if quality else 1.0
        # A quality that is no number: the browser's next language.
        except ValueError:
            continue
        if weight > 0:
            weighted.append((-weight, name.partition("-")[0].lower()))
    return choose_language(name for _, name in sorted(weighted, key=lambda each: each[0]))


def use_language(language: str) -> None:
    """Translate into this language in the present context from now on."""
    own = Translator()
    own.set_language(language)
    translator.set(own)


def main_page(static: str, language: str, nonce: str) -> str:
    """Return the page with the terminal."""
    use_language(language)
    texts = {
        "input": tr("Scoville: the terminal. Press F1 for the keys."),
        "connecting": tr("Connecting …"),
        "lost": _lost_page(),
        "again": tr("Connect now"),
        "keyboard": tr("Keyboard"),
    }
    return _load_template("page.html").substitute(
        language=written_here(language),
        static=static,
        nonce=nonce,
        texts=_page_data(texts),
        reader=escape(tr("Screen reader support")),
        lines=escape(tr("Play in lines of text")),
        keys=escape(tr("Keys")),
        noscript=escape(tr("This page needs JavaScript: it shows a terminal.")),
    )


def text_page(static: str, language: str, commands: list[str]) -> str:
    """Return the page with the line mode, for screen readers.

    Args:
        static: The path of static files.
        language: The page's language.
        commands: The other ways to the server, as far as the door knows.
    """
    use_language(language)
    paragraphs = [
        *commands,
        tr("With Scoville installed, type `scoville --plain join HOST`, with the address that your host gives you."),
        tr("On the page, F6 leads out of the terminal to the button `Screen reader support`, which has it read aloud."),
    ]
    return _load_template("text.html").substitute(
        language=written_here(language),
        static=static,
        texts=_page_data(
            {
                "connecting": tr("Connecting …"),
                "lost": _lost_page(),
                "again": tr("Connect now"),
            }
        ),
        heading=escape(tr("Lines of text")),
        back=escape(tr("Play on the screen")),
        ways=escape(tr("Other ways to play in lines")),
        log=escape(tr("What happens")),
        label=escape(tr("Command (? for help)")),
        send=escape(tr("Send")),
        paragraphs="\n".join(map(_write_paragraph, paragraphs)),
        noscript=escape(tr("This page needs JavaScript: it talks to the server all the time.")),
    )


def _lost_page() -> str:
    return tr("The connection is lost. Your seat is kept; next attempt in {seconds} s.", seconds="{seconds}")


def _page_data(texts: Mapping[str, str]) -> str:
    """Return texts as attributes, for the page's script."""
    return " ".join(f'data-{name}="{escape(text)}"' for name, text in texts.items())


def _write_paragraph(text: str) -> str:
    """Return a paragraph; text in backquotes becomes code."""
    return "<p>{}</p>".format(_MARKED.sub(r"<code>\1</code>", escape(text, quote=False)))


@cache
def _load_template(name: str) -> Template:
    return Template((STATIC / name).read_text(encoding="utf-8"))
