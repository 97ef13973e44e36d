"""Pages as HTML, in the language that the browser asks for."""

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from string import Template
from typing import Final

from scoville_client.doors.web.site.assets import STATIC
from scoville_client.i18n.language import Translator, choose_language, tr, translator, written_here

_LONGEST: Final = 256
_MARKED: Final = re.compile(r"`([^`]*)`")


def preferred_language(accepted: str) -> str:
    """Return the language of an Accept-Language header that the client knows best, or a server may know.

    >>> preferred_language("it, de-AT;q=0.8, fr;q=0.5")
    'de'
    """
    weighted: list[tuple[float, str]] = []
    for entry in accepted[:_LONGEST].split(","):
        name, _, quality = entry.strip().partition(";q=")
        try:
            weight = float(quality) if quality else 1.0
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
        commands: What the door knows of other ways to its server.
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
