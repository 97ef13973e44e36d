"""What a person writes about a table: its options, as NAME=VALUE."""

from scoville_shared.kit.codec import Plain

_YES, _NO = ("yes", "on", "true"), ("no", "off", "false")


def parse_option(text: str) -> tuple[str, Plain]:
    """Read NAME=VALUE; a value is a whole number, yes or no, or a word. Raises ValueError with a sentence."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError(f"{text!r} is no option; write it as NAME=VALUE, such as cycles=1.")
    return name, _value(value)


def _value(text: str) -> int | str | bool:
    word = text.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    return int(text) if text.isascii() and text.isdigit() else text
